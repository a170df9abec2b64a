package io.widerow.query.fields;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.query.survey.Json;
import io.widerow.storage.sketch.ValueHash;
import io.widerow.storage.sketch.ValueTable;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The number of events with each value of an attribute, in two columns: the picked events, and the
/// rest. A value that it has allocates nothing.
///
/// - With more than [#VALUES_MAX] values, or one that is longer than [#TEXT_BYTES_MAX], it forgets
///   the values and estimates how many there are.
/// - Threads: one.
final class ValueCounts {
  /// Column of the events that were not picked.
  static final int REST = 0;

  /// Column of the events that were picked.
  static final int PICKED = 1;

  static final int VALUES_MAX = 10_000;
  static final int TEXT_BYTES_MAX = 1 << 10;

  private ValueTable values = new ValueTable(true);
  private long[] counts = new long[16]; // by value and column
  private @Nullable DistinctEstimate estimate; // when there are many, of all that came

  /// A value and its events.
  ///
  /// @param json the value as JSON shows it
  record Counted(String json, long rest, long picked) {}

  void add(AttributeValue value, int column, long events) {
    DistinctEstimate many = estimate;
    if (many == null && ValueHash.length(value) > TEXT_BYTES_MAX) {
      many = forget();
    }
    if (many != null) {
      many.add(values.hashOf(value));
    } else {
      count(values.add(value), column, events);
    }
  }

  private void count(int number, int column, long events) {
    if (2 * number >= counts.length) {
      counts = Arrays.copyOf(counts, 2 * counts.length);
    }
    counts[2 * number + column] += events;
    if (number == VALUES_MAX) {
      DistinctEstimate _ = forget();
    }
  }

  /// Adds what others have counted, whatever its column was.
  void addAll(ValueCounts other, int column) {
    DistinctEstimate otherMany = other.estimate;
    if (otherMany != null) {
      DistinctEstimate many = estimate;
      (many == null ? forget() : many).add(otherMany);
      return;
    }
    for (int i = 0; i < other.values.size(); i++) {
      DistinctEstimate many = estimate;
      if (many != null) {
        many.add(other.values.hash(i));
      } else {
        long events = other.counts[2 * i + REST] + other.counts[2 * i + PICKED];
        count(values.add(other.values, i), column, events);
      }
    }
  }

  private DistinctEstimate forget() {
    DistinctEstimate many = new DistinctEstimate();
    for (int i = 0; i < values.size(); i++) {
      many.add(values.hash(i));
    }
    estimate = many;
    values = new ValueTable(true);
    counts = new long[0];
    return many;
  }

  /// True when there are too many values to keep them.
  boolean isMany() {
    return estimate != null;
  }

  /// Number of different values; an estimate when there are many.
  long distinct() {
    DistinctEstimate many = estimate;
    return many == null ? values.size() : many.count();
  }

  /// All values, in the order in which they came; none when there are many.
  List<Counted> all() {
    List<Counted> all = new ArrayList<>(values.size());
    for (int i = 0; i < values.size(); i++) {
      all.add(new Counted(json(i), counts[2 * i + REST], counts[2 * i + PICKED]));
    }
    return all;
  }

  /// Hands over each value until one is enough.
  ///
  /// @param each takes a value, valid until it returns; false when that is enough
  void forEach(Predicate<AttributeValue> each) {
    AttributeValue value = new AttributeValue();
    boolean more = true;
    for (int i = 0; i < values.size() && more; i++) {
      AttributeKind kind = values.kind(i);
      if (kind.isText()) {
        byte[] text = values.text(i);
        value.setText(kind, MemorySegment.ofArray(text), 0, text.length);
      } else {
        value.setBits(kind, values.bits(i));
      }
      more = each.test(value);
    }
  }

  private String json(int number) {
    return switch (values.kind(number)) {
      case STRING -> Json.string(new String(values.text(number), StandardCharsets.UTF_8));
      case BYTES -> Json.string(Base64.getEncoder().encodeToString(values.text(number)));
      case LONG -> Long.toString(values.bits(number));
      case DOUBLE -> Json.number(Double.longBitsToDouble(values.bits(number)));
      case BOOLEAN -> Boolean.toString(values.bits(number) != 0);
    };
  }

  /// Bytes of its arrays.
  long bytes() {
    return values.bytes() + 8L * counts.length + (estimate == null ? 0 : 1 << 11);
  }
}
