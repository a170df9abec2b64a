package io.widerow.ingest.receive.prometheus;

import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.JsonText;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.decode.RepeatedNumbers;

/// One native histogram, with whole or fractional counts, or with custom values. Its fields have
/// the same numbers in both versions.
///
/// ```
///   1 count     2 count (double)       3 sum      4 schema   5 zero threshold
///   6 zeros     7 zeros (double)       8 spans    9 deltas  10 counts (double)   of negative
///  14 reset hint   15 time (ms)       11 spans   12 deltas  13 counts (double)   of positive
///  16 custom values   17 start (ms)
/// ```
///
/// Source: prometheus/prometheus `prompb/types.proto`.
///
/// - Threads: one.
/// - Memory: reuses its lists.
final class NativeHistogram {
  private final AttributeTape tape;
  private final JsonText json;
  private final TapeName countName;
  private final TapeName sumName;
  private final TapeName schemaName;
  private final TapeName thresholdName;
  private final TapeName zerosName;
  private final TapeName hintName;
  private final TapeName customName;
  private final Side negative;
  private final Side positive;

  private long count;
  private boolean countIsFraction;
  private long sumBits;
  private long schema;
  private long thresholdBits;
  private long zeros;
  private boolean zerosAreFraction;
  private long hint;
  private final RepeatedNumbers custom = new RepeatedNumbers();

  /// Milliseconds since the Unix epoch; 0 when not given.
  private long millis;

  /// The same of the time from which it counts.
  private long startMillis;

  /// The buckets of one sign.
  private static final class Side {
    final TapeName spansName;
    final TapeName deltasName;
    final TapeName countsName;
    final RepeatedNumbers spans = new RepeatedNumbers(); // offset, length, offset, length ...
    final RepeatedNumbers deltas = new RepeatedNumbers();
    final RepeatedNumbers counts = new RepeatedNumbers();

    Side(AttributeTape tape, String sign) {
      spansName = TapeName.of(tape, sign + "_spans");
      deltasName = TapeName.of(tape, sign);
      countsName = TapeName.of(tape, sign + "_counts");
    }

    void clear() {
      spans.clear();
      deltas.clear();
      counts.clear();
    }

    void addSpan(ProtobufReader reader) throws ProtobufReader.Bad {
      long offset = 0;
      long length = 0;
      int outer = reader.enter();
      while (reader.next()) {
        switch (reader.field()) {
          case 1 -> offset = reader.zigzag();
          case 2 -> length = reader.varint();
          default -> reader.skip();
        }
      }
      reader.leave(outer);
      spans.add(offset, reader);
      spans.add(length, reader);
    }
  }

  NativeHistogram(AttributeTape tape) {
    this.tape = tape;
    json = new JsonText(tape);
    countName = TapeName.of(tape, "count");
    sumName = TapeName.of(tape, "sum");
    schemaName = TapeName.of(tape, "schema");
    thresholdName = TapeName.of(tape, "zero_threshold");
    zerosName = TapeName.of(tape, "zero_count");
    hintName = TapeName.of(tape, "reset_hint");
    customName = TapeName.of(tape, "custom_values");
    negative = new Side(tape, "negative");
    positive = new Side(tape, "positive");
  }

  private void clear() {
    count = 0;
    countIsFraction = false;
    sumBits = 0;
    schema = 0;
    thresholdBits = 0;
    zeros = 0;
    zerosAreFraction = false;
    hint = 0;
    millis = 0;
    startMillis = 0;
    custom.clear();
    negative.clear();
    positive.clear();
  }

  /// Reads the message that the reader has entered, to its end.
  void read(ProtobufReader reader) throws ProtobufReader.Bad {
    clear();
    while (reader.next()) {
      switch (reader.field()) {
        case 1, 2 -> {
          countIsFraction = reader.field() == 2;
          count = countIsFraction ? reader.fixed64() : reader.varint();
        }
        case 3 -> sumBits = reader.fixed64();
        case 4 -> schema = reader.zigzag();
        case 5 -> thresholdBits = reader.fixed64();
        case 6, 7 -> {
          zerosAreFraction = reader.field() == 7;
          zeros = zerosAreFraction ? reader.fixed64() : reader.varint();
        }
        case 8 -> negative.addSpan(reader);
        case 9 -> negative.deltas.addZigzags(reader);
        case 10 -> negative.counts.addFractions(reader);
        case 11 -> positive.addSpan(reader);
        case 12 -> positive.deltas.addZigzags(reader);
        case 13 -> positive.counts.addFractions(reader);
        case 14 -> hint = reader.varint();
        case 15 -> millis = reader.varint();
        case 16 -> custom.addFractions(reader);
        case 17 -> startMillis = reader.varint();
        default -> reader.skip();
      }
    }
  }

  /// Milliseconds since the Unix epoch; 0 when not given.
  long millis() {
    return millis;
  }

  /// The time from which it counts, in milliseconds since the Unix epoch; 0 when not given.
  long startMillis() {
    return startMillis;
  }

  /// Whether it marks the end of its series.
  boolean isStale() {
    return sumBits == RemoteWriteDecoder.STALE_BITS;
  }

  /// Puts its numbers onto the tape; lists are JSON text, and left out when they are empty.
  void write() {
    number(countName, count, countIsFraction);
    fraction(sumName, sumBits);
    schemaName.to(tape);
    tape.whole(schema);
    fraction(thresholdName, thresholdBits);
    number(zerosName, zeros, zerosAreFraction);
    buckets(negative);
    buckets(positive);
    list(customName, custom, true);
    if (hint != 0) {
      hintName.to(tape);
      tape.whole(hint);
    }
  }

  /// A `uint64` that no long can hold becomes a string of its digits, so that none is lost.
  private void number(TapeName name, long value, boolean isFraction) {
    if (isFraction) {
      fraction(name, value);
      return;
    }
    if (value >= 0) {
      name.to(tape);
      tape.whole(value);
      return;
    }
    int start = tape.scratchLimit();
    json.unsigned(value);
    name.to(tape);
    tape.string(true, start, tape.scratchLimit() - start);
  }

  private void fraction(TapeName name, long bits) {
    name.to(tape);
    tape.fraction(Double.longBitsToDouble(bits));
  }

  private void buckets(Side side) {
    if (side.spans.count() > 0) {
      int start = tape.scratchLimit();
      json.raw('[');
      for (int i = 0; i < side.spans.count(); i += 2) {
        if (i > 0) {
          json.raw(',');
        }
        json.raw('[');
        json.whole(side.spans.at(i));
        json.raw(',');
        json.whole(side.spans.at(i + 1));
        json.raw(']');
      }
      json.raw(']');
      side.spansName.to(tape);
      tape.string(true, start, tape.scratchLimit() - start);
    }
    list(side.deltasName, side.deltas, false);
    list(side.countsName, side.counts, true);
  }

  private void list(TapeName name, RepeatedNumbers numbers, boolean fractions) {
    if (numbers.count() == 0) {
      return;
    }
    int start = tape.scratchLimit();
    for (int i = 0; i < numbers.count(); i++) {
      json.raw(i == 0 ? '[' : ',');
      if (fractions) {
        json.fraction(Double.longBitsToDouble(numbers.at(i)));
      } else {
        json.whole(numbers.at(i));
      }
    }
    json.raw(']');
    name.to(tape);
    tape.string(true, start, tape.scratchLimit() - start);
  }
}
