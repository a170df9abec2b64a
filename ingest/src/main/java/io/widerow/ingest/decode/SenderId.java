package io.widerow.ingest.decode;

import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/// Ids of events that a sender has named in its own way: the `_id` of a document, the cursor of a
/// journal entry. The id follows from the event's time and a digest of that name, so that the event
/// sent again replaces itself, whatever is around it then.
///
/// Of the digest 54 bits are used. Two events of one type are confused only when they also have the
/// same time to 100 ns.
///
/// - Threads: one.
/// - Memory: reuses its digest.
public final class SenderId {
  private static final long ID_BITS = 0x3f_ffff_ffff_ffffL; // below the nanoseconds of a tick

  private final MessageDigest digest = Sha256.start();

  /// The id of the event that the sender calls by these bytes.
  ///
  /// @param epochNanos the event's time; the id has it to 100 ns, and sorts by all of it
  public EventId of(long epochNanos, byte[] name, int offset, int length) {
    digest.update(name, offset, length);
    long bits = ByteBuffer.wrap(digest.digest()).getLong() & ID_BITS;
    int daemon = (int) ((bits >>> 45) & (TimeUuid.DAEMON_LIMIT - 1));
    return new EventId(
        TimeUuid.timeOfNanos(epochNanos),
        TimeUuid.tailOf(epochNanos, daemon, bits & (TimeUuid.COUNTER_LIMIT - 1)));
  }
}
