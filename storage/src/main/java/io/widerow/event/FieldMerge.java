package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Merges attributes into a record, both in the order of names, so that nothing is sorted
/// afterwards:
///
/// ```
///   record     body          host            a run that stays is one copy
///   added            client        status
///   merged     body  client  host  status
/// ```
///
/// Records mostly have one of a few sets of names, because some lack a field. The order of each set
/// is kept and found again by its names, when these are the same objects.
///
/// - Threads: one.
/// - Memory: keeps two arrays as large as the largest record, and the names of [#ORDERS_MAX] sets.
public final class FieldMerge {
  private static final int ORDERS_MAX = 8;

  /// A set of names, as they came, and its fields in the order of names, one of each name.
  private static final class Order {
    final AttributeName[] names;
    final int[] fields;

    Order(AttributeName[] names, int[] fields) {
      this.names = names;
      this.fields = fields;
    }

    @SuppressWarnings("ReferenceEquality") // other objects of equal names are sorted again
    boolean isOf(AddedFields added) {
      int count = added.count();
      boolean same = count == names.length;
      for (int i = 0; same && i < count; i++) {
        same = names[i] == added.name(i);
      }
      return same;
    }
  }

  private byte[] record = new byte[1 << 10];
  private byte[] merged = new byte[1 << 10];
  private final @Nullable Order[] orders = new Order[ORDERS_MAX];
  private int nextOrder; // the place of the next one
  private Order last = new Order(new AttributeName[0], new int[0]);

  private int at; // where the next byte goes
  private int attributes;

  /// Makes the copy of a record with the fields.
  ///
  /// @param overwrites whether a field replaces the attribute of its name, else it is left out
  /// @return false when no field is added
  public boolean merge(MemorySegment records, long offset, AddedFields fields, boolean overwrites) {
    int length = EventLayout.length(records, offset);
    if (record.length < length) {
      record = new byte[2 * length];
    }
    MemorySegment.copy(records, JAVA_BYTE, offset, record, 0, length);
    int[] order = orderOf(fields).fields;
    int distinct = order.length;
    at = 0;
    attributes = 0;
    int next = 0;
    int added = 0;
    int run = 0; // what stays and is not copied yet
    int here = (int) (EventLayout.attributesOffset(records, offset) - offset);
    for (int left = EventLayout.attributes(records, offset); left > 0; left--) {
      int compared = -1;
      while (next < distinct && (compared = compare(fields, order[next], here)) < 0) {
        copy(run, here);
        run = here;
        put(fields, order[next++]);
        added++;
      }
      int end = end(here);
      if (next < distinct && compared == 0) {
        if (overwrites) {
          copy(run, here);
          run = end;
          put(fields, order[next]);
          attributes--; // it counts as the one that it replaces
          added++;
        }
        next++;
      }
      attributes++;
      here = end;
    }
    copy(run, here);
    while (next < distinct) {
      put(fields, order[next++]);
      added++;
    }
    return added > 0;
  }

  /// Number of attributes of the copy.
  public int attributes() {
    return attributes;
  }

  /// Length of the copy in bytes, the header included, which is still that of the record.
  public int length() {
    return at;
  }

  byte[] bytes() {
    return merged;
  }

  private int compare(AddedFields fields, int field, int attribute) {
    int nameBytes = record[attribute + 1] & 0xff;
    return fields.name(field).compareTo(record, attribute + 2, nameBytes);
  }

  private int end(int attribute) {
    int value = attribute + 2 + (record[attribute + 1] & 0xff);
    return switch (AttributeKind.of(record[attribute])) {
      case LONG, DOUBLE -> value + Long.BYTES;
      case BOOLEAN -> value + 1;
      case STRING, BYTES -> value + Integer.BYTES + (int) ByteRuns.INT.get(record, value);
    };
  }

  private void copy(int from, int until) {
    reserve(until - from);
    System.arraycopy(record, from, merged, at, until - from);
    at += until - from;
  }

  private void put(AddedFields fields, int field) {
    AttributeName name = fields.name(field);
    AttributeKind kind = fields.kind(field);
    int textBytes = kind.isText() ? fields.length(field) : 0;
    reserve(2 + name.length() + Long.BYTES + textBytes);
    merged[at] = kind.code;
    merged[at + 1] = (byte) name.length();
    at = name.copyTo(merged, at + 2);
    switch (kind) {
      case LONG, DOUBLE -> {
        ByteRuns.LONG.set(merged, at, fields.bits(field));
        at += Long.BYTES;
      }
      case BOOLEAN -> merged[at++] = (byte) fields.bits(field);
      case STRING, BYTES -> {
        ByteRuns.INT.set(merged, at, textBytes);
        fields.copyTo(field, merged, at + Integer.BYTES);
        at += Integer.BYTES + textBytes;
      }
    }
    attributes++;
  }

  private void reserve(int bytes) {
    if (at + bytes > merged.length) {
      merged = Arrays.copyOf(merged, 2 * (at + bytes));
    }
  }

  private Order orderOf(AddedFields fields) {
    if (last.isOf(fields)) {
      return last;
    }
    for (Order known : orders) {
      if (known != null && known.isOf(fields)) {
        last = known;
        return known;
      }
    }
    last = sorted(fields);
    orders[nextOrder] = last;
    nextOrder = (nextOrder + 1) % ORDERS_MAX;
    return last;
  }

  /// Orders the fields by name; of equal names only the first stays.
  private Order sorted(AddedFields fields) {
    int count = fields.count();
    AttributeName[] names = new AttributeName[count];
    int[] order = new int[count];
    int distinct = 0;
    for (int i = 0; i < count; i++) {
      AttributeName name = fields.name(i);
      names[i] = name;
      int place = distinct;
      int compared = -1;
      while (place > 0 && (compared = names[order[place - 1]].compareTo(name)) > 0) {
        place--;
      }
      if (place == 0 || compared != 0) {
        System.arraycopy(order, place, order, place + 1, distinct - place);
        order[place] = i;
        distinct++;
      }
    }
    return new Order(names, Arrays.copyOf(order, distinct));
  }
}
