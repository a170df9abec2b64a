package io.widerow.query.series;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.StreamLabels;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.stream.Collectors;

/// Which attributes of an event are labels, as [StreamLabels#FIELD] tells.
///
/// - Threads: any; immutable.
final class EventForm {
  static final AttributeName FIELD = StreamLabels.FIELD;

  /// The attribute is not there: a sample or a log.
  static final EventForm NONE = new EventForm(false, Set.of());

  /// A metric of OTLP.
  static final EventForm OTLP = new EventForm(false, Set.of());

  /// A measurement whose texts are labels.
  private static final EventForm TEXTS = new EventForm(true, Set.of());

  private final boolean measurement;
  private final Set<AttributeName> labels; // empty for all texts

  private EventForm(boolean measurement, Set<AttributeName> labels) {
    this.measurement = measurement;
    this.labels = labels;
  }

  /// Whether its attributes are labels and fields.
  boolean isMeasurement() {
    return measurement;
  }

  /// Whether an attribute of a measurement is a label.
  boolean isLabel(AttributeName name, boolean isText) {
    return this == TEXTS ? isText : labels.contains(name);
  }

  private static EventForm of(String value) {
    return switch (value) {
      case StreamLabels.TEXTS -> TEXTS;
      case StreamLabels.OTLP -> OTLP;
      default ->
          new EventForm(
              true,
              StreamLabels.names(value).stream()
                  .map(StreamLabels::attribute)
                  .collect(Collectors.toUnmodifiableSet()));
    };
  }

  /// Reads the forms of events, most of which have that of the event before.
  ///
  /// - Threads: one.
  static final class Reader {
    private final AttributeValue scratch = new AttributeValue();
    private MemorySegment last = MemorySegment.ofArray(new byte[0]);
    private EventForm form = of("");

    EventForm of(EventView event) {
      if (!event.find(FIELD, scratch) || !scratch.kind().isText()) {
        return NONE;
      }
      long end = scratch.offset() + scratch.length();
      boolean same =
          last.byteSize() == scratch.length()
              && MemorySegment.mismatch(
                      scratch.memory(), scratch.offset(), end, last, 0, last.byteSize())
                  < 0;
      if (!same) {
        last = MemorySegment.ofArray(scratch.toBytes());
        form = EventForm.of(scratch.toString());
      }
      return form;
    }

    private static EventForm of(String value) {
      return EventForm.of(value);
    }
  }
}
