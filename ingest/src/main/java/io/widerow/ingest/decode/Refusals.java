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

  private static final int LONG = 2;
  private static final int OTHER = 1;
  private static final int RUN_BYTES_MAX = 5 + 5 + 2; // two varints, a reason and its length
  private static final int REASON_BYTES_MAX = 255;
  private static final int REASONS_MAX = 255;
  private static final byte[] NONE = new byte[0];

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

  /// Adds all of another list. Each listed event is moved once, however the two interleave: a batch
  /// may have hundreds of thousands of them.
  public void addAll(Refusals other) {
    int more = Math.min(other.listed, LISTED_MAX - listed);
    if (listed + more > indexes.length) {
      int room = Math.max(listed + more, 2 * indexes.length);
      indexes = Arrays.copyOf(indexes, room);
      reasons = Arrays.copyOf(reasons, room);
    }
    int mine = listed - 1;
    int theirs = more - 1;
    listed += more;
    for (int at = listed - 1; theirs >= 0; at--) {
      boolean isMine = mine >= 0 && indexes[mine] > other.indexes[theirs];
      indexes[at] = isMine ? indexes[mine] : other.indexes[theirs];
      reasons[at] = isMine ? reasons[mine--] : other.reasons[theirs--];
    }
    count += other.count;
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

  /// Writes the counts, the distinct reasons, and as many refusals as fit: runs of consecutive
  /// events with one reason.
  ///
  /// ```
  ///    0       4        8
  ///   +-------+--------+-----+-----+---- ~
  ///   | count | listed | run | run |
  ///   +-------+--------+-----+-----+---- ~
  ///   a run:  varint gap << 2 | long << 1 | other
  ///           long:   varint length - 2; else the length is 1
  ///           other:  reason (1), not that of the run before. If it is the next new one:
  ///                   length (1), text in UTF-8
  /// ```
  ///
  /// `gap` is the index of the first event less that of the last one of the run before, or less 0.
  ///
  /// @return whether all that is listed was written
  public boolean writeTo(ByteBuffer out) {
    out.putInt(count);
    int listedAt = out.position();
    out.putInt(0);
    List<String> distinct = new ArrayList<>();
    String last = "";
    int written = 0;
    int lastIndex = 0;
    while (written < listed) {
      int limit = runLimit(written);
      String reason = reasons[written];
      boolean other = written == 0 || !reason.equals(last);
      int number = other ? distinct.indexOf(reason) : 0;
      byte[] text = number < 0 ? reason.getBytes(StandardCharsets.UTF_8) : NONE;
      boolean isNew = number < 0;
      if (out.remaining() < RUN_BYTES_MAX + text.length
          || text.length > REASON_BYTES_MAX
          || (isNew && distinct.size() == REASONS_MAX)) {
        break;
      }
      int length = limit - written;
      long gap = (long) indexes[written] - lastIndex; // 0 for an index that is there twice
      putVarint(out, gap << 2 | (length > 1 ? LONG : 0) | (other ? OTHER : 0));
      if (length > 1) {
        putVarint(out, length - 2);
      }
      if (other) {
        out.put((byte) (isNew ? distinct.size() : number));
      }
      if (isNew) {
        out.put((byte) text.length).put(text);
        distinct.add(reason);
      }
      last = reason;
      lastIndex = indexes[limit - 1];
      written = limit;
    }
    out.putInt(listedAt, written);
    return written == listed;
  }

  /// The first listed event that does not go on with the run of the one at `from`.
  private int runLimit(int from) {
    int limit = from + 1;
    while (limit < listed
        && indexes[limit] == indexes[limit - 1] + 1
        && reasons[limit].equals(reasons[from])) {
      limit++;
    }
    return limit;
  }

  private static void putVarint(ByteBuffer out, long value) {
    long left = value;
    while (left > 0x7f) {
      out.put((byte) (left | 0x80));
      left >>>= 7;
    }
    out.put((byte) left);
  }

  /// Reads what [#writeTo] wrote; null when the bytes are something else.
  public static @Nullable Refusals readFrom(ByteBuffer in) {
    Refusals refusals = new Refusals();
    return read(in, refusals) < 0 ? null : refusals;
  }

  /// Number of refusals in such bytes, listed or not; negative when they are something else. Builds
  /// no list.
  public static int countIn(ByteBuffer in) {
    return read(in, null);
  }

  private static int read(ByteBuffer in, @Nullable Refusals into) {
    try {
      int total = in.getInt();
      if (total < 0 || !readRuns(in, total, into)) {
        return -1;
      }
      if (into != null) {
        into.count = total;
      }
      return total;
    } catch (BufferUnderflowException cut) {
      return -1;
    }
  }

  private static boolean readRuns(ByteBuffer in, int listedMax, @Nullable Refusals into) {
    int listed = in.getInt();
    if (listed < 0 || listed > Math.min(listedMax, LISTED_MAX)) {
      return false;
    }
    List<String> distinct = new ArrayList<>();
    @Nullable String reason = null;
    int found = 0;
    long lastIndex = 0;
    while (found < listed) {
      long head = varint(in);
      long length = (head & LONG) == 0 ? 1 : 2 + varint(in);
      if ((head & OTHER) != 0) {
        reason = reason(in, distinct);
      }
      long from = lastIndex + (head >>> 2);
      lastIndex = from + length - 1;
      if (reason == null || length > listed - found || lastIndex > Integer.MAX_VALUE) {
        return false;
      }
      for (long index = from; into != null && index <= lastIndex; index++) {
        into.add((int) index, reason);
      }
      found += (int) length;
    }
    return !in.hasRemaining();
  }

  /// At most 35 bits; more are of no index.
  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      byte next = in.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new BufferUnderflowException();
  }

  private static @Nullable String reason(ByteBuffer in, List<String> distinct) {
    int number = Byte.toUnsignedInt(in.get());
    if (number == distinct.size()) {
      byte[] text = new byte[Byte.toUnsignedInt(in.get())];
      in.get(text);
      distinct.add(new String(text, StandardCharsets.UTF_8));
    }
    return number < distinct.size() ? distinct.get(number) : null;
  }
}
