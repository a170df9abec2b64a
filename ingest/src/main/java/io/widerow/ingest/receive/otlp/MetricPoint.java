package io.widerow.ingest.receive.otlp;

import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.decode.RepeatedNumbers;

/// Puts one data point on the tape, of any of the five kinds.
///
/// - Threads: one, that of the decoder.
/// - Memory: keeps its arrays.
final class MetricPoint {
  private static final int NO_RECORDED_VALUE = 1;

  private final OtlpDecoder to;
  private final ProtobufReader in;
  private final FixedName value;
  private final FixedName stale;
  private final FixedName flagsName;
  private final FixedName start;
  private final FixedName count;
  private final FixedName sum;
  private final FixedName min;
  private final FixedName max;
  private final FixedName bounds;
  private final FixedName buckets;
  private final FixedName scale;
  private final FixedName zeroCount;
  private final FixedName zeroThreshold;
  private final FixedName positive;
  private final FixedName positiveOffset;
  private final FixedName negative;
  private final FixedName negativeOffset;
  private final FixedName quantiles;
  private final FixedName exemplarsName;
  private final RepeatedNumbers counts = new RepeatedNumbers();
  private final RepeatedNumbers limits = new RepeatedNumbers();
  private final RepeatedFieldOffsets exemplars = new RepeatedFieldOffsets();
  private final RepeatedFieldOffsets quantileSpots = new RepeatedFieldOffsets();

  private long time;
  private long countBits;
  private long scaleBits;
  private long zeroBits;
  private long thresholdBits; // of a double
  private long sumBits; // of a summary, a double
  private long flags;
  private int valueField; // 0 without a value
  private long valueBits;

  MetricPoint(OtlpDecoder to) {
    this.to = to;
    this.in = to.in;
    value = to.name("value");
    stale = to.name("stale");
    flagsName = to.name("flags");
    start = to.name("start");
    count = to.name("count");
    sum = to.name("sum");
    min = to.name("min");
    max = to.name("max");
    bounds = to.name("bounds");
    buckets = to.name("buckets");
    scale = to.name("scale");
    zeroCount = to.name("zero_count");
    zeroThreshold = to.name("zero_threshold");
    positive = to.name("positive");
    positiveOffset = to.name("positive_offset");
    negative = to.name("negative");
    negativeOffset = to.name("negative_offset");
    quantiles = to.name("quantiles");
    exemplarsName = to.name("exemplars");
  }

  /// Reads the point that the reader is in.
  ///
  /// @return its time in nanoseconds, unsigned; 0 without one
  long read(int kind) throws ProtobufReader.Bad {
    to.clearTime();
    time = 0;
    countBits = 0;
    scaleBits = 0;
    zeroBits = 0;
    thresholdBits = 0;
    sumBits = 0;
    flags = 0;
    valueField = 0;
    counts.clear();
    limits.clear();
    exemplars.clear();
    quantileSpots.clear();
    while (in.next()) {
      if (in.field() == OtlpDecoder.TIME_TEXT) {
        to.timeText();
        continue;
      }
      if (in.field() == OtlpDecoder.TIME_OF_TEXT) {
        to.timeOfText();
        continue;
      }
      switch (kind) {
        case 9 -> histogram();
        case 10 -> exponential();
        case 11 -> summary();
        default -> number();
      }
    }
    if (kind >= 9) { // a sender may leave out zeros
      unsigned(count, countBits);
    }
    if (kind == 10) {
      whole(scale, scaleBits);
      unsigned(zeroCount, zeroBits);
      if (thresholdBits != 0) {
        fraction(zeroThreshold, thresholdBits);
      }
    }
    if (kind == 11) {
      fraction(sum, sumBits);
    }
    to.tape.level(OtlpDecoder.OWN);
    none();
    if (valueField != 0 && (flags & NO_RECORDED_VALUE) == 0) {
      value.name(to.tape);
      if (valueField == 4) {
        to.tape.fraction(Double.longBitsToDouble(valueBits));
      } else {
        to.tape.whole(valueBits);
      }
    }
    list(buckets, counts, false);
    list(bounds, limits, true);
    quantiles();
    exemplars();
    return time;
  }

  private void none() {
    if ((flags & NO_RECORDED_VALUE) != 0) {
      stale.name(to.tape);
      to.tape.truth(true);
    }
    to.wholeUnlessZero(flagsName, flags & ~NO_RECORDED_VALUE);
  }

  private void number() throws ProtobufReader.Bad {
    switch (in.field()) {
      case 2 -> to.unsignedUnlessZero(start, in.fixed64());
      case 3 -> time = in.fixed64();
      case 4, 6 -> {
        valueField = in.field();
        valueBits = in.fixed64();
      }
      case 5 -> to.spot(exemplars);
      case 7 -> to.any.attribute();
      case 8 -> flags = in.varint();
      default -> in.skip();
    }
  }

  private void histogram() throws ProtobufReader.Bad {
    switch (in.field()) {
      case 2 -> to.unsignedUnlessZero(start, in.fixed64());
      case 3 -> time = in.fixed64();
      case 4 -> countBits = in.fixed64();
      case 5 -> fraction(sum);
      case 6 -> counts.addFractions(in);
      case 7 -> limits.addFractions(in);
      case 8 -> to.spot(exemplars);
      case 9 -> to.any.attribute();
      case 10 -> flags = in.varint();
      case 11 -> fraction(min);
      case 12 -> fraction(max);
      default -> in.skip();
    }
  }

