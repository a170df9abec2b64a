package io.widerow.cli.ship;

import io.widerow.ingest.decode.TimeParser;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The acknowledged position of each file, and the batches in progress: the state for a later run.
/// As text, one line each, fields separated by a space:
///
/// ```
///   widerow-ship 1 CRC32C                      version; checksum of all bytes after this line
///   salt TEXT                                  what makes the keys of these batches their own
///   pattern TEXT                               one for each FILE that was given
///   file PATH NAME DEVICE INODE GENERATION FIRSTBYTES FIRST OFFSET TAIL TIME SIZE SEEN STATE
///   batch UNTIL NOW KEY                        of the file before; not acknowledged
///   end COUNT                                  lines between the first and this one
/// ```
///
/// `PATH`, `NAME`, `TEXT`: percent-encoded UTF-8; `NAME` is the path at which it was first.
/// `FIRST`: the first 32 hex digits of the SHA-256 of the first `FIRSTBYTES` bytes. `TAIL`: the
/// bytes before `OFFSET`, up to 64, in hex. `TIME`: that of the last record, nanoseconds since the
/// Unix epoch. `SEEN`: seconds since then when the file was last there. `STATE`: `live`, or `ended`
/// when the file was truncated after `OFFSET`. An empty field is `-`.
///
/// @param salt of the keys, not empty
/// @param patterns files and globs that were given to the runs so far
/// @param files the state of each file
record Checkpoint(String salt, List<String> patterns, List<Entry> files) {
  static final String NAME = "widerow-ship";
  static final int TAIL_BYTES_MAX = 64;

  private static final String VERSION = "1";
  private static final HexFormat HEX = HexFormat.of();
  private static final String NONE = "-";
  private static final int FILE_FIELDS = 13;
  private static final int BATCH_FIELDS = 4;

  Checkpoint {
    patterns = List.copyOf(patterns);
    files = List.copyOf(files);
  }

  /// A file.
  ///
  /// @param path where it was last
  /// @param name where it was first: what its records have as `file`
  /// @param generation how often it was truncated
  /// @param first the fingerprint of its first bytes
  /// @param offset bytes that were acknowledged
  /// @param tail the bytes before `offset`, in hex
  /// @param timeNanos time of the last record, [TimeParser#NONE] for none
  /// @param sizeBytes when it was last there
  /// @param seenSeconds when that was, since the Unix epoch
  /// @param ended whether it was truncated after `offset`
  /// @param underWay the batch that was sent and not acknowledged; null for none
  record Entry(
      String path,
      String name,
      FileIdentity identity,
      int generation,
      FileFingerprint first,
      long offset,
      String tail,
      long timeNanos,
      long sizeBytes,
      long seenSeconds,
      boolean ended,
      @Nullable UnderWay underWay) {}

  /// A batch.
  ///
  /// @param until where it ends in the file
  /// @param nowNanos the clock when it was made
  /// @param key its idempotency key
  record UnderWay(long until, long nowNanos, String key) {}

  /// The text is no checkpoint of this version.
  static final class Damaged extends Exception {
    private static final long serialVersionUID = 1L;

    /// Where, in bytes.
    final int offset;

    Damaged(int offset, String found) {
      super(found);
      this.offset = offset;
    }
  }

  byte[] encode() {
    StringBuilder rest = new StringBuilder();
    rest.append("salt ").append(text(salt)).append('\n');
    patterns.forEach(pattern -> rest.append("pattern ").append(text(pattern)).append('\n'));
    int lines = 1 + patterns.size();
    for (Entry file : files) {
      append(file, rest);
      lines += file.underWay == null ? 1 : 2;
    }
    rest.append("end ").append(lines).append('\n');
    byte[] bytes = rest.toString().getBytes(StandardCharsets.US_ASCII);
    String head = "%s %s %s\n".formatted(NAME, VERSION, checksum(bytes, 0));
    return (head + rest).getBytes(StandardCharsets.US_ASCII);
  }

  private static void append(Entry file, StringBuilder out) {
    out.append("file ").append(text(file.path)).append(' ').append(text(file.name));
    out.append(' ').append(file.identity.device()).append(' ').append(file.identity.inode());
    out.append(' ').append(file.generation).append(' ').append(file.first.bytes());
    out.append(' ').append(file.first.digest()).append(' ').append(file.offset);
    out.append(' ').append(file.tail.isEmpty() ? NONE : file.tail);
    out.append(' ')
        .append(file.timeNanos == TimeParser.NONE ? NONE : Long.toString(file.timeNanos));
    out.append(' ').append(file.sizeBytes).append(' ').append(file.seenSeconds);
    out.append(' ').append(file.ended ? "ended" : "live").append('\n');
    UnderWay batch = file.underWay;
    if (batch != null) {
      out.append("batch ").append(batch.until).append(' ').append(batch.nowNanos);
      out.append(' ').append(batch.key).append('\n');
    }
  }

