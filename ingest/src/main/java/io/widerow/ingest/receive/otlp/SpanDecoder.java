package io.widerow.ingest.receive.otlp;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufReader;
import org.jspecify.annotations.Nullable;

/// Decodes `ExportTraceServiceRequest`. The type of spans is that of the service, with `.spans`.
/// The time of a span is its start; that of one without a start its end, and it has no duration.
final class SpanDecoder extends OtlpDecoder {
  private static final byte[] SPANS = ascii(".spans");

  private final FixedName traceState = name("trace_state");
  private final FixedName parent = name("parent_span_id");
  private final FixedName body = name("body");
  private final FixedName kindName = name("kind");
  private final FixedName[] kinds =
      FixedName.all(tape, "internal", "server", "client", "producer", "consumer");
  private final FixedName duration = name("duration");
  private final FixedName droppedEvents = name("dropped_events_count");
  private final FixedName droppedLinks = name("dropped_links_count");
  private final FixedName statusMessage = name("status_message");
  private final FixedName statusCode = name("status_code");
  private final FixedName traceFlags = name("trace_flags");
  private final FixedName eventsName = name("events");
  private final FixedName linksName = name("links");
  private final RepeatedFieldOffsets events = new RepeatedFieldOffsets();
  private final RepeatedFieldOffsets links = new RepeatedFieldOffsets();

  private long start;
  private long end;
  private long kind;

  SpanDecoder(@Nullable String typeAsked) {
    super(typeAsked);
  }

  @Override
  JsonMessage request() {
    return JsonMessages.TRACES;
  }

  @Override
  String recordName() {
    return "spans";
  }

  @Override
  void takeType(byte[] source, int offset, int length) {
    byte[] type = new byte[length + SPANS.length]; // once for each resource
    System.arraycopy(source, offset, type, 0, length);
    System.arraycopy(SPANS, 0, type, length, SPANS.length);
    super.takeType(type, 0, type.length);
  }

  @Override
  void record(IncomingBatch batch) throws ProtobufReader.Bad {
    start = 0;
    end = 0;
    kind = 0;
    clearTime();
    events.clear();
    links.clear();
    tape.level(ATTRIBUTE);
    while (in.next()) {
      field();
    }
    tape.level(OWN);
    if (kind >= 1 && kind <= kinds.length) {
      kindName.name(tape);
      kinds[(int) kind - 1].value(tape);
    } else {
      wholeUnlessZero(kindName, kind);
    }
    if (start != 0 && end != 0) {
      duration.name(tape);
      duration();
    }
    details(eventsName, events, true);
    details(linksName, links, false);
    write(batch, timeOf(start != 0 ? start : end, batch));
  }

  private void duration() {
    if (Long.compareUnsigned(end, start) < 0) {
      tape.whole(end - start); // negative
    } else {
      unsigned(end - start);
    }
  }

  private void field() throws ProtobufReader.Bad {
    switch (in.field()) {
      case 1 -> traceId();
      case 2 -> spanId();
      case 3 -> ownText(traceState);
      case 4 -> hexUnlessEmpty(parent);
      case 5 -> ownText(body);
      case 6 -> kind = in.varint();
      case 7 -> start = in.fixed64();
      case 8 -> end = in.fixed64();
      case 9 -> any.attribute();
      case 10 -> dropped();
      case 11 -> spot(events);
      case 12 -> ownUnlessZero(droppedEvents, in.varint());
      case 13 -> spot(links);
      case 14 -> ownUnlessZero(droppedLinks, in.varint());
      case 15 -> status();
      case 16 -> ownUnlessZero(traceFlags, Integer.toUnsignedLong(in.fixed32()));
      case TIME_TEXT -> timeText();
      case TIME_OF_TEXT -> timeOfText();
      default -> in.skip();
    }
  }

  private void status() throws ProtobufReader.Bad {
    int outer = in.enter();
    while (in.next()) {
      switch (in.field()) {
        case 2 -> ownText(statusMessage);
        case 3 -> ownUnlessZero(statusCode, in.varint());
        default -> in.skip();
      }
    }
    in.leave(outer);
  }

  private void details(FixedName name, RepeatedFieldOffsets spots, boolean ofEvents)
      throws ProtobufReader.Bad {
    if (spots.count() == 0) {
      return;
    }
    name.name(tape);
    int from = tape.scratchLimit();
    json.raw('[');
    for (int i = 0; i < spots.count(); i++) {
      json.text(i == 0 ? "{" : ",{");
      in.read(spots.start(i), spots.end(i));
      boolean some = false;
      while (in.next()) {
        some |= ofEvents ? eventMember(some) : linkMember(some);
      }
      in.read(spots.start(i), spots.end(i));
      json.text(some ? ",\"attributes\":" : "\"attributes\":");
      any.object(ofEvents ? 3 : 4, 0);
      json.raw('}');
    }
    json.raw(']');
    tape.json(true, from, tape.scratchLimit() - from);
  }

  private boolean eventMember(boolean more) throws ProtobufReader.Bad {
    return switch (in.field()) {
      case 1 -> wholeMember("time_unix_nano", in.fixed64(), more);
      case 2 -> textMember("name", more);
      case 4 -> wholeMember("dropped_attributes_count", in.varint(), more);
      default -> {
        in.skip();
        yield false;
      }
    };
  }

  private boolean linkMember(boolean more) throws ProtobufReader.Bad {
    return switch (in.field()) {
      case 1 -> hexMember("trace_id", more);
      case 2 -> hexMember("span_id", more);
      case 3 -> textMember("trace_state", more);
      case 5 -> wholeMember("dropped_attributes_count", in.varint(), more);
      case 6 -> wholeMember("flags", Integer.toUnsignedLong(in.fixed32()), more);
      default -> {
        in.skip();
        yield false;
      }
    };
  }
}
