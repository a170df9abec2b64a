package io.widerow.cli.export;

import io.widerow.cli.EventBar;
import io.widerow.cli.Shell;
import io.widerow.cli.ShownTimes;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.export.ExportFormat;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.EventCursor;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One run of `widerow export`.
///
/// - Threads: one.
/// - Memory: that of the cursor and the writer, and one piece of the file.
final class ExportRun {
  private static final int PIECE_BYTES = 1 << 18;
  private static final double MEGABYTE = 1e6;

  private final ExportCommand options;
  private final ExportFormat format;
  private final Shell shell;
  private final EventBar bar;
  private final OutputBuffer out = new OutputBuffer(2 * PIECE_BYTES);
  private final long startNanos = System.nanoTime();
  private long events;
  private long bytes;

  // Of the last event; valid when there was one.
  private long idTime;
  private long idTail;
  private String type = "";

  ExportRun(ExportCommand options, ExportFormat format, Shell shell) {
    this.options = options;
    this.format = format;
    this.shell = shell;
    this.bar = new EventBar(shell.err(), shell.errToTerminal(), System::nanoTime);
  }

  /// Takes the bytes of a file.
  @FunctionalInterface
  private interface Sink {
    /// Writes the buffer's bytes and clears it.
    ///
    /// @return false when the output is closed
    boolean write(OutputBuffer out) throws IOException;
  }

  private static String now() {
    return Instant.EPOCH.plusNanos(ShownTimes.nowNanos()).toString();
  }

  private Map<String, List<String>> asked() {
    Map<String, List<String>> asked = options.parameters();
    asked.put("now", List.of(now()));
    return asked;
  }

  void toStandardOutput() throws IOException {
    try (ExportSource source = ExportSource.open(options, asked(), shell)) {
      bar.begin("exporting", source.expected());
      file(source.cursor(), Long.MAX_VALUE, shell::write);
    } catch (QueryException | StorageException failed) {
      bar.end();
      if (format != ExportFormat.parquet && shell.write(out)) { // lines that came before
        tell("continue");
      }
      throw failed;
    }
    bar.end();
    tell("later events");
  }

  void toFile(Path path) throws IOException {
    try (ExportSource source = ExportSource.open(options, asked(), shell);
        PartFile part = new PartFile(path)) {
      bar.begin("exporting", source.expected());
      file(source.cursor(), Long.MAX_VALUE, part::write);
      part.finish();
    } finally {
      bar.end();
    }
    tell("later events");
  }

  private void tell(String next) {
    Token position = position();
    double seconds = Math.max(1e-9, (System.nanoTime() - startNanos) / 1e9);
    shell
        .err()
        .println(
            String.format(
                Locale.ROOT,
                "widerow export: %,d events, %,.1f MB in %.1f s%s",
                events,
                bytes / MEGABYTE,
                seconds,
                position == null ? "" : "; %s: --after %s".formatted(next, position)));
  }

  /// The last event's; null when there was none.
  private @Nullable Token position() {
    return events == 0 ? null : new Token(new EventId(idTime, idTail), type);
  }

  /// @param fileBytes a new file begins after so many
  void toDirectory(Path path, long fileBytes) throws IOException {
    ExportDirectory directory = ExportDirectory.open(path, format, options.parameters(), now());
    if (directory.isWhole()) {
      shell.err().printf("widerow export: %s is whole already: %s%n", path, directory.summary());
      return;
    }
    if (directory.files() > 0) {
      shell.err().printf("widerow export: %s has %s; continuing%n", path, directory.summary());
    }
    try (ExportSource source = ExportSource.open(options, directory.asked(), shell)) {
      directory.begin(source.until());
      bar.begin("exporting", source.expected());
      boolean more = true;
      while (more) {
        try (PartFile part = new PartFile(directory.next())) {
          long before = events;
          more = file(source.cursor(), fileBytes, part::write);
          if (events > before || directory.files() == 0) { // an export without events is a file too
            part.finish();
            directory.add(events - before, part.bytes(), position());
          }
        }
      }
      directory.end();
    } finally {
      bar.end();
    }
    shell.err().printf("widerow export: %s: %s%n", path, directory.summary());
  }

  /// Writes one file.
  ///
  /// @return false when there are no more events, or the output is closed
  private boolean file(EventCursor cursor, long most, Sink sink) throws IOException {
    long fileBytes = 0;
    try (EventWriter writer = format.writer()) {
      writer.begin(out);
      while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
        write(cursor.event(), writer);
        if (out.length() >= PIECE_BYTES) {
          fileBytes += out.length();
          if (!sink.write(out)) {
            return false;
          }
          if (fileBytes >= most) {
            end(writer, sink);
            return true;
          }
        }
      }
      end(writer, sink);
      return false;
    }
  }

  private void write(EventView event, EventWriter writer) {
    int before = out.length();
    writer.event(event, out);
    events++;
    bytes += out.length() - before;
    idTime = event.idTime();
    idTail = event.idTail();
    type = event.type();
    bar.moved(1, out.length() - before);
  }

  private void end(EventWriter writer, Sink sink) throws IOException {
    int before = out.length();
    if (format == ExportFormat.parquet) { // a line with a token would be no event
      writer.end(position(), out);
    }
    bytes += out.length() - before;
    sink.write(out);
  }
}
