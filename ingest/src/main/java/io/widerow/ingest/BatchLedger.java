package io.widerow.ingest;

import io.widerow.storage.Durability;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The keys of a lane's recent batches with the answers they got, so that a repeat is answered and
/// not stored again. Keys are kept for a time and up to a number, whichever is more, but never more
/// than a hard limit.
///
/// ```
///   slots   a ring of columns, oldest at `first`         +---+---+---+---+---+---+
///           keys, groups, time, answer                   |   |old|   |   |new|   |
///                                                        +---+---+---+---+---+---+
///                                                              ^
///   index   open addressing by the low half of the key   +---+---+---+---+ ...   2 x slots
///           slot + 1, or 0 for free                      | 2 | 0 | 5 | 0 |
///                                                        +---+---+---+---+
/// ```
///
/// A note in the journal is one entry: version, key, seconds, accepted, refusals.
///
/// - Threads: that of the lane.
/// - Memory: about 60 bytes of heap a key.
final class BatchLedger {
  static final int NOTE_BYTES_MAX = 1 << 10;

  private static final int NOTE_VERSION = 1;
  private static final int NOTE_BYTES_MIN = 1 + 3 * Long.BYTES + Integer.BYTES;
  private static final int SLOTS_START = 1 << 10;

  private final int keptMin;
  private final int keptMax;
  private final long keptSeconds;

  private int slots = SLOTS_START;
  private int first;
  private int count;
  private long[] high = new long[slots];
  private long[] low = new long[slots];
  private long[] groupFirst = new long[slots];
  private long[] groupLast = new long[slots];
  private long[] seconds = new long[slots];
  private int[] accepted = new int[slots];
  private @Nullable Durability[] durability = new @Nullable Durability[slots];
  private @Nullable Refusals[] refused = new @Nullable Refusals[slots];
  private int[] index = new int[2 * slots];
  private final ByteBuffer note = ByteBuffer.allocate(NOTE_BYTES_MAX);

  /// @param keptMin keys kept however old they are
  /// @param keptMax keys kept at most, a power of two
  /// @param keptSeconds age up to which keys are kept
  BatchLedger(int keptMin, int keptMax, long keptSeconds) {
    if (Integer.bitCount(keptMax) != 1 || keptMax < SLOTS_START || keptMin > keptMax) {
      throw new IllegalArgumentException("keeps " + keptMin + " to " + keptMax + " keys");
    }
    this.keptMin = keptMin;
    this.keptMax = keptMax;
    this.keptSeconds = keptSeconds;
  }

  int count() {
    return count;
  }

  /// The slot of a key, negative when it is not known. Valid until the next change.
  int find(BatchKey key) {
    for (int at = home(key.low()); index[at] != 0; at = (at + 1) & (index.length - 1)) {
      int slot = index[at] - 1;
      if (low[slot] == key.low() && high[slot] == key.high()) {
        return slot;
      }
    }
    return -1;
  }

  int accepted(int slot) {
    return accepted[slot];
  }

  Refusals refused(int slot) {
    Refusals known = refused[slot];
    return known != null ? known : new Refusals();
  }

  /// The level that the batch was acknowledged at.
  Durability durability(int slot) {
    Durability level = durability[slot];
    return level != null ? level : Durability.MEMORY;
  }

  /// A group that is not before the batch's; [Long#MAX_VALUE] while it is not committed.
  long groupLast(int slot) {
    return groupLast[slot];
  }

  /// Adds a batch that is appended and not yet committed, and returns its note for the journal.
  ///
  /// @param newGroupFirst a group that is not behind the batch's
  byte[] add(
      BatchKey key,
      int newAccepted,
      Refusals newRefused,
      Durability newDurability,
      long newSeconds,
      long newGroupFirst) {
    put(key, newAccepted, newRefused, newDurability, newSeconds);
    int slot = (first + count - 1) & (slots - 1);
    groupFirst[slot] = newGroupFirst;
    groupLast[slot] = Long.MAX_VALUE;
    note.clear();
    note.put((byte) NOTE_VERSION);
    note.putLong(key.high()).putLong(key.low()).putLong(newSeconds).putInt(newAccepted);
    newRefused.writeTo(note);
    return Arrays.copyOf(note.array(), note.position());
  }

