package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Goal: documents name the commands of the table and no others. Method: the list in INSTALL.md,
/// which `-Dwrite` writes again; each `widerow COMMAND` of documents, help pages and messages.
class DocumentedCommandsTest {
  private static final Path TOP = Path.of("../..").toAbsolutePath().normalize();
  private static final Path LIST = TOP.resolve("ingest/docs/INSTALL.md");
  private static final String BEGIN = "<!-- commands -->\n";
  private static final String END = "<!-- /commands -->";

  /// Commands of a checkout, and words after the name of the program that are no command.
  private static final Set<String> NO_ROW = Set.of("test", "dist", "load", "help");

  private static final Pattern CALL =
      Pattern.compile("(?:\\./|`|\\$ |\"  )widerow ([a-z]+)(?: ([a-z]+(?:-[a-z]+)?)\\b)?");

  @Test
  void theListIsThatOfTheTable() throws IOException {
    StringBuilder list =
        new StringBuilder("\n| command | purpose | sub-commands |\n|---|---|---|\n");
    for (CommandTable.Row row : CommandTable.rows()) {
      if (row.isCommand()) {
        String below =
            below(row.name()).stream()
                .map(word -> "`" + word + "`")
                .collect(Collectors.joining(", "));
        list.append("| `%s` | %s | %s |%n".formatted(row.name(), row.summary(), below));
      }
    }
    String page = Files.readString(LIST);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    String written = page.substring(0, begin) + list + "\n" + page.substring(end);
    if (Boolean.getBoolean("write")) {
      Path _ = Files.writeString(LIST, written);
    }
    assertEquals(written, Files.readString(LIST));
  }

  private static List<String> below(String command) {
    return CommandTable.rows().stream()
        .filter(row -> row.isSubcommand() && row.command().equals(command))
        .map(CommandTable.Row::word)
        .toList();
  }

  @Test
  void onlyCommandsOfTheTableAreNamed() throws IOException {
    Set<String> commands = new HashSet<>(NO_ROW);
    CommandTable.rows().forEach(row -> commands.add(row.command()));
    List<String> findings = new ArrayList<>();
    for (Path file : texts()) {
      Matcher call = CALL.matcher(Files.readString(file));
      while (call.find()) {
        List<String> below = below(call.group(1));
        String second = call.group(2);
        if (!commands.contains(call.group(1))
            || (second != null && !below.isEmpty() && !below.contains(second))) {
          findings.add(TOP.relativize(file) + ": " + call.group());
        }
      }
    }
    assertEquals("", String.join("\n", findings));
  }

  /// Documents but those of the past, and the sources with help and messages.
  private static List<Path> texts() throws IOException {
    try (Stream<Path> files = Files.walk(TOP)) {
      return files
          .filter(file -> {
            String path = TOP.relativize(file).toString();
            return path.matches(
                    "(?!CHANGELOG|bench-results).*\\.md|.*/src/main/.*\\.(java|js|html)")
                && !path.matches("(.*/)?(target|node_modules|\\.[^/]+)/.*");
          })
          .toList();
    }
  }
}
