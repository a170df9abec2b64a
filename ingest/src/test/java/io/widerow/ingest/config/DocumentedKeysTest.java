package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Goal: OPERATIONS.md has every key of the configuration, in the order of `serve --print-config`,
/// with its default. Method: its table beside what the code has; defaults that follow from the heap
/// are those of the launcher's heap, others that follow from the machine are said in words.
class DocumentedKeysTest {
  private static final Path PAGE = Path.of("OPERATIONS.md");
  private static final long LAUNCHER_HEAP_BYTES = 256L << 20;

  @Test
  void everyKeyIsDocumentedWithItsDefault() throws IOException {
    assertEquals(render(known()), render(documented()));
  }

  private static Map<String, String> known() {
    Map<String, String> known = new LinkedHashMap<>();
    DaemonConfig.at(Path.of("store"))
        .print()
        .lines()
        .map(line -> line.substring(0, line.indexOf('=')))
        .forEach(key -> known.put(key, DaemonConfig.DEFAULTS.getOrDefault(key, "")));
    HeapShares shares = HeapShares.of(LAUNCHER_HEAP_BYTES);
    known.put("credit-bytes", Long.toString(shares.creditBytes()));
    known.put("body-bytes-max", Integer.toString(shares.bodyBytesMax()));
    known.put("query-memory-bytes", Long.toString(shares.queryMemoryBytes()));
    known.put("durability", "disk; `quorum` with `store`");
    known.put("daemon-number", "0; `auto` with `store`");
    known.put("lanes", "half the processors, 1 to 8");
    known.replaceAll((_, value) -> value.isEmpty() ? "empty" : value);
    known.put(StoreOptions.RETENTION_OF + "<type>", "that of `retention`");
    known.put(LayoutOptions.MINUTES_OF + "<type>", "that of `bucket-minutes`");
    known.put(LayoutOptions.SHARDS_OF + "<type>", "that of `shards`");
    return known;
  }

  private static Map<String, String> documented() throws IOException {
    String page = Files.readString(PAGE);
    String table = page.substring(page.indexOf("<!-- keys"), page.indexOf("<!-- end of keys"));
    Map<String, String> documented = new LinkedHashMap<>();
    for (String row : table.lines().filter(line -> line.startsWith("| `")).toList()) {
      String[] cells = row.split(" \\| ", -1);
      documented.put(cells[0].substring(3, cells[0].length() - 1), cells[1]);
    }
    return documented;
  }

  private static String render(Map<String, String> keys) {
    StringBuilder text = new StringBuilder();
    keys.forEach((key, value) -> text.append(key).append(" = ").append(value).append('\n'));
    return text.toString();
  }
}
