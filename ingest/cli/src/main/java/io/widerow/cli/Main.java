package io.widerow.cli;

import io.widerow.cli.CommandTable.Row;
import io.widerow.event.NearestName;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/// The entry of the process: `Main NAME ARGUMENT...` runs a command of [CommandTable].
///
/// It loads only the class of that command, by name, because a query starts with few jars.
public final class Main {
  private static final String DAEMON = "daemon";
  private static final OptionalInt NOT_PLAIN = OptionalInt.empty();

  private Main() {}

  /// Runs a command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(execute(Shell.ofProcess(), arguments));
  }

  /// Runs a command and returns its exit code.
  public static int execute(Shell shell, String... arguments) {
    List<Row> rows = CommandTable.rows();
    List<String> words = new ArrayList<>(Arrays.asList(arguments));
    String first = words.isEmpty() ? "" : words.getFirst();
    for (Row row : rows) {
      if (!first.isEmpty() && row.also().equals(first)) {
        words.removeFirst();
        words.addAll(0, List.of(row.name().split(" ", -1)));
      }
    }
    Row row = words.size() < 2 ? null : subcommand(rows, words.get(0) + " " + words.get(1));
    int named = row == null ? 1 : 2;
    row = row == null && !words.isEmpty() ? CommandTable.named(rows, words.getFirst()) : row;
    if (row == null) {
      List<String> names = rows.stream().map(Row::name).toList();
      shell
          .err()
          .printf(
              "widerow: there is no command '%s'%s `widerow --help` lists all%n",
              first, NearestName.question(first, names, ";"));
      return ExitCode.USAGE.number;
    }
    List<String> rest = words.subList(named, words.size());
    OptionalInt plain = row.kind().equals(DAEMON) ? startPlainly(row, shell, rest) : NOT_PLAIN;
    return plain.isPresent()
        ? plain.getAsInt()
        : commandLine(rows, row, shell).execute(rest.toArray(String[]::new));
  }

  private static OptionalInt startPlainly(Row row, Shell shell, List<String> arguments) {
    try {
      return instance(row.type(), shell) instanceof PlainStart command
          ? command.start(arguments)
          : NOT_PLAIN;
    } catch (RuntimeException failure) {
      ExitCode code = ExitCode.of(failure);
      if (code == ExitCode.BUG) {
        Logger.getLogger("widerow").log(Level.SEVERE, "widerow " + row.name() + " failed", failure);
      } else {
        shell.err().printf("widerow %s: %s%n", row.name(), CommandLines.sentence(failure));
      }
      return OptionalInt.of(code.number);
    }
  }

  private static @Nullable Row subcommand(List<Row> rows, String name) {
    Row row = CommandTable.named(rows, name);
    return row == null || row.type().isEmpty() ? null : row;
  }

  /// A command with its sub-commands and its error handling, or one sub-command alone, so that no
  /// other class need be loaded.
  ///
  /// @param name a command of the table, or a sub-command that has its own class
  public static CommandLine commandLine(Shell shell, String name) {
    List<Row> rows = CommandTable.rows();
    Row row = CommandTable.named(rows, name);
    if (row == null || (row.type().isEmpty() && !row.isCommand())) {
      throw new IllegalArgumentException("name: no such command, got " + name);
    }
    return commandLine(rows, row, shell);
  }

  /// The same for a command that was not made by its constructor for a shell.
  ///
  /// @param command an instance of a class of the table
  public static CommandLine of(Object command, Shell shell) {
    List<Row> rows = CommandTable.rows();
    for (Row row : rows) {
      if (row.type().equals(command.getClass().getName())) {
        return commandLine(
            rows, row, shell, type -> type.equals(row.type()) ? command : instance(type, shell));
      }
    }
    throw new IllegalArgumentException("command: not in the table, got " + command);
  }

  private static CommandLine commandLine(List<Row> rows, Row row, Shell shell) {
    return commandLine(rows, row, shell, each -> instance(each, shell));
  }

  private static CommandLine commandLine(
      List<Row> rows, Row row, Shell shell, Function<String, Object> instances) {
    CommandLine line = line(row, instances);
    for (Row below : rows) {
      if (isBelow(row, below)) {
        add(line, below, instances);
      }
    }
    if (row.type().isEmpty()) {
      line.getCommandSpec().usageMessage().footer(examples(rows, row));
    }
    line.getCommandSpec().name(row.name());
    CommandLines.adapt(line, shell, !row.kind().equals(DAEMON));
    return line;
  }

  /// The examples of a group, which has no class to give them.
  private static String[] examples(List<Row> rows, Row group) {
    List<String> lines = new ArrayList<>(List.of("Examples:"));
    for (Row row : rows) {
      if (isBelow(group, row)) {
        lines.add("  widerow " + row.example());
      }
    }
    return lines.toArray(String[]::new);
  }

  private static boolean isBelow(Row command, Row row) {
    return row.isSubcommand() && row.command().equals(command.name());
  }

  private static CommandLine line(Row row, Function<String, Object> instances) {
    CommandLine line =
        row.type().isEmpty()
            ? new CommandLine(CommandSpec.create())
            : new CommandLine(instances.apply(row.type()));
    CommandLines.describe(line.getCommandSpec(), row);
    return line;
  }

  /// Methods of a class come in no order of their own: each is added again at its place.
  private static void add(CommandLine command, Row row, Function<String, Object> instances) {
    CommandSpec spec = command.getCommandSpec();
    if (row.type().isEmpty()) {
      CommandLine method = spec.removeSubcommand(row.word());
      CommandLines.describe(method.getCommandSpec(), row);
      spec.addSubcommand(row.word(), method);
    } else {
      spec.addSubcommand(row.word(), line(row, instances));
    }
  }

  private static Object instance(String type, Shell shell) {
    try {
      return Class.forName(type).getConstructor(Shell.class).newInstance(shell);
    } catch (InvocationTargetException failed) {
      throw new IllegalStateException(type, failed.getCause());
    } catch (ReflectiveOperationException missing) {
      throw new IllegalStateException(type, missing);
    }
  }
}