  private void exponential() throws ProtobufReader.Bad {
    switch (in.field()) {
      case 1 -> to.any.attribute();
      case 2 -> to.unsignedUnlessZero(start, in.fixed64());
      case 3 -> time = in.fixed64();
      case 4 -> countBits = in.fixed64();
      case 5 -> fraction(sum);
      case 6 -> scaleBits = in.zigzag();
      case 7 -> zeroBits = in.fixed64();
      case 8 -> buckets(positive, positiveOffset);
      case 9 -> buckets(negative, negativeOffset);
      case 10 -> flags = in.varint();
      case 11 -> to.spot(exemplars);
      case 12 -> fraction(min);
      case 13 -> fraction(max);
      case 14 -> thresholdBits = in.fixed64();
      default -> in.skip();
    }
  }

  private void summary() throws ProtobufReader.Bad {
    switch (in.field()) {
      case 2 -> to.unsignedUnlessZero(start, in.fixed64());
      case 3 -> time = in.fixed64();
      case 4 -> countBits = in.fixed64();
      case 5 -> sumBits = in.fixed64();
      case 6 -> to.spot(quantileSpots);
      case 7 -> to.any.attribute();
      case 8 -> flags = in.varint();
      default -> in.skip();
    }
  }

  private void whole(FixedName name, long number) {
    to.tape.level(OtlpDecoder.OWN);
    name.name(to.tape);
    to.tape.whole(number);
    to.tape.level(OtlpDecoder.ATTRIBUTE);
  }

  private void unsigned(FixedName name, long number) {
    to.tape.level(OtlpDecoder.OWN);
    name.name(to.tape);
    to.unsigned(number);
    to.tape.level(OtlpDecoder.ATTRIBUTE);
  }

  private void fraction(FixedName name) throws ProtobufReader.Bad {
    fraction(name, in.fixed64());
  }

  private void fraction(FixedName name, long bits) {
    to.tape.level(OtlpDecoder.OWN);
    name.name(to.tape);
    to.tape.fraction(Double.longBitsToDouble(bits));
    to.tape.level(OtlpDecoder.ATTRIBUTE);
  }

  private void buckets(FixedName name, FixedName offsetName) throws ProtobufReader.Bad {
    int outer = in.enter();
    long offset = 0;
    counts.clear();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> offset = in.zigzag();
        case 2 -> counts.addWholes(in);
        default -> in.skip();
      }
    }
    in.leave(outer);
    if (counts.count() > 0) {
      whole(offsetName, offset);
      to.tape.level(OtlpDecoder.OWN);
      list(name, counts, false);
      to.tape.level(OtlpDecoder.ATTRIBUTE);
      counts.clear();
    }
  }

  private void list(FixedName name, RepeatedNumbers numbers, boolean fractions) {
    if (numbers.count() == 0) {
      return;
    }
    name.name(to.tape);
    int from = to.tape.scratchLimit();
    for (int i = 0; i < numbers.count(); i++) {
      to.json.raw(i == 0 ? '[' : ',');
      if (fractions) {
        to.json.fraction(Double.longBitsToDouble(numbers.at(i)));
      } else {
        to.json.unsigned(numbers.at(i));
      }
    }
    to.json.raw(']');
    to.tape.json(true, from, to.tape.scratchLimit() - from);
  }

  private void quantiles() throws ProtobufReader.Bad {
    if (quantileSpots.count() == 0) {
      return;
    }
    quantiles.name(to.tape);
    int from = to.tape.scratchLimit();
    for (int i = 0; i < quantileSpots.count(); i++) {
      to.json.raw(i == 0 ? '{' : ',');
      in.read(quantileSpots.start(i), quantileSpots.end(i));
      double quantile = 0;
      double at = 0;
      while (in.next()) {
        switch (in.field()) {
          case 1 -> quantile = in.fraction();
          case 2 -> at = in.fraction();
          default -> in.skip();
        }
      }
      to.json.raw('"');
      to.json.text(
          quantile == (long) quantile ? Long.toString((long) quantile) : Double.toString(quantile));
      to.json.text("\":");
      to.json.fraction(at);
    }
    to.json.raw('}');
    to.tape.json(true, from, to.tape.scratchLimit() - from);
  }

  private void exemplars() throws ProtobufReader.Bad {
    if (exemplars.count() == 0) {
      return;
    }
    exemplarsName.name(to.tape);
    int from = to.tape.scratchLimit();
    for (int i = 0; i < exemplars.count(); i++) {
      to.json.text(i == 0 ? "[{" : ",{");
      in.read(exemplars.start(i), exemplars.end(i));
      boolean some = false;
      while (in.next()) {
        some |= member(some);
      }
      in.read(exemplars.start(i), exemplars.end(i));
      to.json.text(some ? ",\"attributes\":" : "\"attributes\":");
      to.any.object(7, 0);
      to.json.raw('}');
    }
    to.json.raw(']');
    to.tape.json(true, from, to.tape.scratchLimit() - from);
  }

  private boolean member(boolean more) throws ProtobufReader.Bad {
    switch (in.field()) {
      case 2 -> {
        return to.wholeMember("time_unix_nano", in.fixed64(), more);
      }
      case 3 -> {
        double number = in.fraction();
        to.member("value", more);
        to.json.fraction(number);
      }
      case 4 -> {
        return to.hexMember("span_id", more);
      }
      case 5 -> {
        return to.hexMember("trace_id", more);
      }
      case 6 -> {
        long number = in.fixed64();
        to.member("value", more);
        to.json.whole(number);
      }
      default -> {
        in.skip();
        return false;
      }
    }
    return true;
  }
}
