package io.widerow.ingest.receive.prometheus;

import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.ProtobufReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Puts the labels of a series onto the tape, and finds the type among them.
///
/// - Threads: one, that of the tape.
final class SeriesLabels {
  private static final byte[] METRIC_NAME = "__name__".getBytes(StandardCharsets.US_ASCII);
  private static final int LEVEL = 1; // of the tape
  private static final int NONE = -1;

  private final AttributeTape tape;
  private final byte @Nullable [] wantedType;
  private final ProtobufReader reader = new ProtobufReader();
  private final DuplicateLabels names = new DuplicateLabels();
  private byte[] type = {};
  private int typeOffset;
  private int typeBytes; // NONE while it has no name
  private boolean unnamed; // a label is

  /// @param wantedType of all events; null for the names of the metrics
  SeriesLabels(AttributeTape tape, @Nullable String wantedType) {
    this.tape = tape;
    this.wantedType = wantedType == null ? null : wantedType.getBytes(StandardCharsets.UTF_8);
  }

  static boolean isMetricName(byte[] source, int offset, int length) {
    return length == METRIC_NAME.length
        && Arrays.equals(METRIC_NAME, 0, length, source, offset, offset + length);
  }

  /// Begins the tape with these labels.
  ///
  /// @return why they are refused; empty when they are the labels of a series
  String read(SeriesHead head) throws ProtobufReader.Bad {
    byte[] source = head.bytes();
    tape.begin(source);
    tape.level(LEVEL);
    names.begin(source);
    unnamed = false;
    typeBytes = NONE;
    if (wantedType != null) {
      type = wantedType;
      typeOffset = 0;
      typeBytes = wantedType.length;
    }
    reader.begin(source, head.offset(), head.offset() + head.length());
    while (reader.next()) {
      label(source);
    }
    if (unnamed) {
      return "a label without a name";
    }
    if (names.hasTwice()) {
      return "a label is given twice";
    }
    return typeBytes > 0 ? "" : typeBytes == 0 ? "__name__ is empty" : "no label __name__";
  }

  private void label(byte[] source) throws ProtobufReader.Bad {
    int name = 0;
    int nameBytes = 0;
    int value = 0;
    int valueBytes = 0;
    int outer = reader.enter();
    while (reader.next()) {
      switch (reader.field()) {
        case 1 -> {
          reader.text();
          name = reader.offset();
          nameBytes = reader.length();
        }
        case 2 -> {
          reader.text();
          value = reader.offset();
          valueBytes = reader.length();
        }
        default -> reader.skip();
      }
    }
    reader.leave(outer);
    unnamed |= nameBytes == 0;
    names.add(name, nameBytes);
    if (wantedType == null && isMetricName(source, name, nameBytes)) {
      type = source;
      typeOffset = value;
      typeBytes = valueBytes;
      return;
    }
    tape.name(false, name, nameBytes);
    tape.string(false, value, valueBytes);
  }

  /// The array in which the type of the series lies.
  byte[] type() {
    return type;
  }

  int typeOffset() {
    return typeOffset;
  }

  int typeBytes() {
    return typeBytes;
  }
}
