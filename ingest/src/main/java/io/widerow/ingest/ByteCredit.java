package io.widerow.ingest;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/// The bytes that all requests together may hold. They are claimed before a body is read, which is
/// what bounds memory however hard senders push.
///
/// - Threads: any.
final class ByteCredit {
  /// Part of all bytes that is left free for others when those who were refused are asked back.
  private static final int ROOM_PARTS = 8;

  private final long bytesMax;
  private final AtomicLong free;
  private final AtomicLong refused = new AtomicLong();
  private volatile LongConsumer room = _ -> {};

  ByteCredit(long bytesMax) {
    this.bytesMax = bytesMax;
    this.free = new AtomicLong(bytesMax);
  }

  /// False when there is not so much left, or only a debt; nothing is claimed then.
  boolean tryClaim(long bytes) {
    assert bytes >= 0 : bytes;
    long now = free.get();
    while (now >= bytes && now > 0) {
      if (free.compareAndSet(now, now - bytes)) {
        return true;
      }
      now = free.get();
    }
    refused.incrementAndGet();
    return false;
  }

  /// Claims what is in use already, into debt if it must be: nobody else gets credit until it is
  /// paid back.
  void claimInDebt(long bytes) {
    free.addAndGet(-bytes);
  }

  void release(long bytes) {
    long now = free.addAndGet(bytes);
    assert now <= bytesMax : "released more than claimed: " + now + " of " + bytesMax;
    long spare = now - bytesMax / ROOM_PARTS;
    if (bytes > 0 && spare > 0) {
      room.accept(spare);
    }
  }

  /// Has `action` told how many bytes are free each time some are released, on the thread that
  /// released them.
  void whenRoom(LongConsumer action) {
    room = action;
  }

  long bytesMax() {
    return bytesMax;
  }

  /// Negative in debt.
  long bytesFree() {
    return free.get();
  }

  long bytesUsed() {
    return bytesMax - free.get();
  }

  /// Claims that were refused.
  long refused() {
    return refused.get();
  }
}
