package io.widerow.storage.upkeep;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.storage.manifest.Deletion;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/// A digest of a set of events, in whatever order they come: the sum of the first 128 bits of their
/// SHA-256 hashes. An event that is missing, shown twice or has another attribute changes it.
///
/// ```
///   hashed:  long idTime | long idTail | long version | type | attributes in order of names
///   a type, a name, a text value:  int length | bytes           a number:  kind | long bits
/// ```
///
/// Big-endian.
///
/// - Threads: one.
public final class EventDigest {
  private static final int ROOM_LEAST = 1 << 10;

  private final MessageDigest hash = sha256();
  private final AttributeValue value = new AttributeValue();
  private final EventView.AttributeVisitor attributes = this::put;
  private byte[] record = new byte[ROOM_LEAST];
  private int length;
  private long high;
  private long low;
  private long events;

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  /// Adds the event that a cursor shows.
  public void add(EventView event) {
    length = 0;
    put(event.idTime());
    put(event.idTail());
    put(event.version());
    event.readType(value);
    putText(value);
    event.forEach(value, attributes);
    hash.update(record, 0, length);
    ByteBuffer sum = ByteBuffer.wrap(hash.digest());
    long moreHigh = sum.getLong();
    long moreLow = sum.getLong();
    low += moreLow;
    high += moreHigh + (Long.compareUnsigned(low, moreLow) < 0 ? 1 : 0);
    events++;
  }

  private void put(AttributeName name, AttributeValue of) {
    reserve(Integer.BYTES + name.length() + 1);
    putInt(name.length());
    length = name.copyTo(record, length);
    record[length++] = of.kind().code;
    if (of.kind().isText()) {
      putText(of);
    } else {
      put(of.bits());
    }
  }

  private void putText(AttributeValue text) {
    reserve(Integer.BYTES + text.length());
    putInt(text.length());
    length = text.copyTo(record, length);
  }

  private void put(long number) {
    reserve(Long.BYTES);
    ByteBuffer.wrap(record).putLong(length, number);
    length += Long.BYTES;
  }

  private void putInt(int number) {
    ByteBuffer.wrap(record).putInt(length, number);
    length += Integer.BYTES;
  }

  private void reserve(int more) {
    if (record.length - length < more) {
      record = Arrays.copyOf(record, Math.max(2 * record.length, length + more));
    }
  }

  /// How many events were added.
  public long events() {
    return events;
  }

  /// The digest, to be added to others.
  public Deletion.Digest sum() {
    return new Deletion.Digest(events, high, low);
  }

  /// The digest: 32 hexadecimal digits.
  public String text() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
