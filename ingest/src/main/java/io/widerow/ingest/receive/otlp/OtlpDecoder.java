package io.widerow.ingest.receive.otlp;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonText;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Decodes a request of OTLP. All three kinds are built alike:
///
/// ```
///   request: 1 ResourceX...
///   ResourceX: 1 Resource  2 ScopeX...  3 schema_url
///   ScopeX: 1 InstrumentationScope  2 record...  3 schema_url
/// ```
///
/// Fields may come in any order, so a message is read twice: first the attributes that its records
/// share, which stay on the tape, then the records.
///
/// An error in a record refuses that record. An error in a resource or a scope refuses its records;
/// when nothing else is stored, it refuses the request.
///
/// Source: opentelemetry-proto 1.11, `logs.proto`, `metrics.proto`, `trace.proto`.
///
/// - Threads: one.
/// - Memory: allocates nothing for each record.
abstract class OtlpDecoder {
  static final int OWN = 0;

  /// The field in which [JsonTranscoder] writes a time that is no number. Protobuf reserves such
  /// numbers for its implementations.
  static final int TIME_TEXT = 19_001;

  /// That of the time that this text is, in nanoseconds; [TimeParser#NONE] when it is none.
  static final int TIME_OF_TEXT = 19_002;

  static final int ATTRIBUTE = 1;
  static final int BODY = 2;
  private static final int SCOPE_OWN = 3; // its own fields, which its attributes may be named like
  private static final int SCOPE = 4;
  private static final int RESOURCE_OWN = 5;
  private static final int RESOURCE = 6;
  static final int METADATA = 7; // of a metric
  private static final AttributeLevels LEVELS =
      new AttributeLevels(
          "",
          AttributeLevels.ATTRIBUTES,
          "body.",
          "scope.",
          "scope.",
          "resource.",
          "resource.",
          "metadata.");

  private static final byte[] SERVICE_NAME = ascii("service.name");
  private static final byte[] SERVICE_NAMESPACE = ascii("service.namespace");
  private static final byte[] SERVICE_INSTANCE = ascii("service.instance.id");
  static final byte[] LEVEL = ascii("level");
  private static final byte[] UNKNOWN = ascii("unknown_service");
  private static final int RECORDS = 2;
  private static final int PLACED_MAX = 1_000; // refusals that say where
  private static final String BAD_RECORD = "a record does not match its message";

  final ProtobufReader in = new ProtobufReader();
  final AttributeTape tape = new AttributeTape(LEVELS);
  private final SenderTime senderTime = new SenderTime();
  private int timeOffset; // of a time that is a text
  private int timeBytes = -1;
  private long timeOfText;
  final JsonText json = new JsonText(tape);
  final AnyValues any = new AnyValues(in, tape, json, LEVEL);

  private final FixedName resourceDropped = name("resource.dropped_attributes_count");
  private final FixedName resourceSchema = name("resource.schema_url");
  private final FixedName scopeName = name("scope.name");
  private final FixedName scopeVersion = name("scope.version");
  private final FixedName scopeDropped = name("scope.dropped_attributes_count");
  private final FixedName scopeSchema = name("scope.schema_url");
  private final FixedName traceId = name("trace_id");
  private final FixedName spanId = name("span_id");
  private final FixedName dropped = name("dropped_attributes_count");

  private final byte @Nullable [] typeAsked;
  private byte[] type = UNKNOWN; // of the resource that is being read
  private int typeOffset;
  private int typeLength;
  private boolean identified; // the resource has a service or an instance
  private boolean described; // it has other attributes, too
  private long scopeMark;
  private @Nullable RecordOffsets places; // of the records of a request in JSON
  private int recordField;
  private int recordStart;
  private ProtobufReader.@Nullable Bad badFrame; // the first resource or scope that is bad

  /// @param typeAsked of all events; null for that of the mapping
  OtlpDecoder(@Nullable String typeAsked) {
    this.typeAsked = typeAsked == null ? null : typeAsked.getBytes(StandardCharsets.UTF_8);
  }

  final FixedName name(String text) {
    return FixedName.of(tape, text);
  }

  /// The form of the request in JSON.
  abstract JsonMessage request();

  /// The name of a record in JSON.
  abstract String recordName();

