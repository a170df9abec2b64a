package io.widerow.ingest.intake;

import io.widerow.ingest.decode.Swar;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/// The bytes of a request on the heap, with the slack after them that [Swar] needs.
///
/// - Threads: one at a time.
/// - Memory: idle bodies of at most 1 MiB are kept, 64 or fewer, in at most a sixteenth of the
///   heap.
public final class Body {
  private static final int BYTES_START = 64 << 10;
  private static final int KEPT_BYTES_MAX = 1 << 20;
  private static final int HEAP_SHARE = 16;
  private static final int KEPT_MAX = 64;
  private static final ArrayBlockingQueue<Body> IDLE =
      new ArrayBlockingQueue<>(kept(Runtime.getRuntime().maxMemory()));
  private static final byte[] NONE = {};

  private byte[] bytes = new byte[BYTES_START];
  private int length;

  private Body() {}

  /// How many idle bodies are kept with a heap of this size.
  static int kept(long heapBytes) {
    return Math.clamp(heapBytes / HEAP_SHARE / KEPT_BYTES_MAX, 1, KEPT_MAX);
  }

  /// An empty body, pooled or new.
  public static Body take() {
    @Nullable Body body = IDLE.poll();
    return body != null ? body : new Body();
  }

  public void give() {
    int _ = giveCounted();
  }

  /// Gives it back and returns the bytes of its array, or 0 when the pool keeps them. Decoders
  /// refer to the array until their request is answered.
  public int giveCounted() {
    length = 0;
    if (bytes.length <= KEPT_BYTES_MAX && IDLE.offer(this)) {
      return 0;
    }
    int left = bytes.length;
    bytes = NONE;
    return left;
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
