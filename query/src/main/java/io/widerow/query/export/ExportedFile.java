package io.widerow.query.export;

import io.widerow.query.QueryException;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.parquet.ParquetFile;
import io.widerow.storage.StorageException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// The events of a file that an export wrote, each as a line of exact NDJSON.
///
/// - Threads: one.
/// - Memory: one event; of Parquet, a row group.
public abstract class ExportedFile implements AutoCloseable {
  private static final int HEAD_BYTES = 64;
  private static final String CSV_HEAD = "id,ts,";

  /// The result of [#next].
  public enum Found {
    /// An event, whose line was put.
    EVENT,
    /// Something that is no event, see [#reason].
    BAD,
    /// The end of the file.
    END
  }

  private long number;
  private String reason = "";

  /// Opens a Parquet file. Anything else is read as a stream.
  ///
  /// @throws QueryException.Refused when another program made it
  /// @throws StorageException.Corrupt when it was cut or damaged
  public static ExportedFile parquet(Path path) throws IOException {
    return new ExportedParquet(ParquetFile.open(path));
  }

  /// Opens NDJSON or CSV, by what it begins with.
  ///
  /// @param name of the file, for messages
  /// @param in closed by the file; it supports marks
  /// @throws QueryException.Refused when it is neither, or another program's
  public static ExportedFile text(String name, BufferedInputStream in) throws IOException {
    in.mark(HEAD_BYTES);
    byte[] first = in.readNBytes(HEAD_BYTES);
    in.reset();
    String head = new String(first, StandardCharsets.ISO_8859_1);
    if (first.length == 0 || head.startsWith("{")) {
      return new ExportedLines(name, in);
    }
    if (head.startsWith(CSV_HEAD)) {
      return new ExportedCsv(name, in);
    }
    throw refused(name, "it is neither Parquet nor CSV nor JSON lines of an export");
  }

  static QueryException.Refused refused(String name, String why) {
    return new QueryException.Refused("file", name + " is no export of widerow: " + why);
  }

  /// Puts the line of the next event.
  ///
  /// @throws StorageException.Corrupt when the file is damaged there
  public final Found next(OutputBuffer out) throws IOException {
    number++;
    return read(out);
  }

  abstract Found read(OutputBuffer out) throws IOException;

  /// Describes the last line, which is not an event.
  final Found bad(String why) {
    reason = why;
    return Found.BAD;
  }

  /// The number of the line where the last one begins; of Parquet, of the row.
  public long number() {
    return number;
  }

  final void number(long line) {
    number = line;
  }

  /// Why the last one is no event.
  public final String reason() {
    return reason;
  }

  /// The number of events; 0 when it is unknown before the end.
  public long events() {
    return 0;
  }

  /// `line` or `row`.
  public String unit() {
    return "line";
  }

  @Override
  public abstract void close() throws IOException;

  /// The events of a Parquet file.
  private static final class ExportedParquet extends ExportedFile {
    private final ParquetFile file;
    private final JsonLinesWriter writer = JsonLinesWriter.exact();

    ExportedParquet(ParquetFile file) {
      this.file = file;
    }

    @Override
    Found read(OutputBuffer out) throws IOException {
      var event = file.next();
      if (event == null) {
        return Found.END;
      }
      writer.event(event, out);
      return Found.EVENT;
    }

    @Override
    public long events() {
      return file.events();
    }

    @Override
    public String unit() {
      return "row";
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
