package io.widerow.query.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.output.OutputBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Goal: the formats of PARSE.md find the fields that the page shows. Method: run its examples, of
/// three lines each.
class DocumentedFormatsTest {
  @Test
  void theExamplesHaveTheirFields() throws IOException {
    String page = Files.readString(Path.of("PARSE.md"), StandardCharsets.UTF_8);
    String part = page.substring(page.indexOf("<!-- examples"), page.indexOf("<!-- end of ex"));
    String[] blocks = part.split("```\n", -1);
    assertTrue(blocks.length > 20, blocks.length + " blocks");
    for (int i = 1; i < blocks.length; i += 2) {
      String[] lines = blocks[i].split("\n", 4);
      assertEquals(4, lines.length, blocks[i]);
      Map<String, Object> fields = Parsed.fields(Parsed.format(lines[0]), lines[1]);
      assertNotNull(fields, blocks[i]);
      String shown =
          fields.entrySet().stream()
              .map(field -> field.getKey() + "=" + shown(field.getValue()))
              .collect(Collectors.joining(" "));
      assertEquals(lines[2], shown);
    }
  }

  private static String shown(Object value) {
    if (!(value instanceof String text)) {
      return value.toString();
    }
    OutputBuffer json = new OutputBuffer(64);
    json.putJson(text);
    return "\"" + json + "\"";
  }
}
