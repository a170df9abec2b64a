package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.config.Key.Group;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: the document of the configuration and the shipped file have every key, its default and its
/// meaning. Method: both are made from the table of keys and compared; `-Dwrite=true` writes them.
class DocumentedKeysTest {
  private static final Path PAGE = Path.of("docs/CONFIGURATION.md");
  private static final Path SHIPPED = Path.of("../packaging/widerow.conf");
  private static final int ROWS_MAIN = 32;
  private static final int COLUMNS = 100;

  /// What the shipped file sets.
  private static final Map<String, String> SHIPPED_VALUES =
      Map.of("data", "/var/lib/widerow/store", "http", "127.0.0.1:7380");

  private static void assertWritten(Path file, String expected) throws IOException {
    if (Boolean.getBoolean("write")) {
      Path _ = Files.createDirectories(file.toAbsolutePath().getParent());
      Path _ = Files.writeString(file, expected);
    }
    assertEquals(expected, Files.readString(file), "run with -Dwrite=true");
  }

  @Test
  void thePageIsThatOfTheTable() throws IOException {
    List<String> main = mainRows();
    assertEquals(ROWS_MAIN, main.size());
    StringBuilder page = new StringBuilder(introduction());
    page.append("| key | default | meaning |\n|---|---|---|\n");
    main.forEach(page::append);
    page.append("\n`PROTOCOL` is one of these; each is off unless it has an address:\n\n");
    page.append("| key | listens for |\n|---|---|\n");
    for (Key<?> key : ConfigKeys.ALL) {
      if (key.group() == Group.SOCKET) {
        page.append("| `%s` | %s |\n".formatted(key.name(), listensFor(key)));
      }
    }
    page.append("\n## Advanced\n\n| key | default | meaning |\n|---|---|---|\n");
    for (Key<?> key : ConfigKeys.ALL) {
      if (key.group() == Group.ADVANCED) {
        page.append(row(key));
      }
    }
    assertWritten(PAGE, page.toString());
  }

  private static String introduction() {
    return """
    # Configuration

    Made from the table of keys, `ConfigKeys`; a test compares, and writes it with `-Dwrite=true`.

    A key is a flag of `serve` (`--open-age 10m`), a variable (`WIDEROW_OPEN_AGE=10m`) or a line of
    the file that `--config` names (`open-age=10m`); a flag wins over a variable, and that over the
    file. A key of a type (`retention.audit`) is a line or `--set retention.audit=365d`. Ages are
    written `30d`, `12h`, `10m`, `5s` or, for retention, `forever`; sizes are bytes.

    `serve --print-config` prints the values in force and where each comes from (`flag`, `variable`,
    `file`, `default` or `computed`), with `--changed` only the values that differ from their
    defaults; the output is a file for `--config`. In a file, a comment may follow a value after two
    spaces and `# `. `serve --check-config` reports every mistake. How keys work together is in
    [INSTALL.md](INSTALL.md#configuration), how sizes follow the machine in
    [Memory](LIMITS.md#memory).

    """;
  }

  private static List<String> mainRows() {
    List<String> rows = new ArrayList<>();
    boolean sockets = false;
    for (Key<?> key : ConfigKeys.ALL) {
      if (key.group() == Group.MAIN) {
        rows.add(row(key));
      } else if (key.group() == Group.SOCKET && !sockets) {
        sockets = true;
        rows.add(
            "| `PROTOCOL`, `PROTOCOL-tls` | empty | address of a protocol with a socket of its own,"
                + " HOST:PORT; over TLS it needs `tls-certificate` |\n");
      }
    }
    return rows;
  }

  private static String row(Key<?> key) {
    String summary = key.summary().replace("|", "\\|");
    return "| `%s` | %s | %s |\n".formatted(key.name(), key.fallback().shown(), summary);
  }

  private static String listensFor(Key<?> key) {
    return key.summary().replaceFirst("^address of ", "").replaceFirst("; empty: none$", "");
  }

  @Test
  void theShippedFileIsThatOfTheTable() throws IOException {
    StringBuilder file = new StringBuilder();
    comment(
        "Configuration of the daemon: one key=value a line. `widerow serve --print-config` lists"
            + " every key with its value. Precedence: flag, environment (WIDEROW_...), this file."
            + " An unknown key is an error. Run systemctl restart widerow to apply changes. Further"
            + " keys: ingest/docs/CONFIGURATION.md.",
        file);
    for (Key<?> key : ConfigKeys.ALL) {
      if (key.group() == Group.ADVANCED) {
        continue;
      }
      file.append('\n');
      comment(key.summary().replace("`", ""), file);
      String value = SHIPPED_VALUES.get(key.name());
      file.append(value == null ? "# " : "")
          .append(key.name())
          .append('=')
          .append(value == null ? example(key) : value)
          .append('\n');
    }
    assertWritten(SHIPPED, file.toString());
  }

  private static String example(Key<?> key) {
    return key.fallback().isComputed() ? "" : key.fallback().text().apply(Map.of());
  }

  private static void comment(String text, StringBuilder file) {
    StringBuilder line = new StringBuilder("#");
    for (String word : text.split(" ", -1)) {
      if (line.length() + 1 + word.length() > COLUMNS) {
        file.append(line).append('\n');
        line = new StringBuilder("#");
      }
      line.append(' ').append(word);
    }
    file.append(line).append('\n');
  }

  @Test
  void theShippedFileIsAConfiguration() {
    ConfigCheck check = ConfigCheck.of(Map.of(), Map.of(), SHIPPED, List.of());
    assertEquals(List.of(), check.mistakes());
  }

  @Test
  void everyKeyIsNamedOnceAndShort() {
    Set<String> names = new LinkedHashSet<>();
    for (Key<?> key : ConfigKeys.ALL) {
      assertTrue(names.add(key.name()), key.name());
      assertTrue(key.summary().length() < 180, key.name());
      assertEquals(key, ConfigKeys.find(key.name()), key.name());
    }
  }
}
