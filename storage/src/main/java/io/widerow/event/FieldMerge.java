package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Merges attributes into a record, both in the order of names, so that nothing is sorted
/// afterwards:
///
/// ```
///   record     body          host            a run that stays is one copy
///   added            client        status
///   merged     body  client  host  status
/// ```
///
/// The order of the added ones is that of the last record when their names are the same objects.
///
/// - Threads: one.
/// - Memory: keeps two arrays as large as the largest record.
public final class FieldMerge {
  private byte[] record = new byte[1 << 10];
  private byte[] merged = new byte[1 << 10];
  private AttributeName[] names = {}; // of the last record, as they came
  private int named;
  private int[] order = {}; // of them, one of each name
  private int distinct;

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
    sort(fields);
    at = 0;
    attributes = 0;
    int next = 0;
    int added = 0;
    int run = 0; // what stays and is not copied yet
    int here = (int) (EventLayout.attributesOffset(records, offset) - offset);
    for (int left = EventLayout.attributes(records, offset); left > 0; left--) {
      int compared = -1;
      while (next < distinct && (compared = compare(fields, next, here)) < 0) {
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

  private int compare(AddedFields fields, int next, int attribute) {
    int nameBytes = record[attribute + 1] & 0xff;
    return fields.name(order[next]).compareTo(record, attribute + 2, nameBytes);
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

  /// Orders the fields by name; of equal names only the first stays.
  @SuppressWarnings("ReferenceEquality") // other objects of equal names are sorted again
  private void sort(AddedFields fields) {
    int count = fields.count();
    boolean same = count == named;
    for (int i = 0; same && i < count; i++) {
      same = names[i] == fields.name(i);
    }
    if (same) {
      return;
    }
    if (names.length < count) {
      names = new AttributeName[2 * count];
      order = new int[2 * count];
    }
    named = count;
    distinct = 0;
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
  }
}
