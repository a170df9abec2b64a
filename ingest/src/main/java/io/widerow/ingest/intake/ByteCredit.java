package io.widerow.ingest.intake;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/// The bytes that all requests together may hold. They are claimed before a body is read, which
/// bounds memory under any load.
///
/// - Threads: any.
public final class ByteCredit {
  /// An eighth of all bytes stays free for others when refused senders are let in again.
  private static final int ROOM_PARTS = 8;

  private final long bytesMax;
  private final AtomicLong free;
  private final AtomicLong refused = new AtomicLong();
  private volatile LongConsumer room = _ -> {};

  public ByteCredit(long bytesMax) {
    this.bytesMax = bytesMax;
    this.free = new AtomicLong(bytesMax);
  }

  /// Claims bytes if so many are free. Otherwise, and also in debt, returns false and claims
  /// nothing.
  public boolean tryClaim(long bytes) {
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

  /// Claims bytes that are already in use, if necessary into debt: then no request gets credit
  /// until the debt is paid back.
  public void claimInDebt(long bytes) {
    free.addAndGet(-bytes);
  }

  public void release(long bytes) {
    long now = free.addAndGet(bytes);
    assert now <= bytesMax : "released more than claimed: " + now + " of " + bytesMax;
    long spare = now - bytesMax / ROOM_PARTS;
    if (bytes > 0 && spare > 0) {
      room.accept(spare);
    }
  }

  /// Calls `action` with the free bytes above the reserve each time some are released, on the
  /// releasing thread.
  public void whenRoom(LongConsumer action) {
    room = action;
  }

  public long bytesMax() {
    return bytesMax;
  }

  /// Negative in debt.
  public long bytesFree() {
    return free.get();
  }

  public long bytesUsed() {
    return bytesMax - free.get();
  }

  /// Claims that were refused.
  public long refused() {
    return refused.get();
  }
}
