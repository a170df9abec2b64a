package io.widerow.loadgen.workload;

import io.widerow.loadgen.format.SnappyBlock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Bytes of a batch under construction, and the places in them that stamps will fill. A stamp has a
/// fixed width, so lengths that a format states in front of its content are known before the run.
///
/// - Threads: one.
final class MarkedBytes {
  private byte[] bytes = new byte[64];
  private int size;
  private char[] stamps = new char[4]; // their marks
  private int[] events = new int[4]; // of the batch, from 0
  private int[] offsets = new int[4]; // ascending
  private int places;

  int size() {
    return size;
  }

  /// Appends text in UTF-8; its marks become places of the event's stamps.
  MarkedBytes text(CharSequence marked, int event) {
    int from = 0;
    for (int i = 0; i < marked.length(); i++) {
      char c = marked.charAt(i);
      if (Stamp.isMark(c)) {
        text(marked, from, i);
        stamp(Stamp.ofMark(c), event);
        from = i + 1;
      }
    }
    text(marked, from, marked.length());
    return this;
  }

  private void text(CharSequence marked, int from, int until) {
    if (from < until) {
      raw(marked.subSequence(from, until).toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  /// Appends text without marks.
  MarkedBytes text(String plain) {
    return raw(plain.getBytes(StandardCharsets.UTF_8));
  }

  MarkedBytes raw(byte... more) {
    reserve(more.length);
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
    return this;
  }

  /// Appends a byte; only its low eight bits count.
  MarkedBytes one(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
    return this;
  }

  MarkedBytes stamp(Stamp stamp, int event) {
    place(stamp.mark(), event, size);
    reserve(stamp.width);
    size += stamp.width;
    return this;
  }

  private void place(char stamp, int event, int offset) {
    if (places == offsets.length) {
      stamps = Arrays.copyOf(stamps, places * 2);
      events = Arrays.copyOf(events, places * 2);
      offsets = Arrays.copyOf(offsets, places * 2);
    }
    stamps[places] = stamp;
    events[places] = event;
    offsets[places++] = offset;
  }

  MarkedBytes append(MarkedBytes other) {
    reserve(other.size);
    for (int i = 0; i < other.places; i++) {
      place(other.stamps[i], other.events[i], size + other.offsets[i]);
    }
    System.arraycopy(other.bytes, 0, bytes, size, other.size);
    size += other.size;
    return this;
  }

  private void reserve(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
    }
  }

  /// The same as a Snappy block in which each stamp can still be written.
  MarkedBytes snappy() {
    int[] widths = new int[places];
    for (int i = 0; i < places; i++) {
      widths[i] = Stamp.ofMark(stamps[i]).width;
    }
    SnappyBlock.Block block =
        SnappyBlock.compress(Arrays.copyOf(bytes, size), Arrays.copyOf(offsets, places), widths);
    MarkedBytes out = new MarkedBytes().raw(block.bytes());
    for (int i = 0; i < places; i++) {
      out.place(stamps[i], events[i], block.offsets()[i]);
    }
    return out;
  }

  /// @param shiftsNanos of each event
  PreparedBatch prepared(String type, long[] shiftsNanos) {
    ByteBuffer direct = ByteBuffer.allocateDirect(size).put(bytes, 0, size).clear();
    return new PreparedBatch(
        type,
        direct,
        Arrays.copyOf(stamps, places),
        Arrays.copyOf(events, places),
        Arrays.copyOf(offsets, places),
        shiftsNanos);
  }
}
