package io.widerow.ingest.receive.otlp;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// The events that messages of the generated classes become, computed from PROTOCOLS.md and not
/// with the code that is tested.
final class ExpectedEvents {
  static final int OWN = 0;
  static final int ATTRIBUTE = 1;
  private static final int BODY = 2;
  private static final int SCOPE = 3;
  private static final int RESOURCE = 4;
  static final int METADATA = 5;
  private static final String[] PREFIXES = {
    "", "attributes.", "body.", "scope.", "resource.", "metadata."
  };
  private static final List<String> RESERVED = List.of("id", "ts", "type");
  private static final String[] LEVELS = {"trace", "debug", "info", "warn", "error", "fatal"};

  private record Entry(int level, String name, Object value) {}

  private final List<Entry> entries = new ArrayList<>();
  private boolean ownLevel;

  static List<MemoryStore.Stored> of(ResourceLogs logs) {
    List<MemoryStore.Stored> events = new ArrayList<>();
    for (ScopeLogs scope : logs.getScopeLogsList()) {
      for (LogRecord record : scope.getLogRecordsList()) {
        ExpectedEvents event = new ExpectedEvents();
        long time = event.log(record);
        event.around(
            logs.getResource(), logs.getSchemaUrl(), scope.getScope(), scope.getSchemaUrl());
        events.add(event.stored(service(logs.getResource()), time));
      }
    }
    return events;
  }

  static List<MemoryStore.Stored> of(ResourceSpans spans) {
    List<MemoryStore.Stored> events = new ArrayList<>();
    for (ScopeSpans scope : spans.getScopeSpansList()) {
      for (Span span : scope.getSpansList()) {
        ExpectedEvents event = new ExpectedEvents();
        event.span(span);
        event.around(
            spans.getResource(), spans.getSchemaUrl(), scope.getScope(), scope.getSchemaUrl());
        String type = service(spans.getResource()) + ".spans";
        long start = span.getStartTimeUnixNano();
        events.add(event.stored(type, start != 0 ? start : span.getEndTimeUnixNano()));
      }
    }
    return events;
  }

  /// The last service that has a name.
  private static String service(Resource resource) {
    String service = "unknown_service";
    for (KeyValue attribute : resource.getAttributesList()) {
      String name = attribute.getValue().getStringValue();
      service = attribute.getKey().equals("service.name") && !name.isEmpty() ? name : service;
    }
    return service;
  }

  void put(int level, String name, Object value) {
    entries.add(new Entry(level, name, value));
  }

  void putUnlessZero(int level, String name, long value) {
    if (value != 0) {
      put(level, name, value);
    }
  }

  void putUnlessEmpty(int level, String name, String value) {
    if (!value.isEmpty()) {
      put(level, name, value);
    }
  }

  void around(Resource resource, String schema, InstrumentationScope scope, String scopeSchema) {
    all(RESOURCE, resource.getAttributesList());
    putUnlessZero(
        RESOURCE, "resource.dropped_attributes_count", resource.getDroppedAttributesCount());
    putUnlessEmpty(RESOURCE, "resource.schema_url", schema);
    putUnlessEmpty(SCOPE, "scope.name", scope.getName());
    putUnlessEmpty(SCOPE, "scope.version", scope.getVersion());
    all(SCOPE, scope.getAttributesList());
    putUnlessZero(SCOPE, "scope.dropped_attributes_count", scope.getDroppedAttributesCount());
    putUnlessEmpty(SCOPE, "scope.schema_url", scopeSchema);
  }

  void all(int level, List<KeyValue> attributes) {
    for (KeyValue attribute : attributes) {
      any(level, attribute.getKey(), attribute.getValue());
    }
  }

  private void any(int level, String name, AnyValue value) {
    switch (value.getValueCase()) {
      case VALUE_NOT_SET, STRING_VALUE_STRINDEX -> {}
      case STRING_VALUE -> put(level, name, value.getStringValue());
      case BOOL_VALUE -> put(level, name, value.getBoolValue());
      case INT_VALUE -> put(level, name, value.getIntValue());
      case DOUBLE_VALUE -> put(level, name, value.getDoubleValue());
      case BYTES_VALUE -> put(level, name, value.getBytesValue().toStringUtf8());
      case ARRAY_VALUE -> put(level, name, ExpectedText.any(value));
      case KVLIST_VALUE -> {
        for (KeyValue member : value.getKvlistValue().getValuesList()) {
          any(level, name + "." + member.getKey(), member.getValue());
        }
      }
    }
  }

  private static boolean isLevel(KeyValue attribute) {
    return attribute.getKey().equals("level")
        && !attribute.getValue().hasKvlistValue()
        && attribute.getValue().getValueCase() != AnyValue.ValueCase.VALUE_NOT_SET;
  }

