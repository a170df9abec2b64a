package io.widerow.ingest.intake;

import io.widerow.ingest.decode.Swar;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/// The bytes of a request on the heap, with the slack after them that [Swar] needs.
///
/// - Threads: one at a time.
public final class Body {
  private static final int BYTES_START = 64 << 10;
  private static final int KEPT_BYTES_MAX = 1 << 20;
  private static final int KEPT_MAX = 64;
  private static final ArrayBlockingQueue<Body> IDLE = new ArrayBlockingQueue<>(KEPT_MAX);

  private byte[] bytes = new byte[BYTES_START];
  private int length;

  private Body() {}

  /// An empty body, pooled or new.
  public static Body take() {
    @Nullable Body body = IDLE.poll();
    return body != null ? body : new Body();
  }

  public void give() {
    length = 0;
    if (bytes.length <= KEPT_BYTES_MAX) {
      IDLE.offer(this);
    }
  }

  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  /// Makes room for `more` bytes and returns their offset. Call [#wrote] after writing them.
  public int reserve(int more) {
    int needed = length + more + Swar.SLACK_BYTES;
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
    }
    return length;
  }

  /// Drops the first bytes.
  public void cutFront(int count) {
    if (count > 0) {
      length -= count;
      System.arraycopy(bytes, count, bytes, 0, length);
    }
  }

  /// Drops all bytes from an offset on.
  public void cutBack(int newLength) {
    length = newLength;
  }

  public void wrote(int count) {
    length += count;
  }
}
