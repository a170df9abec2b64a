package io.widerow.cli.export;

import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.export.ExportFormat;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.RemoteResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A directory of exported files, and how far it is. The record is a file of JSON lines, which only
/// grows; readers of directories ignore it, for its name begins with `_`:
///
/// ```
/// {"export":1,"format":"parquet","asked":"type=app&from=...","now":"2026-11-26T07:00:00Z"}
/// {"to":"2026-11-26T07:00:00.000000001Z"}
/// {"file":"events-00001.parquet","events":1204113,"bytes":256004711,"token":"w1..."}
/// {"whole":true}
/// ```
///
/// A file is recorded after it has its name. When the command is stopped between, the same file is
/// written again. The end of the range and the instant of relative times stay those of the first
/// run, so that all runs together export what one would have.
///
/// - Threads: one.
final class ExportDirectory {
  static final String RECORD = "_widerow-export.ndjson";

  private static final long VERSION = 1;
  private static final double MEGABYTE = 1e6;

  private final Path directory;
  private final ExportFormat format;
  private final Map<String, List<String>> asked;
  private @Nullable String until;
  private @Nullable String token;
  private int files;
  private long events;
  private long bytes;
  private boolean whole;

  private ExportDirectory(Path directory, ExportFormat format, Map<String, List<String>> asked) {
    this.directory = directory;
    this.format = format;
    this.asked = new LinkedHashMap<>(asked);
  }

  /// Begins a directory, or reads how far it is.
  ///
  /// @param asked parameters of the export
  /// @param now the time, RFC 3339
  /// @throws QueryException.Refused when the directory holds something else
  static ExportDirectory open(
      Path path, ExportFormat format, Map<String, List<String>> asked, String now)
      throws IOException {
    Files.createDirectories(path);
    ExportDirectory directory = new ExportDirectory(path, format, asked);
    Path record = path.resolve(RECORD);
    String text = Files.exists(record) ? Files.readString(record) : "";
    if (text.contains("\n")) {
      directory.read(record, text);
      return directory;
    }
    Files.deleteIfExists(record); // of a run that was stopped before it began
    try (Stream<Path> names = Files.list(path)) {
      if (names.findAny().isPresent()) {
        throw refused(path, "is not empty and holds no export; name another one");
      }
    }
    directory.asked.put("now", List.of(now));
    directory.append(
        "{\"export\":%d,\"format\":\"%s\",\"asked\":\"%s\",\"now\":\"%s\"}"
            .formatted(VERSION, format, RemoteResponse.encode(asked), now));
    return directory;
  }

  private static QueryException.Refused refused(Path path, String why) {
    return new QueryException.Refused("out", path + " " + why);
  }

  private void read(Path record, String text) throws IOException {
    int end = text.lastIndexOf('\n') + 1; // a last line without one was cut off
    List<String> lines = text.substring(0, end).lines().toList();
    try {
      Map<String, Object> head = JsonLine.parse(lines.getFirst());
      requireSame(head);
      asked.put("now", List.of(String.valueOf(head.get("now"))));
      for (String line : lines.subList(1, lines.size())) {
        apply(JsonLine.parse(line));
      }
    } catch (QueryException.Remote damaged) {
      throw refused(directory, "has a damaged record, " + RECORD + "; export to another one");
    }
    if (end < text.length()) {
      try (FileChannel channel = FileChannel.open(record, StandardOpenOption.WRITE)) {
        channel.truncate(text.substring(0, end).getBytes(StandardCharsets.UTF_8).length);
      }
    }
  }

  private void requireSame(Map<String, Object> head) {
    if (!Long.valueOf(VERSION).equals(head.get("export"))) {
      throw refused(directory, "holds an export of another version of widerow");
    }
    String there = "format=%s&%s".formatted(head.get("format"), head.get("asked"));
    String wanted = "format=%s&%s".formatted(format, RemoteResponse.encode(asked));
    if (!there.equals(wanted)) {
      throw refused(
          directory,
          "holds another export: %s, and this one is %s; name another directory"
              .formatted(there, wanted));
    }
  }

  private void apply(Map<String, Object> line) throws IOException {
    if (line.get("to") instanceof String end) {
      until = end;
    } else if (line.get("file") instanceof String name
        && line.get("events") instanceof Long more
        && line.get("bytes") instanceof Long size) {
      Path file = directory.resolve(name);
      if (!Files.exists(file) || Files.size(file) != size) {
        throw refused(
            directory, "has %s no more as it was written; export to another one".formatted(name));
      }
      count(more, size, line.get("token") instanceof String position ? position : null);
    } else if (Boolean.TRUE.equals(line.get("whole"))) {
      whole = true;
    }
  }

  private void count(long more, long size, @Nullable String position) {
    files++;
    events += more;
    bytes += size;
    token = position == null ? token : position;
  }

  /// Parameters for the rest of the export.
  Map<String, List<String>> asked() {
    Map<String, List<String>> rest = new LinkedHashMap<>(asked);
    String end = until;
    String position = token;
    if (end != null) {
      rest.put("to", List.of(end));
    }
    if (position != null) {
      rest.put("after", List.of(position));
    }
    return rest;
  }

  /// Records the end of the range, unless an earlier run has.
  void begin(String end) throws IOException {
    if (until == null) {
      until = end;
      append("{\"to\":\"" + end + "\"}");
    }
  }

  /// The next file to be written.
  Path next() {
    return directory.resolve(String.format(Locale.ROOT, "events-%05d.%s", files + 1, format));
  }

  /// Records that [#next] is whole.
  void add(long more, long size, @Nullable Token position) throws IOException {
    String end = position == null ? "" : ",\"token\":\"" + position + "\"";
    append(
        "{\"file\":\"%s\",\"events\":%d,\"bytes\":%d%s}"
            .formatted(next().getFileName(), more, size, end));
    count(more, size, position == null ? null : position.toString());
  }

  /// Records that all files are whole.
  void end() throws IOException {
    append("{\"whole\":true}");
    whole = true;
  }

  private void append(String line) throws IOException {
    OutputBuffer out = new OutputBuffer(1 << 8);
    out.put(line + "\n");
    try (FileChannel channel =
        FileChannel.open(
            directory.resolve(RECORD), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      ByteBuffer left = ByteBuffer.wrap(out.bytes(), 0, out.length());
      while (left.hasRemaining()) {
        channel.write(left);
      }
      channel.force(true);
    }
    PartFile.force(directory);
  }

  boolean isWhole() {
    return whole;
  }

  int files() {
    return files;
  }

  /// Such as `12 files, 9,120,004 events, 2,048.1 MB`.
  String summary() {
    return String.format(
        Locale.ROOT, "%d files, %,d events, %,.1f MB", files, events, bytes / MEGABYTE);
  }
}
