package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Goal: every endpoint of the daemon is in one of the documents, and in one table only. Method:
/// compares their rows with the routes of a running daemon.
class DocumentedEndpointsTest {
  private static final List<Path> PAGES =
      List.of(
          Path.of("docs/INSTALL.md"),
          Path.of("docs/LIMITS.md"),
          Path.of("docs/MONITORING.md"),
          Path.of("docs/RETENTION.md"),
          Path.of("docs/REPAIR.md"),
          Path.of("docs/CLUSTER.md"),
          Path.of("PROTOCOLS.md"),
          Path.of("../query/QUERY.md"),
          Path.of("../query/LOGQL.md"),
          Path.of("../query/PROMETHEUS.md"));
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `((?:GET|POST|PUT|DELETE) /[^`?]*)` \\|");

  @Test
  void everyRouteIsDocumentedOnce() throws IOException {
    StringBuilder pages = new StringBuilder();
    for (Path page : PAGES) {
      pages.append(Files.readString(page));
    }
    List<String> documented =
        ROW.matcher(pages).results().map((MatchResult row) -> row.group(1)).sorted().toList();
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", "unused", "http", "127.0.0.1:0", "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, new MemoryStore(1))) {
      assertEquals(daemon.endpoints().stream().sorted().toList(), documented);
    }
  }
}
