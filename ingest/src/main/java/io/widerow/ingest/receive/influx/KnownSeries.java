package io.widerow.ingest.receive.influx;

import io.widerow.event.AttributeKind;
import io.widerow.event.EventBatch;
import io.widerow.event.EventNames;
import io.widerow.event.RecordTemplate;
import io.widerow.ingest.decode.AttributeTape;
import java.util.Arrays;

/// A series of line protocol that was seen before: the head of its lines (measurement and tags as
/// written), the record that one of its lines became, and the fields of that line.
///
/// - Threads: one.
/// - Memory: reuses its arrays for the next series in the same place.
final class KnownSeries {
  private byte[] head = new byte[0];
  private int headBytes; // 0 while it holds no series
  private long hash;
  private final RecordTemplate record = new RecordTemplate();
  private final EventNames fields = new EventNames(); // in the order sent
  private int[] places = new int[0]; // of each field in the record

  /// True when it holds a series whose head has this hash.
  boolean hasHash(long headHash) {
    return headBytes > 0 && hash == headHash;
  }

  /// True when the `length` bytes at `offset` are its head.
  boolean is(long headHash, byte[] body, int offset, int length) {
    return hash == headHash
        && headBytes == length
        && Arrays.equals(head, 0, length, body, offset, offset + length);
  }

  /// Becomes the series of the last event in `events`. It becomes empty instead when later lines
  /// cannot be matched by the names of their fields alone.
  ///
  /// @param tape with the event's attributes
  /// @param tags how many of the attributes are tags
  /// @param length of the head, which is at `offset`
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

  /// Approximate memory that it holds.
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

  /// The place of a field in the record.
  int place(int field) {
    return places[field];
  }

  AttributeKind kind(int field) {
    return record.kind(places[field]);
  }
}
