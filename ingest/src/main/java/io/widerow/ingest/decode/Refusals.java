package io.widerow.ingest.decode;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The refused events of a batch, each with its index in the batch and a reason.
///
/// - Threads: one at a time, handed over with the batch.
public final class Refusals {
  /// Most refused events that are listed; further ones are only counted.
  static final int LISTED_MAX = 1 << 20;

  private static final int OBJECT_BYTES = 160; // this object, two array headers, and the holder
  private static final int REFERENCE_BYTES = 4;
  private static final int STRING_BYTES = 48;

  private int count;
  private int listed;
  private int[] indexes = new int[8];
  private String[] reasons = new String[8];

  /// Refusals that are counted, but not listed.
  public static Refusals counted(int count) {
    var refusals = new Refusals();
    refusals.count = count;
    return refusals;
  }

  /// Adds the event at `index`, counted from 0 over the whole batch.
  public void add(int index, String reason) {
    count++;
    if (listed == LISTED_MAX) {
      return;
    }
    if (listed == indexes.length) {
      indexes = Arrays.copyOf(indexes, 2 * listed);
      reasons = Arrays.copyOf(reasons, 2 * listed);
    }
    int at = listed++;
    while (at > 0 && indexes[at - 1] > index) { // nearly always sorted already
      indexes[at] = indexes[at - 1];
      reasons[at] = reasons[at - 1];
      at--;
    }
    indexes[at] = index;
    reasons[at] = reason;
  }

  public void addAll(Refusals other) {
    for (int i = 0; i < other.listed; i++) {
      add(other.indexes[i], other.reasons[i]);
    }
    count += other.count - other.listed;
  }

  /// These, and those of another list that are not listed here.
  public Refusals with(Refusals other) {
    Refusals both = new Refusals();
    int at = 0;
    for (int i = 0; i < listed; i++) {
      for (; at < other.listed && other.indexes[at] <= indexes[i]; at++) {
        if (other.indexes[at] < indexes[i]) {
          both.add(other.indexes[at], other.reasons[at]);
        }
      }
      both.add(indexes[i], reasons[i]);
    }
    for (; at < other.listed; at++) {
      both.add(other.indexes[at], other.reasons[at]);
    }
    both.count = Math.max(both.count, count);
    return both;
  }

  /// Replaces each reason.
  public void rewrite(UnaryOperator<String> change) {
    for (int i = 0; i < listed; i++) {
      reasons[i] = change.apply(reasons[i]);
    }
  }

  /// Number of refused events, listed or not.
  public int count() {
    return count;
  }

  public int listed() {
    return listed;
  }

  /// Approximate bytes on the heap.
  public long heapBytes() {
    long bytes = OBJECT_BYTES + (long) (Integer.BYTES + REFERENCE_BYTES) * indexes.length;
    for (int i = 0; i < listed; i++) {
      boolean again = i > 0 && reasons[i].equals(reasons[i - 1]); // usually the same object
      bytes += again ? 0 : STRING_BYTES + reasons[i].length();
    }
    return bytes;
  }

  /// Index in the batch of the i-th listed event, ascending.
  public int index(int i) {
    return indexes[i];
  }

  public String reason(int i) {
    return reasons[i];
  }

  /// The reason of the listed event with the greatest index.
  public String lastReason() {
    return reasons[listed - 1];
  }

  /// Writes the counts, the distinct reasons, and as many indexes as fit.
  public void writeTo(ByteBuffer out) {
    out.putInt(count);
    List<String> distinct = new ArrayList<>();
    int lengthAt = out.position();
    out.putShort((short) 0);
    int written = 0;
    for (int i = 0; i < listed; i++) {
      int reason = distinct.indexOf(reasons[i]);
      byte[] text = reason < 0 ? reasons[i].getBytes(StandardCharsets.UTF_8) : new byte[0];
      if (out.remaining() < 7 + text.length || text.length > 255 || distinct.size() == 255) {
        break;
      }
      out.putInt(indexes[i]);
      if (reason < 0) {
        out.put((byte) distinct.size()).put((byte) text.length).put(text);
        distinct.add(reasons[i]);
      } else {
        out.put((byte) reason);
      }
      written++;
    }
    out.putShort(lengthAt, (short) written);
  }

  /// Reads what [#writeTo] wrote; null when the bytes are something else.
  public static @Nullable Refusals readFrom(ByteBuffer in) {
    try {
      return read(in);
    } catch (BufferUnderflowException cut) {
      return null;
    }
  }

  private static @Nullable Refusals read(ByteBuffer in) {
    int count = in.getInt();
    int written = in.getShort();
    Refusals refusals = new Refusals();
    List<String> distinct = new ArrayList<>();
    for (int i = 0; i < written; i++) {
      int index = in.getInt();
      int reason = Byte.toUnsignedInt(in.get());
      if (reason == distinct.size()) {
        byte[] text = new byte[Byte.toUnsignedInt(in.get())];
        in.get(text);
        distinct.add(new String(text, StandardCharsets.UTF_8));
      } else if (reason > distinct.size()) {
        return null;
      }
      refusals.add(index, distinct.get(reason));
    }
    if (count < refusals.listed) {
      return null;
    }
    refusals.count = count;
    return refusals;
  }
}
