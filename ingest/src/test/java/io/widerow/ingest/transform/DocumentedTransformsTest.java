package io.widerow.ingest.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Goal: the transforms in SHIP.md have the documented effect on its events. Method: run them.
class DocumentedTransformsTest {
  @Test
  void theExampleDoesWhatThePageSays() throws IOException {
    String page = Files.readString(Path.of("docs/SHIP.md"), StandardCharsets.UTF_8);
    String part = page.substring(page.indexOf("<!-- rules"), page.indexOf("<!-- end of rules"));
    String[] blocks = part.split("```\n", -1);
    assertEquals(7, blocks.length, "rules, events, and what they become");
    Transformed ruled = Transformed.of(blocks[1], blocks[3]);
    String shown =
        ruled.stored().stream()
            .map(event ->
                event.type()
                    + event.attributes().entrySet().stream()
                        .map(entry -> " " + entry.getKey() + "=" + shown(entry.getValue()))
                        .collect(Collectors.joining()))
            .collect(Collectors.joining("\n"));
    assertEquals(blocks[5].strip(), shown);
    assertEquals(1, ruled.dropped());
  }

  private static String shown(Object value) {
    return value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
  }
}
