package io.widerow.ingest.decode;

import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/// Ids of events that have a key of their sender's, such as `u17|item9` (idempotency key). The id
/// is the event's time and 61 bits of a digest of type and key, so the event sent again is the same
/// event, whatever is around it then. Two events of one type are confused only when they have the
/// same time to 100 ns, and then one in 2^61 pairs of keys.
///
/// - Threads: one.
/// - Memory: reuses its digest.
public final class KeyId {
  /// Longest key, in bytes of UTF-8.
  public static final int BYTES_MAX = 1_024;

  private final MessageDigest digest = Sha256.start();

  /// The id of the event of this type that has this key.
  ///
  /// @param epochNanos the event's time; the id has it to 100 ns
  public EventId of(
      long epochNanos,
      byte[] type,
      int typeOffset,
      int typeBytes,
      byte[] key,
      int keyOffset,
      int keyBytes) {
    digest.update((byte) typeBytes); // so that no other type and key have the same bytes
    digest.update((byte) (typeBytes >>> Byte.SIZE));
    digest.update(type, typeOffset, typeBytes);
    digest.update(key, keyOffset, keyBytes);
    long hash = ByteBuffer.wrap(digest.digest()).getLong();
    return new EventId(TimeUuid.timeOfNanos(epochNanos), TimeUuid.tailOfHash(hash));
  }
}
