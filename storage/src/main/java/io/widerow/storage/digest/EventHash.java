package io.widerow.storage.digest;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/// Hashes events: the first 128 bits of the SHA-256 of the id, the version, the type, and the
/// attributes with kinds and values. The shard is no part of it.
///
/// ```
///  0        8        16        ..     ..     ..  then for each attribute, in order of names
///  +--------+--------+---------+------+------+-----------+------+------+-------------------+-- ~
///  | idTime | idTail | version | typeBytes, type | nameBytes, name | kind | 8 bytes, or 8 and text
///
///  version  8 bytes, or one that tells whether the id is a client's;  nameBytes 1;  others 8
/// ```
///
/// Little-endian.
///
/// - Threads: one.
/// - Memory: the longest event so far.
public final class EventHash implements EventView.AttributeVisitor {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int HASH_BYTES = 32;
  private static final int NUMBER_BYTES = 2 + Long.BYTES;

  private final boolean versions;
  private final MessageDigest sha;
  private final byte[] hash = new byte[HASH_BYTES];
  private final AttributeValue scratch = new AttributeValue();
  private byte[] record = new byte[1 << 12];
  private int length;

  private EventHash(boolean versions) {
    this.versions = versions;
    try {
      sha = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /// A hash of what a reader sees of an event: of a version only whether the id is a client's.
  /// Stores that hold the same events may have other versions of them.
  public static EventHash asShown() {
    return new EventHash(false);
  }

  /// A hash of all that a store holds of an event, but its shard.
  public static EventHash asWritten() {
    return new EventHash(true);
  }

  /// Hashes an event; [#high] and [#low] are the result.
  public void of(EventView event) {
    length = 0;
    room(3 * Long.BYTES);
    putLong(event.idTime());
    putLong(event.idTail());
    if (versions) {
      putLong(event.version());
    } else {
      record[length++] = (byte) (event.version() == EventLayout.VERSION_ASSIGNED ? 0 : 1);
    }
    event.readType(scratch);
    putText(scratch);
    event.forEach(scratch, this);
    sha.update(record, 0, length);
    try {
      sha.digest(hash, 0, HASH_BYTES);
    } catch (DigestException tooShort) {
      throw new IllegalStateException(tooShort);
    }
  }

  public long high() {
    return (long) LONG.get(hash, 0);
  }

  public long low() {
    return (long) LONG.get(hash, Long.BYTES);
  }

  /// Bytes of the event that was hashed last.
  public int bytes() {
    return length;
  }

  @Override
  public void visit(AttributeName name, AttributeValue value) {
    room(name.length() + NUMBER_BYTES);
    record[length++] = (byte) name.length();
    length = name.copyTo(record, length);
    record[length++] = value.kind().code;
    if (value.kind().isText()) {
      putText(value);
    } else {
      putLong(value.bits());
    }
  }

  private void putText(AttributeValue value) {
    room(Long.BYTES + value.length());
    putLong(value.length());
    length = value.copyTo(record, length);
  }

  private void putLong(long value) {
    LONG.set(record, length, value);
    length += Long.BYTES;
  }

  private void room(int bytes) {
    if (length + bytes > record.length) {
      record = Arrays.copyOf(record, Math.max(2 * record.length, length + bytes));
    }
  }
}
