package io.widerow.cli;

import io.widerow.event.AttributeName;
import io.widerow.query.output.CsvWriter;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.StorageException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The environment of a command: its output streams, whether they are terminals, and its
/// environment variables.
///
/// @param out takes the result; unbuffered
/// @param err takes messages
/// @param outToTerminal true when `out` is a terminal
/// @param errToTerminal true when `err` is a terminal
/// @param unicode true when the output can show more than ASCII
/// @param environment variables; commands read `WIDEROW_TOKEN`, the bearer token for a daemon and
///   `NO_COLOR`
public record Shell(
    OutputStream out,
    PrintStream err,
    boolean outToTerminal,
    boolean errToTerminal,
    boolean unicode,
    Map<String, String> environment) {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final String READER_GONE = "Broken pipe"; // as the operating system calls it

  public Shell {
    environment = Map.copyOf(environment);
  }

  /// The shell of this process.
  public static Shell ofProcess() {
    return new Shell(
        new FileOutputStream(FileDescriptor.out),
        System.err,
        isTerminal("1"),
        isTerminal("2"),
        System.out.charset().name().startsWith("UTF"),
        System.getenv());
  }

  /// A writer of results, which flushes each line.
  public PrintWriter outWriter() {
    return new PrintWriter(out, true, StandardCharsets.UTF_8);
  }

  /// A writer of messages, which flushes each line.
  public PrintWriter errWriter() {
    return new PrintWriter(err, true, StandardCharsets.UTF_8);
  }

  /// True when the standard input is a terminal.
  public static boolean isInputTyped() {
    return isTerminal("0");
  }

  /// Asks the operating system which file a descriptor is. Where that fails, asks the JDK, which
  /// knows it only for input and output together.
  @SuppressWarnings("SystemConsoleNull") // it is null again with the default console of JDK 25
  private static boolean isTerminal(String descriptor) {
    try {
      String file = Files.readSymbolicLink(DESCRIPTORS.resolve(descriptor)).toString();
      return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException unknown) {
      var console = System.console();
      return console != null && console.isTerminal();
    }
  }

  /// Writes the sink's bytes and clears it. False when the reader of a pipe has gone, as with `|
  /// head`; that ends the output and is no failure.
  public boolean write(OutputBuffer sink) {
    try {
      out.write(sink.bytes(), 0, sink.length());
      out.flush();
      return true;
    } catch (IOException failed) {
      if (String.valueOf(failed.getMessage()).contains(READER_GONE)) {
        return false;
      }
      throw new StorageException.Failed("cannot write the output: " + failed.getMessage(), failed);
    } finally {
      sink.clear();
    }
  }

  /// @param csvSafe whether CSV guards formulas
  EventWriter writer(
      OutputFormat format, boolean csvSafe, ZoneId zone, @Nullable List<AttributeName> fields) {
    return switch (format) {
      case json -> new JsonLinesWriter(zone, fields);
      case csv -> new CsvWriter(zone, fields, csvSafe);
      case table -> new TextWriter(TextWriter.Style.TABLE, zone, fields, outToTerminal, colour());
      case raw -> new TextWriter(TextWriter.Style.RAW, zone, fields, outToTerminal, false);
      case logfmt -> new TextWriter(TextWriter.Style.LOGFMT, zone, fields, outToTerminal, false);
    };
  }

  /// The format asked for; without one, a table on a terminal and JSON lines elsewhere.
  public OutputFormat format(@Nullable OutputFormat asked) {
    if (asked != null) {
      return asked;
    }
    return outToTerminal ? OutputFormat.table : OutputFormat.json;
  }

  private boolean colour() {
    return outToTerminal && environment.getOrDefault("NO_COLOR", "").isEmpty();
  }
}