  /// Decodes a request in JSON.
  ///
  /// @throws BadField when it is none
  final void decodeJson(byte[] body, int length, IncomingBatch batch) throws BadField {
    JsonTranscoder transcoder = new JsonTranscoder(body, length, request(), batch.wallNanos);
    transcoder.run();
    places = transcoder.places();
    try {
      decode(transcoder.bytes(), transcoder.length(), batch);
    } catch (ProtobufReader.Bad around) { // a name of a resource or a scope that is too long
      throw new BadField("resource", 0, withoutPlace(around));
    } finally {
      places = null;
    }
  }

  /// Decodes a request.
  ///
  /// @throws ProtobufReader.Bad when it is none
  final void decode(byte[] body, int length, IncomingBatch batch) throws ProtobufReader.Bad {
    in.begin(body, 0, length);
    badFrame = null;
    int before = batch.events.count();
    while (in.next()) {
      if (in.field() == 1) {
        int outer = in.enter();
        int start = in.at();
        int end = in.limit();
        try {
          resource(batch);
        } catch (ProtobufReader.Bad bad) {
          refuseRecords(start, end, false, bad, batch);
        }
        in.resume(end, outer);
      } else {
        in.skip();
      }
    }
    ProtobufReader.Bad around = badFrame;
    if (around != null && batch.events.count() == before) {
      throw around;
    }
  }

  /// Refuses the records of a resource or a scope in which something else is bad, as far as they
  /// can be read; at least one.
  private void refuseRecords(
      int start, int end, boolean scope, ProtobufReader.Bad bad, IncomingBatch batch) {
    badFrame = badFrame == null ? bad : badFrame;
    int before = batch.decoded();
    String reason = batch.refused.count() < PLACED_MAX ? bad.reason() : BAD_RECORD;
    in.read(start, end);
    refuseRecords(scope, reason, batch);
    if (batch.decoded() == before) {
      batch.refuse(reason);
    }
  }

  private void refuseRecords(boolean scope, String reason, IncomingBatch batch) {
    try {
      while (in.next()) {
        if (in.field() != RECORDS) {
          in.skip();
          continue;
        }
        int outer = in.enter();
        int end = in.limit();
        if (scope) {
          batch.refuse(reason);
        } else {
          refuseRecords(true, reason, batch);
        }
        in.resume(end, outer);
      }
    } catch (ProtobufReader.Bad cut) { // the rest cannot be counted
      in.seek(in.limit());
    }
  }