  private long log(LogRecord record) {
    all(ATTRIBUTE, record.getAttributesList());
    ownLevel = record.getAttributesList().stream().anyMatch(ExpectedEvents::isLevel);
    body(record.getBody());
    int number = record.getSeverityNumberValue();
    putUnlessZero(OWN, "severity_number", number);
    putUnlessEmpty(OWN, "severity_text", record.getSeverityText());
    if (!ownLevel && number > 0) {
      put(OWN, "level", LEVELS[(number - 1) / 4]);
    } else if (!ownLevel) {
      putUnlessEmpty(OWN, "level", record.getSeverityText().toLowerCase(Locale.ROOT));
    }
    putUnlessZero(OWN, "dropped_attributes_count", record.getDroppedAttributesCount());
    putUnlessZero(OWN, "trace_flags", Integer.toUnsignedLong(record.getFlags()));
    putUnlessEmpty(OWN, "trace_id", ExpectedText.hex(record.getTraceId()));
    putUnlessEmpty(OWN, "span_id", ExpectedText.hex(record.getSpanId()));
    putUnlessEmpty(OWN, "event_name", record.getEventName());
    long time = record.getTimeUnixNano();
    long observed = record.getObservedTimeUnixNano();
    long own = time != 0 ? time : observed != 0 ? observed : Decoding.ARRIVAL_NANOS;
    if (observed != 0 && Math.abs(observed - own) >= 1_000_000_000L) {
      put(OWN, "observed", observed);
    }
    return own;
  }

  private void body(AnyValue body) {
    switch (body.getValueCase()) {
      case VALUE_NOT_SET, STRING_VALUE_STRINDEX -> {}
      case STRING_VALUE -> put(OWN, "body", body.getStringValue());
      case BYTES_VALUE -> put(OWN, "body", body.getBytesValue().toStringUtf8());
      case BOOL_VALUE, INT_VALUE, DOUBLE_VALUE, ARRAY_VALUE ->
          put(OWN, "body", ExpectedText.any(body));
      case KVLIST_VALUE -> {
        List<KeyValue> members = body.getKvlistValue().getValuesList();
        int text = -1;
        for (String name : List.of("message", "msg", "log", "body")) {
          for (int i = 0; i < members.size() && text < 0; i++) {
            boolean is = members.get(i).getKey().equals(name);
            text = is && members.get(i).getValue().hasStringValue() ? i : text;
          }
        }
        for (int i = 0; i < members.size(); i++) {
          if (i == text) {
            put(OWN, "body", members.get(i).getValue().getStringValue());
          } else {
            any(BODY, members.get(i).getKey(), members.get(i).getValue());
            ownLevel |= isLevel(members.get(i));
          }
        }
      }
    }
  }

  private void span(Span span) {
    all(ATTRIBUTE, span.getAttributesList());
    putUnlessEmpty(OWN, "trace_id", ExpectedText.hex(span.getTraceId()));
    putUnlessEmpty(OWN, "span_id", ExpectedText.hex(span.getSpanId()));
    putUnlessEmpty(OWN, "trace_state", span.getTraceState());
    putUnlessEmpty(OWN, "parent_span_id", ExpectedText.hex(span.getParentSpanId()));
    putUnlessEmpty(OWN, "body", span.getName());
    if (span.getKindValue() > 0) {
      String kind = span.getKind().name().substring("SPAN_KIND_".length());
      put(OWN, "kind", kind.toLowerCase(Locale.ROOT));
    }
    if (span.getStartTimeUnixNano() != 0 && span.getEndTimeUnixNano() != 0) {
      put(OWN, "duration", span.getEndTimeUnixNano() - span.getStartTimeUnixNano());
    }
    putUnlessZero(OWN, "dropped_attributes_count", span.getDroppedAttributesCount());
    putUnlessZero(OWN, "dropped_events_count", span.getDroppedEventsCount());
    putUnlessZero(OWN, "dropped_links_count", span.getDroppedLinksCount());
    Status status = span.getStatus();
    putUnlessEmpty(OWN, "status_message", status.getMessage());
    putUnlessZero(OWN, "status_code", status.getCodeValue());
    putUnlessZero(OWN, "trace_flags", Integer.toUnsignedLong(span.getFlags()));
    putList("events", span.getEventsList().stream().map(ExpectedText::event).toList());
    putList("links", span.getLinksList().stream().map(ExpectedText::link).toList());
  }

  void putList(String name, List<String> elements) {
    if (!elements.isEmpty()) {
      put(OWN, name, "[" + String.join(",", elements) + "]");
    }
  }

  /// The event, with names that are taken under the prefix of their level.
  MemoryStore.Stored stored(String type, long time) {
    Map<String, Object> attributes = new TreeMap<>();
    List<Entry> ordered = new ArrayList<>(entries);
    ordered.sort(Comparator.comparingInt(Entry::level)); // stable
    for (Entry entry : ordered) {
      String prefix = PREFIXES[entry.level()];
      boolean reserved = entry.level() > ATTRIBUTE && RESERVED.contains(entry.name());
      String name = reserved ? prefix + entry.name() : entry.name();
      if (attributes.containsKey(name) && !reserved) {
        name = prefix + name;
      }
      String wanted = name;
      for (int i = 2; attributes.containsKey(name); i++) {
        name = wanted + "." + i;
      }
      attributes.put(name, entry.value());
    }
    return new MemoryStore.Stored(type, time, null, attributes);
  }
}
