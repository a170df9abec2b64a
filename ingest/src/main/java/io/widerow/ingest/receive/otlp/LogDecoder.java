package io.widerow.ingest.receive.otlp;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.decode.TimeParser;
import org.jspecify.annotations.Nullable;

/// Decodes `ExportLogsServiceRequest`.
final class LogDecoder extends OtlpDecoder {
  private static final byte[][] BODY_NAMES = {
    ascii("message"), ascii("msg"), ascii("log"), ascii("body")
  };
  private static final int SEVERITIES = 24;
  private static final int SEVERITIES_PER_LEVEL = 4;

  private final FixedName severityNumber = name("severity_number");
  private final FixedName severityText = name("severity_text");
  private final FixedName level = name("level");
  private final FixedName[] levels =
      FixedName.all(tape, "trace", "debug", "info", "warn", "error", "fatal");
  private final FixedName body = name("body");
  private final FixedName traceFlags = name("trace_flags");
  private final FixedName eventName = name("event_name");
  private final FixedName observedName = name("observed");

  // Of the record that is being read.
  private long time;
  private long observed;
  private long severity;
  private int textOffset;
  private int textLength;
  private int bodyStart; // negative without a body
  private int bodyEnd;

  LogDecoder(@Nullable String typeAsked) {
    super(typeAsked);
  }

  @Override
  JsonMessage request() {
    return JsonMessages.LOGS;
  }

  @Override
  String recordName() {
    return "logRecords";
  }

  @Override
  void record(IncomingBatch batch) throws ProtobufReader.Bad {
    clearTime();
    time = 0;
    observed = 0;
    severity = 0;
    textLength = 0;
    bodyStart = -1;
    any.forget();
    tape.level(ATTRIBUTE);
    while (in.next()) {
      field();
    }
    if (bodyStart >= 0) {
      body();
    }
    tape.level(OWN);
    severity();
    long nanos = timeOf(time != 0 ? time : observed, batch);
    if (observed < 0 || Math.abs(observed - nanos) >= TimeParser.NANOS_PER_SECOND) {
      unsignedUnlessZero(observedName, observed);
    }
    write(batch, nanos);
  }

  private void field() throws ProtobufReader.Bad {
    switch (in.field()) {
      case 1 -> time = in.fixed64();
      case 2 -> severity = in.varint();
      case 3 -> {
        in.text();
        textOffset = in.offset();
        textLength = in.length();
      }
      case 5 -> {
        in.text();
        bodyStart = in.offset();
        bodyEnd = bodyStart + in.length();
      }
      case 6 -> any.attribute();
      case 7 -> dropped();
      case 8 -> ownUnlessZero(traceFlags, Integer.toUnsignedLong(in.fixed32()));
      case 9 -> traceId();
      case 10 -> spanId();
      case 11 -> observed = in.fixed64();
      case 12 -> ownText(eventName);
      case TIME_TEXT -> timeText();
      case TIME_OF_TEXT -> timeOfText();
      default -> in.skip();
    }
  }

  private void body() throws ProtobufReader.Bad {
    any.read(bodyStart, bodyEnd);
    switch (any.kind) {
      case AnyValues.UNSET -> {}
      case AnyValues.STRING -> bodyText(false, any.offset, any.length);
      case AnyValues.BYTES -> {
        tape.level(OWN);
        body.name(tape);
        tape.bytes(false, any.offset, any.length);
      }
      case AnyValues.MAP -> map(any.offset, any.offset + any.length);
      default -> {
        int from = tape.scratchLimit();
        any.text(0);
        bodyText(true, from, tape.scratchLimit() - from);
      }
    }
  }

  private void bodyText(boolean inScratch, int offset, int length) {
    tape.level(OWN);
    body.name(tape);
    tape.string(inScratch, offset, length);
  }

  private void map(int start, int end) throws ProtobufReader.Bad {
    int found = any.find(start, end, BODY_NAMES);
    if (found >= 0) {
      bodyText(false, any.offset, any.length);
    }
    tape.level(BODY);
    any.members(start, end, found);
  }

  private void severity() {
    wholeUnlessZero(severityNumber, severity);
    if (textLength > 0) {
      severityText.name(tape);
      tape.string(false, textOffset, textLength);
    }
    if (any.sawWatched()) { // the record has a level of its own
      return;
    }
    if (severity >= 1 && severity <= SEVERITIES) {
      level.name(tape);
      levels[((int) severity - 1) / SEVERITIES_PER_LEVEL].value(tape);
    } else if (severity == 0 && textLength > 0) {
      int from = tape.scratchLimit();
      tape.appendScratch(in.bytes(), textOffset, textLength);
      byte[] scratch = tape.scratch();
      for (int i = from; i < tape.scratchLimit(); i++) {
        boolean upper = scratch[i] >= 'A' && scratch[i] <= 'Z';
        scratch[i] = (byte) (scratch[i] | (upper ? 0x20 : 0));
      }
      level.name(tape);
      tape.string(true, from, textLength);
    }
  }
}