  private void resource(IncomingBatch batch) throws ProtobufReader.Bad {
    int start = in.at();
    tape.begin(in.bytes());
    tape.level(RESOURCE_OWN);
    takeType(UNKNOWN, 0, UNKNOWN.length);
    identified = false;
    described = false;
    beginResource();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> resourceFields();
        case 3 -> textUnlessEmpty(resourceSchema);
        default -> in.skip();
      }
    }
    long mark = tape.mark();
    in.seek(start);
    while (in.next()) {
      if (in.field() == RECORDS) {
        int outer = in.enter();
        int from = in.at();
        int end = in.limit();
        tape.reset(mark);
        try {
          scope(batch);
        } catch (ProtobufReader.Bad bad) {
          refuseRecords(from, end, true, bad, batch);
        }
        in.resume(end, outer);
      } else {
        in.skip();
      }
    }
    if (identified && described && typeAsked == null) {
      tape.reset(mark);
      endResource(batch);
    }
  }

  /// Begins a resource.
  void beginResource() {}

  /// Ends a resource that has a service or an instance, and other attributes, which are on the
  /// tape.
  void endResource(IncomingBatch batch) {}

  /// The type of the events of a service.
  void takeType(byte[] source, int offset, int length) {
    type = source;
    typeOffset = offset;
    typeLength = length;
  }

  private void resourceFields() throws ProtobufReader.Bad {
    int outer = in.enter();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> {
          tape.level(RESOURCE);
          any.attribute();
          tape.level(RESOURCE_OWN);
          boolean isService = any.isKey(SERVICE_NAME);
          boolean isInstance = any.isKey(SERVICE_INSTANCE);
          boolean isText = any.kind == AnyValues.STRING && any.length > 0;
          identified |= isText && (isService || isInstance);
          described |=
              any.kind != AnyValues.UNSET
                  && !isService
                  && !isInstance
                  && !any.isKey(SERVICE_NAMESPACE);
          if (isText && isService) {
            takeType(in.bytes(), any.offset, any.length);
          }
        }
        case 2 -> wholeUnlessZero(resourceDropped, in.varint());
        default -> in.skip();
      }
    }
    in.leave(outer);
  }

  private void scope(IncomingBatch batch) throws ProtobufReader.Bad {
    int start = in.at();
    tape.level(SCOPE_OWN);
    while (in.next()) {
      switch (in.field()) {
        case 1 -> scopeFields();
        case 3 -> textUnlessEmpty(scopeSchema);
        default -> in.skip();
      }
    }
    scopeMark = tape.mark();
    in.seek(start);
    while (in.next()) {
      if (in.field() == RECORDS) {
        alone(batch);
      } else {
        in.skip();
      }
    }
  }

  private void scopeFields() throws ProtobufReader.Bad {
    int outer = in.enter();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> textUnlessEmpty(scopeName);
        case 2 -> textUnlessEmpty(scopeVersion);
        case 3 -> {
          tape.level(SCOPE);
          any.attribute();
          tape.level(SCOPE_OWN);
        }
        case 4 -> wholeUnlessZero(scopeDropped, in.varint());
        default -> in.skip();
      }
    }
    in.leave(outer);
  }

  /// Reads a record. An error in it refuses it alone.
  private void alone(IncomingBatch batch) throws ProtobufReader.Bad {
    int outer = in.enter();
    int end = in.limit();
    if (!isRefused(RECORDS, batch)) {
      try {
        tape.reset(scopeMark);
        record(batch);
      } catch (ProtobufReader.Bad bad) {
        refuse(batch, bad);
      }
    }
    in.resume(end, outer);
  }

  /// Begins a record, which the reader is in. One that was refused when its JSON was read is
  /// refused in the batch.
  ///
  /// @param field of the record
  final boolean isRefused(int field, IncomingBatch batch) {
    recordField = field;
    recordStart = in.at();
    String fault = places == null ? null : places.faultAt(recordStart);
    if (fault == null) {
      return false;
    }
    batch.refuse(batch.refused.count() < PLACED_MAX ? fault : BAD_RECORD);
    return true;
  }

  /// Refuses the record that was begun last.
  final void refuse(IncomingBatch batch, ProtobufReader.Bad bad) {
    String reason = bad.reason();
    if (places != null) {
      reason = placed(withoutPlace(bad));
    }
    batch.refuse(batch.refused.count() < PLACED_MAX ? reason : BAD_RECORD);
  }

  /// A reason with the place of the record that was begun last.
  private String placed(String reason) {
    if (places != null) {
      return "%s at byte %d: %s".formatted(recordName(), places.offset(recordStart), reason);
    }
    return "field %d at byte %d: %s".formatted(recordField, recordStart, reason);
  }

  /// The reason without its place in protobuf, which the sender of JSON does not know.
  private static String withoutPlace(ProtobufReader.Bad bad) {
    return bad.reason().replaceFirst("^field \\d+: ", "").replaceFirst(", at byte \\d+$", "");
  }

  /// Reads the record that the reader is in, and puts it into the batch. The tape has what holds
  /// for all records of the scope.
  abstract void record(IncomingBatch batch) throws ProtobufReader.Bad;

  /// Adds the attributes on the tape to the batch, as an event of the service.
  final void write(IncomingBatch batch, long nanos) {
    write(batch, nanos, type, typeOffset, typeLength);
  }

  /// Adds the attributes on the tape to the batch, as one event.
  ///
  /// @param source of the type, unless the sender asked for another one
  final void write(IncomingBatch batch, long nanos, byte[] source, int offset, int length) {
    byte[] type = typeAsked == null ? source : typeAsked;
    int typeOffset = typeAsked == null ? offset : 0;
    int typeBytes = typeAsked == null ? length : typeAsked.length;
    batch.events.begin(type, typeOffset, typeBytes, nanos);
    tape.writeTo(batch.events);
    Rejection why = batch.tryEnd(tape, type, typeOffset, typeBytes);
    if (why != null) {
      batch.refuse(batch.refused.count() < PLACED_MAX ? placed(why.reason()) : why.reason());
    }
  }

  final void traceId() throws ProtobufReader.Bad {
    hexUnlessEmpty(traceId);
  }

  final void spanId() throws ProtobufReader.Bad {
    hexUnlessEmpty(spanId);
  }

  final void dropped() throws ProtobufReader.Bad {
    ownUnlessZero(dropped, in.varint());
  }

  /// Puts an identifier on the tape as hexadecimal digits, as a field of the record itself.
  final void hexUnlessEmpty(FixedName name) throws ProtobufReader.Bad {
    in.text();
    if (in.length() == 0) {
      return;
    }
    tape.level(OWN);
    name.name(tape);
    int from = tape.scratchLimit();
    json.hex(in.bytes(), in.offset(), in.length());
    tape.string(true, from, tape.scratchLimit() - from);
    tape.level(ATTRIBUTE);
  }

  /// Puts a text on the tape as a field of the record itself.
  final void ownText(FixedName name) throws ProtobufReader.Bad {
    tape.level(OWN);
    textUnlessEmpty(name);
    tape.level(ATTRIBUTE);
  }

  /// Puts a number on the tape as a field of the record itself.
  final void ownUnlessZero(FixedName name, long value) {
    tape.level(OWN);
    wholeUnlessZero(name, value);
    tape.level(ATTRIBUTE);
  }

  final void textUnlessEmpty(FixedName name) throws ProtobufReader.Bad {
    in.text();
    if (in.length() > 0) {
      name.name(tape);
      tape.string(false, in.offset(), in.length());
    }
  }

  final void wholeUnlessZero(FixedName name, long value) {
    if (value != 0) {
      name.name(tape);
      tape.whole(value);
    }
  }

  /// Puts a number without a sign on the tape, as a field of the record itself.
  final void unsignedUnlessZero(FixedName name, long value) {
    if (value != 0) {
      tape.level(OWN);
      name.name(tape);
      unsigned(value);
      tape.level(ATTRIBUTE);
    }
  }

  /// Puts a number without a sign on the tape; one above 2^63-1 is its digits.
  final void unsigned(long value) {
    if (value >= 0) {
      tape.whole(value);
      return;
    }
    int from = tape.scratchLimit();
    json.unsigned(value);
    tape.string(true, from, tape.scratchLimit() - from);
  }

  /// The time of an event: the sender's, an unsigned number, or that of its arrival.
  final long timeOf(long nanos, IncomingBatch batch) {
    if (timeBytes < 0) {
      senderTime.unsignedNanos(nanos);
    } else {
      senderTime.read(timeOfText, false, timeOffset, timeBytes);
    }
    return senderTime.take(batch, tape);
  }

  /// Begins a record, whose time is a number until [#timeText] finds a text.
  final void clearTime() {
    timeBytes = -1;
    timeOfText = TimeParser.NONE;
  }

  /// Takes the time of the record as the text that it was in JSON.
  final void timeText() throws ProtobufReader.Bad {
    in.text();
    timeOffset = in.offset();
    timeBytes = in.length();
  }

  /// Takes the time that this text is.
  final void timeOfText() throws ProtobufReader.Bad {
    timeOfText = in.fixed64();
  }

  /// Remembers where the message is that is the value of this field.
  final void spot(RepeatedFieldOffsets spots) throws ProtobufReader.Bad {
    in.text();
    spots.add(in.offset(), in.length());
  }

  /// Begins a member of a JSON object in the scratch.
  ///
  /// @param more whether another one is before it
  final void member(String name, boolean more) {
    json.text(more ? ",\"" : "\"");
    json.text(name);
    json.text("\":");
  }

  /// Writes a member, unless it is 0.
  ///
  /// @return whether it is written
  final boolean wholeMember(String name, long value, boolean more) {
    if (value != 0) {
      member(name, more);
      json.unsigned(value);
    }
    return value != 0;
  }

  final boolean textMember(String name, boolean more) throws ProtobufReader.Bad {
    in.text();
    if (in.length() > 0) {
      member(name, more);
      json.quoted(in.bytes(), in.offset(), in.length());
    }
    return in.length() > 0;
  }

  final boolean hexMember(String name, boolean more) throws ProtobufReader.Bad {
    in.text();
    if (in.length() > 0) {
      member(name, more);
      json.raw('"');
      json.hex(in.bytes(), in.offset(), in.length());
      json.raw('"');
    }
    return in.length() > 0;
  }
}
