package io.widerow.ingest.receive.prometheus;

import io.widerow.ingest.series.MetricDescription;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.zip.CRC32C;

/// The file of the descriptions of metrics, in the directory of the data. It is text, one line
/// each, fields separated by a space:
///
/// ```
///   widerow-prometheus-metadata 1 CRC32C      version; checksum of all bytes after this line
///   NAME TYPE HELP UNIT                       a description; those of one metric oldest first
///   end COUNT                                 of descriptions
/// ```
///
/// `NAME`, `HELP`, `UNIT`: percent-encoded UTF-8; an empty field is `-`. The file is replaced as a
/// whole: a new file is written next to it, forced and renamed, and the directory is forced.
///
/// - Threads: one at a time.
final class MetadataFile {
  static final String NAME = "prometheus-metadata";

  private static final Logger LOG = Logger.getLogger("widerow");
  private static final String MAGIC = "widerow-prometheus-metadata";
  private static final String VERSION = "1";
  private static final String NONE = "-";
  private static final int FIELDS = 4;

  private final Path directory;
  private final Path file;

  /// @param directory which exists when anything is written
  MetadataFile(Path directory) {
    this.directory = directory;
    this.file = directory.resolve(NAME);
  }

  /// Reads the file, if there is one. A file that is damaged, or of another version, is moved aside
  /// and logged, because senders repeat its descriptions.
  ///
  /// @param taking receives each description
  void read(BiConsumer<String, MetricDescription> taking) {
    if (!Files.exists(file)) {
      return;
    }
    try {
      String wrong = decode(Files.readAllBytes(file), taking);
      if (!wrong.isEmpty()) {
        Path aside = directory.resolve(NAME + ".unread");
        Path _ = Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
        LOG.log(
            Level.WARNING,
            "{0}: {1}; moved to {2}. Prometheus sends the descriptions of metrics again",
            new Object[] {file, wrong, aside});
      }
    } catch (IOException unreadable) {
      LOG.log(
          Level.WARNING, "cannot read " + file + ": " + FailureReason.of(unreadable), unreadable);
    }
  }

  /// Replaces the file. When this returns, a crash of the machine keeps the new one; when it
  /// throws, the old one or the new one is there.
  void write(Map<String, List<MetricDescription>> metrics) throws IOException {
    Path temporary = directory.resolve(NAME + ".tmp");
    boolean _ = Files.deleteIfExists(temporary);
    EnumSet<PosixFilePermission> own =
        EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(own))) {
      ByteBuffer bytes = ByteBuffer.wrap(encode(metrics));
      while (bytes.hasRemaining()) {
        int _ = channel.write(bytes);
      }
      channel.force(true);
    }
    Path _ = Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  static byte[] encode(Map<String, List<MetricDescription>> metrics) {
    StringBuilder lines = new StringBuilder();
    int count = 0;
    for (Map.Entry<String, List<MetricDescription>> metric : metrics.entrySet()) {
      for (MetricDescription each : metric.getValue()) {
        lines.append(text(metric.getKey())).append(' ').append(name(each.type()));
        lines.append(' ').append(text(each.help())).append(' ').append(text(each.unit()));
        lines.append('\n');
        count++;
      }
    }
    byte[] rest =
        lines
            .append("end ")
            .append(count)
            .append('\n')
            .toString()
            .getBytes(StandardCharsets.US_ASCII);
    byte[] head =
        "%s %s %s\n"
            .formatted(MAGIC, VERSION, checksum(rest, 0))
            .getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(head.length + rest.length).put(head).put(rest).array();
  }

  /// The name of a type as Prometheus has it.
  static String name(MetricDescription.Type type) {
    return type.name().toLowerCase(Locale.ROOT);
  }

  private static String text(String text) {
    if (text.equals(NONE)) {
      return "%2D";
    }
    return text.isEmpty() ? NONE : URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String plain(String field) {
    return field.equals(NONE) ? "" : URLDecoder.decode(field, StandardCharsets.UTF_8);
  }

  private static String checksum(byte[] bytes, int offset) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, bytes.length - offset);
    return "%08x".formatted(crc.getValue());
  }

  /// Reads the bytes of a file.
  ///
  /// @return why they are refused; empty when all were read
  static String decode(byte[] bytes, BiConsumer<String, MetricDescription> taking) {
    String all = new String(bytes, StandardCharsets.ISO_8859_1);
    int at = all.indexOf('\n') + 1;
    String[] head = all.substring(0, Math.max(0, at - 1)).split(" ", -1);
    if (head.length != 3 || !head[0].equals(MAGIC)) {
      return "no " + MAGIC;
    }
    if (!head[1].equals(VERSION)) {
      return "version " + head[1] + ", this program reads " + VERSION;
    }
    if (!checksum(bytes, at).equals(head[2])) {
      return "its checksum is not " + head[2];
    }
    int count = 0;
    try {
      for (int end = all.indexOf('\n', at); end > 0; at = end + 1, end = all.indexOf('\n', at)) {
        String line = all.substring(at, end);
        if (line.equals("end " + count) && end == all.length() - 1) {
          return "";
        }
        String[] fields = line.split(" ", -1);
        if (fields.length != FIELDS) {
          break;
        }
        MetricDescription.Type type =
            MetricDescription.Type.valueOf(fields[1].toUpperCase(Locale.ROOT));
        taking.accept(
            plain(fields[0]), new MetricDescription(type, plain(fields[2]), plain(fields[3])));
        count++;
      }
    } catch (IllegalArgumentException bad) { // a type, a percent escape
      return "not readable at byte %d: %s".formatted(at, bad.getMessage());
    }
    return "differs from the written form at byte " + at;
  }
}