  /// Takes in a note from before the restart; what was found in the journal is on the disk. The
  /// batch of a note that is none of this version is not recognised any more.
  void restore(long group, byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length < NOTE_BYTES_MIN || in.get() != NOTE_VERSION) {
      return;
    }
    BatchKey key = new BatchKey(in.getLong(), in.getLong());
    long noted = in.getLong();
    int newAccepted = in.getInt();
    Refusals newRefused = Refusals.readFrom(in);
    if (newRefused != null && find(key) < 0) {
      put(key, newAccepted, newRefused, Durability.DISK, noted);
      int slot = (first + count - 1) & (slots - 1);
      groupFirst[slot] = group;
      groupLast[slot] = group;
    }
  }

  /// Says that everything added so far is in groups up to `group`.
  void committed(long group) {
    for (int i = count - 1; i >= 0; i--) {
      int slot = (first + i) & (slots - 1);
      if (groupLast[slot] != Long.MAX_VALUE) {
        return;
      }
      groupLast[slot] = group;
    }
  }

  /// Forgets what was added since the last commit: it is not acknowledged.
  void forgetUncommitted() {
    while (count > 0 && groupLast[(first + count - 1) & (slots - 1)] == Long.MAX_VALUE) {
      remove((first + count - 1) & (slots - 1));
      count--;
    }
  }

  /// Drops what need not be kept any more.
  ///
  /// @return the first group whose notes are still needed; negative when nothing was dropped
  long expire(long nowSeconds) {
    int before = count;
    while (count > keptMin && seconds[first] < nowSeconds - keptSeconds) {
      removeFirst();
    }
    if (count == before) {
      return -1;
    }
    return count == 0 ? Long.MAX_VALUE : groupFirst[first];
  }

  private void put(
      BatchKey key,
      int newAccepted,
      Refusals newRefused,
      Durability newDurability,
      long newSeconds) {
    if (count == slots && slots < keptMax) {
      grow();
    } else if (count == slots) {
      removeFirst();
    }
    int slot = (first + count++) & (slots - 1);
    high[slot] = key.high();
    low[slot] = key.low();
    seconds[slot] = newSeconds;
    accepted[slot] = newAccepted;
    durability[slot] = newDurability;
    refused[slot] = newRefused.count() == 0 ? null : newRefused;
    insert(slot);
  }

  private void removeFirst() {
    remove(first);
    first = (first + 1) & (slots - 1);
    count--;
  }

  private int home(long keyLow) {
    return (int) keyLow & (index.length - 1); // bits of a digest need no mixing
  }

  private void insert(int slot) {
    int at = home(low[slot]);
    while (index[at] != 0) {
      at = (at + 1) & (index.length - 1);
    }
    index[at] = slot + 1;
  }

  /// Takes a slot out of the index and moves up what had been pushed past it.
  private void remove(int slot) {
    int mask = index.length - 1;
    int hole = home(low[slot]);
    while (index[hole] != slot + 1) {
      hole = (hole + 1) & mask;
    }
    for (int at = (hole + 1) & mask; index[at] != 0; at = (at + 1) & mask) {
      int distance = (at - home(low[index[at] - 1])) & mask;
      if (distance >= ((at - hole) & mask)) {
        index[hole] = index[at];
        hole = at;
      }
    }
    index[hole] = 0;
    refused[slot] = null;
  }

  private void grow() {
    high = unrolled(high);
    low = unrolled(low);
    groupFirst = unrolled(groupFirst);
    groupLast = unrolled(groupLast);
    seconds = unrolled(seconds);
    int[] newAccepted = new int[2 * slots];
    @Nullable Durability[] newDurability = new @Nullable Durability[2 * slots];
    @Nullable Refusals[] newRefused = new @Nullable Refusals[2 * slots];
    for (int i = 0; i < count; i++) {
      int slot = (first + i) & (slots - 1);
      newAccepted[i] = accepted[slot];
      newDurability[i] = durability[slot];
      newRefused[i] = refused[slot];
    }
    accepted = newAccepted;
    durability = newDurability;
    refused = newRefused;
    slots *= 2;
    first = 0;
    index = new int[2 * slots];
    for (int slot = 0; slot < count; slot++) {
      insert(slot);
    }
  }

  private long[] unrolled(long[] column) {
    long[] larger = new long[2 * slots];
    System.arraycopy(column, first, larger, 0, slots - first);
    System.arraycopy(column, 0, larger, slots - first, first);
    return larger;
  }
}
