package io.widerow.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The table of commands, `commands.psv`, which the launcher reads as well.
public final class CommandTable {
  private static final String RESOURCE = "commands.psv";
  private static final int COLUMNS = 6;

  private CommandTable() {}

  /// A command or sub-command.
  ///
  /// @param name one word, or two for a sub-command
  /// @param type the name of its class; empty for a command that only has sub-commands, for a
  ///   sub-command that is a method of its command's class, and for an option of a command
  /// @param kind `client`, `tool` or `daemon`: the class path and the JVM options of the launcher;
  ///   a `daemon` checks its environment with its configuration
  /// @param also an earlier name, which still runs it; may be empty
  public record Row(
      String name, String type, String kind, String summary, String example, String also) {
    /// The command that has this one, or this one itself.
    public String command() {
      return name.split(" ", -1)[0];
    }

    /// The last word of the name.
    public String word() {
      return name.substring(name.lastIndexOf(' ') + 1);
    }

    /// True for a command of the list.
    public boolean isCommand() {
      return name.equals(word());
    }

    /// True for a sub-command; otherwise a second word is an option.
    public boolean isSubcommand() {
      return !isCommand() && !word().startsWith("-");
    }
  }

  /// All rows, in the order of the list.
  public static List<Row> rows() {
    try (InputStream in = CommandTable.class.getResourceAsStream(RESOURCE)) {
      byte[] table = Objects.requireNonNull(in, RESOURCE).readAllBytes();
      return rows(new String(table, StandardCharsets.UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(RESOURCE, unreadable);
    }
  }

  /// @throws IllegalStateException when a row does not have six columns
  static List<Row> rows(String table) {
    List<Row> rows = new ArrayList<>();
    for (String line : table.split("\n", -1)) {
      if (line.startsWith("#") || line.indexOf('|') < 0) {
        continue; // a comment, or the beginning of a group of the list
      }
      String[] row = line.split("\\|", -1);
      if (row.length != COLUMNS) {
        throw new IllegalStateException(
            "%s: a row has %d columns, got %d: %s".formatted(RESOURCE, COLUMNS, row.length, line));
      }
      rows.add(new Row(row[0], row[1], row[2], row[3], row[4], row[5]));
    }
    return rows;
  }

  /// The row of this name.
  static @Nullable Row named(List<Row> rows, String name) {
    for (Row row : rows) {
      if (row.name().equals(name)) {
        return row;
      }
    }
    return null;
  }
}
