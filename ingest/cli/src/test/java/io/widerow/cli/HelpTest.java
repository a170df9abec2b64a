package io.widerow.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/// Goal: the help of every command fits a terminal of 80 columns, its paragraphs are wrapped by
/// picocli and its examples can be copied. Method: all pages against a file, which `-Dwrite` writes
/// again; lines that are laid out by hand against the widths.
class HelpTest {
  private static final Path PAGES = Path.of("src/test/resources/io/widerow/cli/help.txt");
  private static final int COLUMNS = 80;
  private static final int EXAMPLE_COLUMNS = 76;

  private static final Shell NOWHERE =
      new Shell(
          new ByteArrayOutputStream(),
          new PrintStream(new ByteArrayOutputStream(), true, UTF_8),
          false,
          false,
          false,
          Map.of());

  private final List<String> findings = new ArrayList<>();

  private static Stream<String> names() {
    return CommandTable.rows().stream()
        .filter(row -> row.isCommand() || row.isSubcommand())
        .map(CommandTable.Row::name);
  }

  private static CommandLine line(String name) {
    CommandTable.Row row =
        CommandTable.rows().stream()
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow();
    boolean method = row.isSubcommand() && row.type().isEmpty();
    return method
        ? Objects.requireNonNull(
            Main.commandLine(NOWHERE, row.command()).getSubcommands().get(row.word()))
        : Main.commandLine(NOWHERE, name);
  }

  @Test
  void pagesAreAsTheFileHasThem() throws IOException {
    StringBuilder pages = new StringBuilder();
    for (String name : names().toList()) {
      pages.append("$ widerow ").append(name).append(" --help\n");
      pages.append(line(name).getUsageMessage()).append('\n');
    }
    if (Boolean.getBoolean("write")) {
      Path _ = Files.createDirectories(PAGES.getParent());
      Path _ = Files.writeString(PAGES, pages);
    }
    assertEquals(Files.readString(PAGES), pages.toString());
  }

  @Test
  void everyLineFits() {
    for (String name : names().toList()) {
      line(name)
          .getUsageMessage()
          .lines()
          .filter(text -> text.length() > COLUMNS || text.endsWith(" "))
          .forEach(text -> findings.add(name + ": " + text));
    }
    assertEquals("", String.join("\n", findings));
  }

  /// A paragraph is one string, which picocli wraps; a line that begins with a space is laid out by
  /// hand and must not be wrapped.
  @Test
  void paragraphsAreWholeAndExamplesAreShort() {
    for (String name : names().toList()) {
      UsageMessageSpec usage = line(name).getCommandSpec().usageMessage();
      for (String[] texts : List.of(usage.description(), usage.footer())) {
        for (String text : texts) {
          check(name, text.replace("%%", "%"));
        }
      }
      for (OptionSpec option : line(name).getCommandSpec().options()) {
        if (option.description().length > 1) {
          findings.add(name + ": not one paragraph: " + option.longestName());
        }
      }
    }
    assertEquals("", String.join("\n", findings));
  }

  private void check(String name, String text) {
    if (text.startsWith(" ")) {
      boolean example = text.matches(" +(widerow|--|journalctl|source) .*");
      if (text.length() > (example ? EXAMPLE_COLUMNS : COLUMNS)) {
        findings.add(name + ": too long: " + text);
      }
    } else if (!text.isEmpty() && !text.matches("(?s)[A-Z`a-z].*[.:]")) {
      findings.add(name + ": not a whole paragraph: " + text);
    }
  }
}