  private static String text(String text) {
    if (text.equals(NONE)) {
      return "%2D";
    }
    return text.isEmpty() ? NONE : URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String checksum(byte[] bytes, int offset) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, bytes.length - offset);
    return "%08x".formatted(crc.getValue());
  }

  /// @throws Damaged when it is anything else than what [#encode] writes
  static Checkpoint decode(byte[] bytes) throws Damaged {
    String all = new String(bytes, StandardCharsets.ISO_8859_1);
    int at = all.indexOf('\n') + 1;
    String[] head = all.substring(0, Math.max(0, at - 1)).split(" ", -1);
    if (head.length != 3 || !head[0].equals(NAME)) {
      throw new Damaged(0, "no checkpoint of widerow ship");
    }
    if (!head[1].equals(VERSION)) {
      throw new Damaged(-1, "version " + head[1] + ", this program reads " + VERSION);
    }
    if (!checksum(bytes, at).equals(head[2])) {
      throw new Damaged(at, "the checksum is not " + head[2]);
    }
    Reader reader = new Reader(all, at);
    try {
      return reader.read();
    } catch (IllegalArgumentException bad) { // a number, hex digits, a percent escape
      throw new Damaged(reader.lineAt, "not readable: " + bad.getMessage());
    }
  }

  /// Reads the lines after the first.
  private static final class Reader {
    private final String all;
    private int at;
    private int lineAt;
    private String salt = "";
    private final List<String> patterns = new ArrayList<>();
    private final List<Entry> files = new ArrayList<>();

    Reader(String all, int at) {
      this.all = all;
      this.at = at;
    }

    Checkpoint read() throws Damaged {
      for (int lines = 0; ; lines++) {
        lineAt = at;
        int end = all.indexOf('\n', at);
        String[] fields = all.substring(at, Math.max(at, end)).split(" ", -1);
        at = end + 1;
        switch (fields[0] + fields.length) {
          case "salt2" -> salt = plain(fields[1]);
          case "pattern2" -> patterns.add(plain(fields[1]));
          case "file" + (FILE_FIELDS + 1) -> files.add(file(fields));
          case "batch" + BATCH_FIELDS -> underWay(fields);
          case "end2" -> {
            require(Integer.parseInt(fields[1]) == lines, "a number of lines");
            require(end == all.length() - 1 && !salt.isEmpty(), "the end");
            return new Checkpoint(salt, patterns, files);
          }
          default -> throw new Damaged(lineAt, "not a line of a checkpoint");
        }
      }
    }

    private static String plain(String field) {
      return field.equals(NONE) ? "" : URLDecoder.decode(field, StandardCharsets.UTF_8);
    }

    private void require(boolean right, String what) throws Damaged {
      if (!right) {
        throw new Damaged(lineAt, "not " + what + " that can be");
      }
    }

    private Entry file(String[] fields) throws Damaged {
      long offset = number(fields[8]);
      String tail = fields[9].equals(NONE) ? "" : fields[9];
      require(HEX.parseHex(tail).length <= Math.min(offset, TAIL_BYTES_MAX), "a tail");
      require(fields[13].equals("live") || fields[13].equals("ended"), "a state");
      return new Entry(
          plain(fields[1]),
          plain(fields[2]),
          new FileIdentity(Long.parseLong(fields[3]), Long.parseLong(fields[4])),
          Math.toIntExact(number(fields[5])),
          new FileFingerprint(Math.toIntExact(number(fields[6])), fields[7]),
          offset,
          tail,
          fields[10].equals(NONE) ? TimeParser.NONE : Long.parseLong(fields[10]),
          number(fields[11]),
          number(fields[12]),
          fields[13].equals("ended"),
          null);
    }

    private static long number(String field) {
      long number = Long.parseLong(field);
      if (number < 0 || number > Integer.MAX_VALUE * (1L << 31)) {
        throw new NumberFormatException("out of range: " + field);
      }
      return number;
    }

    private void underWay(String[] fields) throws Damaged {
      require(!files.isEmpty() && files.getLast().underWay == null, "a batch");
      Entry of = files.removeLast();
      UnderWay batch = new UnderWay(number(fields[1]), Long.parseLong(fields[2]), fields[3]);
      long bytes = batch.until - of.offset;
      require(bytes > 0 && bytes <= RecordFormat.BATCH_BYTES_MAX, "a range");
      require(fields[3].matches("[0-9a-f]{64}"), "a key");
      files.add(
          new Entry(
              of.path,
              of.name,
              of.identity,
              of.generation,
              of.first,
              of.offset,
              of.tail,
              of.timeNanos,
              of.sizeBytes,
              of.seenSeconds,
              of.ended,
              batch));
    }
  }
}
