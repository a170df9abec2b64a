package io.widerow.ingest.receive.prometheus;

import io.widerow.event.EventLayout;
import io.widerow.event.Utf8;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.decode.ProtobufReader.Bad;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.series.MetricDescription;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The descriptions of metrics in one request that the table does not know yet. A known one costs a
/// hash: version 2.0 sends one with each series. Bytes that are not UTF-8 are replaced in help and
/// unit, and long ones are cut.
///
/// - Threads: one.
final class Descriptions {
  static final int FIELD = 3; // of a request of version 1.0
  static final int HELP_BYTES_MAX = 4 << 10;
  private static final int UNIT_BYTES_MAX = EventLayout.TYPE_BYTES_MAX;
  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;

  /// The suffixes that version 2.0 adds to the name of a metric in the names of its series.
  private static final List<String> OF_HISTOGRAMS =
      List.of("_bucket", "_count", "_sum", "_gcount", "_gsum");

  private static final List<String> OF_SUMMARIES = List.of("_count", "_sum");

  private final MetadataTable table;
  private final Map<Long, MetadataTable.Named> unknown = new LinkedHashMap<>();
  private byte[] body = {};

  // Where the texts of the next description lie.
  private int nameOffset;
  private int nameBytes;
  private int helpOffset;
  private int helpBytes;
  private int unitOffset;
  private int unitBytes;

  Descriptions(MetadataTable table) {
    this.table = table;
  }

  /// Starts a request.
  ///
  /// @param newBody with [Swar#SLACK_BYTES] readable bytes after its texts
  void begin(byte[] newBody) {
    body = newBody;
    unknown.clear();
    clear();
  }

  /// Reads the description of version 1.0 that the reader has entered.
  ///
  /// @throws Bad when it is none
  void read(ProtobufReader reader) throws Bad {
    int at = reader.at();
    clear();
    long type = 0;
    while (reader.next()) {
      switch (reader.field()) {
        case 1 -> type = reader.varint();
        case 2 -> {
          reader.text();
          name(reader.offset(), reader.length());
        }
        case 4 -> {
          reader.text();
          help(reader.offset(), reader.length());
        }
        case 5 -> {
          reader.text();
          unit(reader.offset(), reader.length());
        }
        default -> reader.skip();
      }
    }
    String wrong = end(type, false);
    if (!wrong.isEmpty()) {
      throw new Bad("field %d: %s, at byte %d".formatted(FIELD, wrong, at));
    }
  }

  /// Reads the description of a metric in a series of version 2.0. Of one with a bad name nothing
  /// is stored, so that it does not matter here. What cannot be read describes nothing: its samples
  /// are good all the same.
  ///
  /// @param name where the name of the series lies
  void readIfGood(ProtobufReader reader, Symbols symbols, int seriesAt, int name, int length) {
    try {
      read(reader, symbols, seriesAt, name, length);
    } catch (Bad bad) {
      clear();
    }
  }

  private void read(ProtobufReader reader, Symbols symbols, int seriesAt, int name, int length)
      throws Bad {
    clear();
    name(name, length);
    long type = 0;
    while (reader.next()) {
      switch (reader.field()) {
        case 1 -> type = reader.varint();
        case 3 -> {
          long text = symbols.spot(reader.varint(), seriesAt);
          help(Symbols.offset(text), Symbols.length(text));
        }
        case 4 -> {
          long text = symbols.spot(reader.varint(), seriesAt);
          unit(Symbols.offset(text), Symbols.length(text));
        }
        default -> reader.skip();
      }
    }
    String _ = end(type, true);
  }

  /// Starts a description.
  void clear() {
    nameBytes = 0;
    helpBytes = 0;
    unitBytes = 0;
  }

  void name(int offset, int length) {
    nameOffset = offset;
    nameBytes = length;
  }

  void help(int offset, int length) {
    helpOffset = offset;
    helpBytes = length;
  }

  void unit(int offset, int length) {
    unitOffset = offset;
    unitBytes = length;
  }

  /// Ends a description.
  ///
  /// @param type its number
  /// @param ofSeries whether the name is that of a series, such as `latency_bucket`
  /// @return why it is refused; empty when it is accepted
  String end(long type, boolean ofSeries) {
    MetricDescription.Type kind = MetricDescription.Type.of(type);
    if (ofSeries) {
      cutSuffix(kind);
    }
    long hash = hash(hash(type, nameOffset, nameBytes), helpOffset, helpBytes);
    long fingerprint = hash(hash, unitOffset, unitBytes) | 1; // 0 is none
    if (table.knows(fingerprint) || unknown.containsKey(fingerprint)) {
      return "";
    }
    String wrong = wrong();
    if (wrong.isEmpty()) {
      MetricDescription description =
          new MetricDescription(
              kind,
              cut(helpOffset, helpBytes, HELP_BYTES_MAX),
              cut(unitOffset, unitBytes, UNIT_BYTES_MAX));
      unknown.put(
          fingerprint,
          new MetadataTable.Named(fingerprint, text(nameOffset, nameBytes), description));
    }
    return wrong;
  }

  private void cutSuffix(MetricDescription.Type kind) {
    List<String> suffixes =
        switch (kind) {
          case HISTOGRAM, GAUGEHISTOGRAM -> OF_HISTOGRAMS;
          case SUMMARY -> OF_SUMMARIES;
          case UNKNOWN, COUNTER, GAUGE, INFO, STATESET -> List.of();
        };
    for (String suffix : suffixes) {
      if (nameBytes > suffix.length() && endsWith(suffix)) {
        nameBytes -= suffix.length();
        return;
      }
    }
  }

  private boolean endsWith(String suffix) {
    int start = nameOffset + nameBytes - suffix.length();
    for (int i = 0; i < suffix.length(); i++) {
      if (body[start + i] != suffix.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private long hash(long before, int offset, int length) {
    long mixed = mix(before, length);
    int end = offset + length;
    for (int at = offset; at < end; at += Long.BYTES) {
      long word = Swar.word(body, at);
      mixed = mix(mixed, end - at < Long.BYTES ? word & ~(-1L << (Byte.SIZE * (end - at))) : word);
    }
    return mixed;
  }

  private static long mix(long hash, long word) {
    long mixed = (hash ^ word) * PRIME;
    return mixed ^ (mixed >>> 32);
  }

  private String wrong() {
    if (nameBytes == 0) {
      return "a description without a name";
    }
    if (nameBytes > EventLayout.TYPE_BYTES_MAX) {
      return "a name of %d bytes, the limit is %d".formatted(nameBytes, EventLayout.TYPE_BYTES_MAX);
    }
    return Utf8.isValid(body, nameOffset, nameBytes) ? "" : "a name is not valid UTF-8";
  }

  /// A text, cut at the end where it is too long.
  private String cut(int offset, int length, int bytesMax) {
    int end = Math.min(length, bytesMax);
    while (end < length && (body[offset + end] & 0xc0) == 0x80) { // not within a character
      end--;
    }
    return text(offset, end);
  }

  private String text(int offset, int length) {
    return new String(body, offset, length, StandardCharsets.UTF_8);
  }

  /// The descriptions that the table does not know.
  Collection<MetadataTable.Named> unknown() {
    return unknown.values();
  }
}
