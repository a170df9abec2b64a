package io.widerow.ingest.transform;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.RecordView;
import io.widerow.storage.EventChange;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Transforms of events that are stored already. The rules that may be used make nothing more of
/// what they have made, so that a run that was interrupted can be repeated; events stay, and keep
/// type and id. An event of which a rule makes too much stays as it is.
///
/// - Threads: one.
/// - Memory: two copies of the largest event, until [#close].
public final class StoredTransform implements EventChange, AutoCloseable {
  private static final int NAMES_MAX = 10_000;
  private static final long BYTES_START = 1 << 12;

  private final TransformRun run;
  private final EventBatch record = new EventBatch(BYTES_START, 2L * EventLayout.EVENT_BYTES_MAX);
  private final Map<AttributeName, byte[]> names = new HashMap<>();
  private final AttributeValue scratch = new AttributeValue();
  private final Changed changed = new Changed();
  private String type = "";
  private byte[] typeUtf8 = {};

  /// @throws IllegalArgumentException when a rule is not for stored events, with its line
  public StoredTransform(TransformSet set) {
    for (Transform rule : set.rules()) {
      String refused = refusal(rule.action());
      if (refused != null) {
        record.close();
        throw new IllegalArgumentException(
            "transforms: line %d: %s".formatted(rule.line(), refused));
      }
    }
    this.run = new TransformRun(set);
  }

  private static @Nullable String refusal(Action action) {
    return switch (action) {
      case Action.Parse _, Action.Lookup _, Action.SetValue _ -> null;
      case Action.Drop _, Action.Rename _, Action.Redact _ -> null;
      case Action.DropEvent _, Action.Sample _ ->
          "stored events are left out by `widerow delete`, not by a transform";
      case Action.MoveToType _ -> "a stored event keeps its type";
      case Action.Hash _ -> "repeated, it would make digests of digests of stored values";
      case Action.Copy _ -> "repeated, it would make a copy of stored values again";
    };
  }

  @Override
  public EventView of(EventView event) {
    record.clear();
    if (!event.type().equals(type)) {
      type = event.type();
      typeUtf8 = type.getBytes(StandardCharsets.UTF_8);
    }
    record.begin(typeUtf8, 0, typeUtf8.length, event.id());
    event.forEach(scratch, this::put);
    if (record.end() != null) {
      return event;
    }
    MemorySegment before = record.memory();
    RecordView after = run.changed(before, 0);
    return after == null ? event : changed.of(event, after);
  }

  private void put(AttributeName name, AttributeValue value) {
    if (names.size() >= NAMES_MAX) {
      names.clear();
    }
    byte[] utf8 =
        names.computeIfAbsent(
            name,
            key -> {
              byte[] bytes = new byte[key.length()];
              int _ = key.copyTo(bytes, 0);
              return bytes;
            });
    switch (value.kind()) {
      case STRING, BYTES -> {
        byte[] text = new byte[value.length()];
        int _ = value.copyTo(text, 0);
        switch (value.kind()) {
          case STRING -> record.putString(utf8, 0, utf8.length, text);
          default -> record.putBytes(utf8, 0, utf8.length, text, 0, text.length);
        }
      }
      case LONG -> record.putLong(utf8, 0, utf8.length, value.bits());
      case DOUBLE -> record.putDouble(utf8, 0, utf8.length, value.asDouble());
      case BOOLEAN -> record.putBoolean(utf8, 0, utf8.length, value.bits() != 0);
    }
  }

  @Override
  public void close() {
    record.close();
  }

  /// A stored event with the attributes of a record.
  private static final class Changed implements EventView {
    private EventView event = new RecordView();
    private RecordView attributes = new RecordView();

    Changed of(EventView newEvent, RecordView newAttributes) {
      event = newEvent;
      attributes = newAttributes;
      return this;
    }

    @Override
    public long idTime() {
      return event.idTime();
    }

    @Override
    public long idTail() {
      return event.idTail();
    }

    @Override
    public long version() {
      return event.version();
    }

    @Override
    public String type() {
      return event.type();
    }

    @Override
    public void readType(AttributeValue out) {
      event.readType(out);
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      return attributes.find(name, out);
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
      attributes.forEach(scratch, visitor);
    }
  }
}
