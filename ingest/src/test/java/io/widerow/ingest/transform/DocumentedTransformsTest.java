package io.widerow.ingest.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventLayout;
import io.widerow.ingest.Decoding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the transforms in TRANSFORMS.md have the documented effect on its events. Method: run
/// them.
class DocumentedTransformsTest {
  private static final String BREAK = "---\n";

  @TempDir Path directory;

  @Test
  void theExampleDoesWhatThePageSays() throws IOException {
    String part = part("<!-- rules", "<!-- end of rules");
    String[] blocks = part.split("```\n", -1);
    assertEquals(7, blocks.length, "rules, events, and what they become");
    Transformed ruled = Transformed.of(blocks[1], blocks[3]);
    assertEquals(blocks[5].strip(), shown(ruled));
    assertEquals(1, ruled.dropped());
  }

  /// A block is a table, if the rules look one up; rules; events; and what becomes of them.
  @Test
  void eachStatementDoesWhatThePageSays() throws Exception {
    String[] blocks = part("<!-- statements", "<!-- end of statements").split("```\n", -1);
    for (int i = 1; i < blocks.length; i += 2) {
      String[] parts = blocks[i].split(BREAK, -1);
      int rules = parts.length - 3;
      if (rules > 0) {
        Path _ = Files.writeString(directory.resolve("teams.csv"), parts[0]);
      }
      TransformSet set = TransformSet.parse(parts[rules], Decoding.ARRIVAL_NANOS, directory);
      byte[] events = parts[rules + 1].getBytes(StandardCharsets.UTF_8);
      Transformed ruled =
          Transformed.of(new TransformRun(set), events, EventLayout.EVENT_BYTES_MAX);
      assertEquals(parts[rules + 2].strip(), shown(ruled), blocks[i]);
    }
    assertEquals(15, blocks.length, "examples");
  }

  private static String part(String from, String until) throws IOException {
    String page = Files.readString(Path.of("docs/TRANSFORMS.md"), StandardCharsets.UTF_8);
    return page.substring(page.indexOf(from), page.indexOf(until));
  }

  private static String shown(Transformed ruled) {
    return ruled.stored().stream()
        .map(event ->
            event.type()
                + event.attributes().entrySet().stream()
                    .map(entry -> " " + entry.getKey() + "=" + shown(entry.getValue()))
                    .collect(Collectors.joining()))
        .collect(Collectors.joining("\n"));
  }

  private static String shown(Object value) {
    return value instanceof String text
        ? "\"" + text.replace("\"", "\\\"") + "\""
        : String.valueOf(value);
  }
}
