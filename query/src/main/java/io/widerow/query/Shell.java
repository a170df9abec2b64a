package io.widerow.query;

import io.widerow.event.AttributeName;
import io.widerow.storage.StorageException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What surrounds a command: where its answer and its messages go, whether people look at them, and
/// the environment.
///
/// @param out takes the answer; not buffered
/// @param outToTerminal the answer is shown on a terminal
/// @param errToTerminal messages are shown on a terminal
/// @param unicode what shows the answer knows more than ASCII
/// @param environment `WIDEROW_TOKEN`, the bearer token for a daemon; `NO_COLOR`
public record Shell(
    OutputStream out,
    PrintStream err,
    boolean outToTerminal,
    boolean errToTerminal,
    boolean unicode,
    Map<String, String> environment) {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final String READER_GONE = "Broken pipe"; // what the system calls it

  public Shell {
    environment = Map.copyOf(environment);
  }

  /// That of this process.
  public static Shell ofProcess() {
    return new Shell(
        new FileOutputStream(FileDescriptor.out),
        System.err,
        isTerminal("1"),
        isTerminal("2"),
        System.out.charset().name().startsWith("UTF"),
        System.getenv());
  }

  /// Asks the system which file a descriptor is; where it cannot say, the JDK, which knows it of
  /// input and output together only.
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

  /// Writes what there is, and clears it. False when the reader of a pipe has gone, as `head` does:
  /// no failure, but the end.
  boolean write(ByteSink sink) {
    try {
      out.write(sink.bytes(), 0, sink.length());
      out.flush();
      return true;
    } catch (IOException failed) {
      if (String.valueOf(failed.getMessage()).contains(READER_GONE)) {
        return false;
      }
      throw new StorageException.Failed("cannot write the answer: " + failed.getMessage(), failed);
    } finally {
      sink.clear();
    }
  }

  /// The writer of a format; null for the table on a terminal, else JSON lines.
  EventWriter writer(
      @Nullable OutputFormat asked, ZoneId zone, @Nullable List<AttributeName> fields) {
    return switch (format(asked)) {
      case json -> new JsonLinesWriter(zone, fields);
      case csv -> new CsvWriter(zone, fields);
      case table -> new TextWriter(TextWriter.Style.TABLE, zone, fields, outToTerminal, colour());
      case raw -> new TextWriter(TextWriter.Style.RAW, zone, fields, outToTerminal, false);
      case logfmt -> new TextWriter(TextWriter.Style.LOGFMT, zone, fields, outToTerminal, false);
    };
  }

  OutputFormat format(@Nullable OutputFormat asked) {
    if (asked != null) {
      return asked;
    }
    return outToTerminal ? OutputFormat.table : OutputFormat.json;
  }

  private boolean colour() {
    return outToTerminal && environment.getOrDefault("NO_COLOR", "").isEmpty();
  }
}
