package io.widerow.ingest;

import io.widerow.event.AttributeKind;
import io.widerow.event.EventBatch;
import io.widerow.event.EventNames;
import io.widerow.event.RecordTemplate;
import java.util.Arrays;

/// A series of line protocol that came before: the head of its lines, measurement and tags as they
/// are written, the record that one of them became, and which fields that had.
///
/// - Threads: one.
/// - Memory: keeps its arrays for the series that follows in its place.
final class KnownSeries {
  private byte[] head = new byte[0];
  private int headBytes; // 0 while it is nobody's
  private long hash;
  private final RecordTemplate record = new RecordTemplate();
  private final EventNames fields = new EventNames(); // as they came
  private int[] places = new int[0]; // by field: where in the record

  /// True when its head has this hash, and it is somebody's.
  boolean hasHash(long headHash) {
    return headBytes > 0 && hash == headHash;
  }

  /// True when `length` bytes at `offset` are its head.
  boolean is(long headHash, byte[] body, int offset, int length) {
    return hash == headHash
        && headBytes == length
        && Arrays.equals(head, 0, length, body, offset, offset + length);
  }

  /// Becomes the series of the event that `events` took last, or nobody's when another one of it
  /// could not be told by its fields' names alone.
  ///
  /// @param tape that has the event's attributes
  /// @param tags how many of them are tags
  /// @param length of the head, which lies at `offset`
  void take(
      EventBatch events,
      AttributeTape tape,
      int tags,
      long headHash,
      byte[] body,
      int offset,
      int length) {
    headBytes = 0;
    int count = tape.count() - tags;
    if (places.length < count) {
      places = new int[count];
    }
    if (!tape.copyNumbers(tags, fields, places)) {
      return;
    }
    events.copyLast(record);
    if (head.length < length) {
      head = new byte[length];
    }
    System.arraycopy(body, offset, head, 0, length);
    hash = headHash;
    headBytes = length;
  }

  /// Memory that it keeps, about.
  long heldBytes() {
    long own = head.length + (long) Integer.BYTES * places.length;
    return own + record.heldBytes() + fields.heldBytes();
  }

  RecordTemplate record() {
    return record;
  }

  EventNames fields() {
    return fields;
  }

  /// Where a field is in the record.
  int place(int field) {
    return places[field];
  }

  AttributeKind kind(int field) {
    return record.kind(places[field]);
  }
}
