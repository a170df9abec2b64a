package io.widerow.loadgen.workload;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// A batch encoded before the run: its bytes, and the offsets of each event's number and time.
///
/// - Threads: one at a time; the batches of a pool are divided among the connections.
/// - Memory: native, so that the socket reads the bytes without a copy on the heap.
public final class PreparedBatch {
  private final String type;
  private final ByteBuffer bytes;
  private final List<Stamp> stamps; // what is stamped into each event, in order
  private final int[] offsets; // events * stamps places in `bytes`
  private final long[] shiftsNanos; // each event's Sample.shiftNanos

  PreparedBatch(
      String type, ByteBuffer bytes, List<Stamp> stamps, int[] offsets, long[] shiftsNanos) {
    assert offsets.length == shiftsNanos.length * stamps.size() : "a place for each stamp";
    this.type = type;
    this.bytes = bytes;
    this.stamps = List.copyOf(stamps);
    this.offsets = offsets;
    this.shiftsNanos = shiftsNanos;
  }

  /// Replaces the marks of an encoded batch with room for the stamps.
  static PreparedBatch of(String type, List<String> events, long[] shiftsNanos) {
    List<Stamp> stamps = marks(events.get(0));
    int[] offsets = new int[events.size() * stamps.size()];
    ByteArrayOutputStream out = new ByteArrayOutputStream(events.size() * 256);
    int found = 0;
    for (String event : events) {
      assert marks(event).equals(stamps) : "events of a batch have the same stamps";
      int from = 0;
      for (int i = 0; i < event.length(); i++) {
        if (Stamp.isMark(event.charAt(i))) {
          out.writeBytes(event.substring(from, i).getBytes(StandardCharsets.UTF_8));
          offsets[found++] = out.size();
          out.writeBytes(new byte[Stamp.ofMark(event.charAt(i)).width]);
          from = i + 1;
        }
      }
      out.writeBytes(event.substring(from).getBytes(StandardCharsets.UTF_8));
    }
    ByteBuffer bytes = ByteBuffer.allocateDirect(out.size()).put(out.toByteArray()).clear();
    return new PreparedBatch(type, bytes, stamps, offsets, shiftsNanos);
  }

  private static List<Stamp> marks(String event) {
    return event
        .chars()
        .filter(c -> Stamp.isMark((char) c))
        .mapToObj(c -> Stamp.ofMark((char) c))
        .toList();
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

  long shiftNanos(int index) {
    return shiftsNanos[index];
  }

  /// Stamps the events of the batch, numbered from `sequenceFirst`. Costs `events * stamps` copies
  /// of some 20 bytes.
  public void stamp(Stamper stamper, Workload workload, long sequenceFirst) {
    int at = 0;
    for (int i = 0; i < shiftsNanos.length; i++) {
      long sequence = sequenceFirst + i;
      long timeNanos = workload.timeNanos(sequence, shiftsNanos[i]);
      for (int s = 0; s < stamps.size(); s++) {
        stamper.stamp(bytes, offsets[at++], stamps.get(s), sequence, timeNanos);
      }
    }
  }

  /// Writes what [PoolFile] reads.
  void write(DataOutputStream out) throws IOException {
    out.writeUTF(type);
    out.writeInt(stamps.size());
    for (Stamp stamp : stamps) {
      out.writeUTF(stamp.name());
    }
    out.writeInt(shiftsNanos.length);
    for (long shift : shiftsNanos) {
      out.writeLong(shift);
    }
    for (int offset : offsets) {
      out.writeInt(offset);
    }
    byte[] copy = new byte[bytes.capacity()];
    bytes.get(0, copy);
    out.writeInt(copy.length);
    out.write(copy);
  }
}
