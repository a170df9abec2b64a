package io.widerow.loadgen.workload;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/// A batch encoded before the run: its bytes, and the places of each event's number and time.
///
/// - Threads: one at a time; the batches of a pool are divided among the connections.
/// - Memory: native, so that the socket reads the bytes without a copy on the heap.
public final class PreparedBatch {
  private final String type;
  private final ByteBuffer bytes;
  private final char[] stamps; // marks: the kind of each stamp
  private final int[] events; // whose stamp it is
  private final int[] offsets; // where
  private final long[] shiftsNanos; // each event's Sample.shiftNanos

  PreparedBatch(
      String type,
      ByteBuffer bytes,
      char[] stamps,
      int[] events,
      int[] offsets,
      long[] shiftsNanos) {
    assert offsets.length == stamps.length && events.length == stamps.length : "a place each";
    this.type = type;
    this.bytes = bytes;
    this.stamps = stamps;
    this.events = events;
    this.offsets = offsets;
    this.shiftsNanos = shiftsNanos;
  }

  public String type() {
    return type;
  }

  /// The request's body; the sender may move position and limit.
  public ByteBuffer bytes() {
    return bytes;
  }

  public int events() {
    return shiftsNanos.length;
  }

  /// Stamps the events of the batch, numbered from `sequenceFirst`. Costs a copy of some 20 bytes
  /// for each place.
  public void stamp(Stamper stamper, Workload workload, long sequenceFirst) {
    for (int i = 0; i < offsets.length; i++) {
      long sequence = sequenceFirst + events[i];
      long timeNanos = workload.timeNanos(sequence, shiftsNanos[events[i]]);
      stamper.stamp(bytes, offsets[i], Stamp.ofMark(stamps[i]), sequence, timeNanos);
    }
  }

  /// Writes what [#read] reads.
  void write(DataOutputStream out) throws IOException {
    out.writeUTF(type);
    out.writeInt(shiftsNanos.length);
    for (long shift : shiftsNanos) {
      out.writeLong(shift);
    }
    out.writeInt(offsets.length);
    for (int i = 0; i < offsets.length; i++) {
      out.writeChar(stamps[i]);
      out.writeInt(events[i]);
      out.writeInt(offsets[i]);
    }
    byte[] copy = new byte[bytes.capacity()];
    bytes.get(0, copy);
    out.writeInt(copy.length);
    out.write(copy);
  }

  static PreparedBatch read(DataInputStream in) throws IOException {
    String type = in.readUTF();
    long[] shiftsNanos = new long[in.readInt()];
    for (int i = 0; i < shiftsNanos.length; i++) {
      shiftsNanos[i] = in.readLong();
    }
    int places = in.readInt();
    char[] stamps = new char[places];
    int[] events = new int[places];
    int[] offsets = new int[places];
    for (int i = 0; i < places; i++) {
      stamps[i] = in.readChar();
      events[i] = in.readInt();
      offsets[i] = in.readInt();
    }
    byte[] bytes = in.readNBytes(in.readInt());
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
    return new PreparedBatch(type, direct, stamps, events, offsets, shiftsNanos);
  }
}
