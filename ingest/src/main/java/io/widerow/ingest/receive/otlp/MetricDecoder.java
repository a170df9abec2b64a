package io.widerow.ingest.receive.otlp;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.StreamLabels;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufReader;
import org.jspecify.annotations.Nullable;

/// Decodes `ExportMetricsServiceRequest`: each data point is an event, whose type is the name of
/// the metric. A metric with a fault outside of its points is refused as one event. A resource with
/// a service or an instance and with other attributes is a sample of `target_info`, too.
final class MetricDecoder extends OtlpDecoder {
  private static final byte[] TARGET_INFO = ascii("target_info");
  private static final int GAUGE = 5;
  private static final int SUM = 7;
  private static final int HISTOGRAM = 9;
  private static final int EXPONENTIAL = 10;
  private static final int SUMMARY = 11;

  private final FixedName description = name("description");
  private final FixedName unit = name("unit");
  private final FixedName temporality = name("temporality");
  private final FixedName[] temporalities = FixedName.all(tape, "delta", "cumulative");
  private final FixedName monotonic = name("monotonic");
  private final FixedName labels = name(StreamLabels.FIELD.toString());
  private final FixedName[] otlp = FixedName.all(tape, StreamLabels.OTLP);
  private final MetricPoint point = new MetricPoint(this);

  private final FixedName value = name("value");
  private long latestNanos; // of the points of the resource
  private boolean anyPoint;
  private int nameOffset;
  private int nameLength;

  MetricDecoder(@Nullable String typeAsked) {
    super(typeAsked);
  }

  @Override
  JsonMessage request() {
    return JsonMessages.METRICS;
  }

  @Override
  String recordName() {
    return "metrics";
  }

  @Override
  void record(IncomingBatch batch) throws ProtobufReader.Bad {
    int start = in.at();
    nameLength = 0;
    tape.level(OWN);
    labels.name(tape);
    otlp[0].value(tape);
    while (in.next()) {
      switch (in.field()) {
        case 1 -> {
          in.text();
          nameOffset = in.offset();
          nameLength = in.length();
        }
        case 2 -> textUnlessEmpty(description);
        case 3 -> textUnlessEmpty(unit);
        case GAUGE, SUM, HISTOGRAM, EXPONENTIAL, SUMMARY -> {
          int outer = in.enter();
          while (in.next()) { // before a point of the metric is stored
            in.skip();
          }
          in.leave(outer);
        }
        case 12 -> {
          tape.level(METADATA);
          any.attribute();
          tape.level(OWN);
        }
        default -> in.skip();
      }
    }
    long mark = tape.mark();
    in.seek(start);
    while (in.next()) {
      int kind = in.field();
      switch (kind) {
        case GAUGE, SUM, HISTOGRAM, EXPONENTIAL, SUMMARY -> {
          int outer = in.enter();
          tape.reset(mark);
          data(kind, batch);
          in.leave(outer);
        }
        default -> in.skip();
      }
    }
  }

  @Override
  void beginResource() {
    anyPoint = false;
  }

  /// The resource as a sample of its own: what Prometheus makes of it.
  @Override
  void endResource(IncomingBatch batch) {
    if (anyPoint) {
      tape.level(OWN);
      labels.name(tape);
      otlp[0].value(tape);
      value.name(tape);
      tape.fraction(1);
      write(batch, latestNanos, TARGET_INFO, 0, TARGET_INFO.length);
    }
  }

  private void data(int kind, IncomingBatch batch) throws ProtobufReader.Bad {
    int start = in.at();
    boolean rises = false;
    tape.level(OWN);
    while (in.next()) {
      switch (in.field()) {
        case 2 -> {
          long code = in.varint();
          if (code == 1 || code == 2) {
            temporality.name(tape);
            temporalities[(int) code - 1].value(tape);
          } else {
            wholeUnlessZero(temporality, code);
          }
        }
        case 3 -> rises = in.varint() != 0;
        default -> in.skip();
      }
    }
    if (kind == SUM) {
      monotonic.name(tape);
      tape.truth(rises);
    }
    long mark = tape.mark();
    in.seek(start);
    while (in.next()) {
      if (in.field() == 1) {
        point(kind, mark, batch);
      } else {
        in.skip();
      }
    }
  }

  private void point(int kind, long mark, IncomingBatch batch) throws ProtobufReader.Bad {
    int outer = in.enter();
    int end = in.limit();
    if (!isRefused(1, batch)) {
      try {
        tape.reset(mark);
        tape.level(ATTRIBUTE);
        long nanos = timeOf(point.read(kind), batch);
        write(batch, nanos, in.bytes(), nameOffset, nameLength);
        latestNanos = anyPoint ? Math.max(latestNanos, nanos) : nanos;
        anyPoint = true;
      } catch (ProtobufReader.Bad bad) {
        refuse(batch, bad);
      }
    }
    in.resume(end, outer);
  }
}
