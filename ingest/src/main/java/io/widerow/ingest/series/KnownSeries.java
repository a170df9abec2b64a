package io.widerow.ingest.series;

import io.widerow.event.AttributeKind;
import io.widerow.event.EventBatch;
import io.widerow.event.EventNames;
import io.widerow.event.RecordTemplate;
import io.widerow.ingest.decode.AttributeTape;
import java.util.Arrays;

/// A series that was seen before: its head as its sender writes it (of line protocol: measurement
/// and tags), the record that one of its points became, and the fields of that point.
///
/// - Threads: one.
/// - Memory: reuses its arrays for the next series in the same place.
public final class KnownSeries {
  private byte[] head = new byte[0];
  private int headBytes; // 0 while it holds no series
  private long hash;
  private final RecordTemplate record = new RecordTemplate();
  private final EventNames fields = new EventNames(); // in the order sent
  private int[] places = new int[0]; // of each field in the record
  private int number; // place of the only number, of a series without names of fields

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
    keep(headHash, body, offset, length);
  }

  /// Becomes the series of the last event in `events`, where one attribute is a number and all
  /// others are strings.
  ///
  /// @param length of the head, which is at `offset`
  void takeNumber(EventBatch events, long headHash, byte[] bytes, int offset, int length) {
    headBytes = 0;
    fields.clear();
    events.copyLast(record);
    number = 0;
    while (record.kind(number).isText()) {
      number++;
    }
    keep(headHash, bytes, offset, length);
  }

  private void keep(long headHash, byte[] source, int offset, int length) {
    if (head.length < length) {
      head = new byte[length];
    }
    System.arraycopy(source, offset, head, 0, length);
    hash = headHash;
    headBytes = length;
  }

  /// Approximate memory that it holds.
  long heldBytes() {
    long own = head.length + (long) Integer.BYTES * places.length;
    return own + record.heldBytes() + fields.heldBytes();
  }

  /// The attributes that all points of the series share.
  public RecordTemplate record() {
    return record;
  }

  /// The names of its fields, in the order sent.
  public EventNames fields() {
    return fields;
  }

  /// The place of the only number in the record, of a series that was added by
  /// [SeriesCache#learnNumber].
  public int number() {
    return number;
  }

  /// The place of a field in the record.
  public int place(int field) {
    return places[field];
  }

  /// The kind of a field.
  public AttributeKind kind(int field) {
    return record.kind(places[field]);
  }
}
