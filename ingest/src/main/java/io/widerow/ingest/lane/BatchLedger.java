package io.widerow.ingest.lane;

import io.widerow.ingest.decode.Refusals;
import io.widerow.storage.Durability;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/// The deduplication table of a lane: the keys of its recent batches with their responses, so that
/// a retry gets the same response and is not stored again. A key is kept while it is young enough
/// or among the newest `keptMin`, but there are never more than `keptMax`.
///
/// ```
///   slots   a ring, oldest at `first`                    +---+---+---+---+---+---+
///           key, groups, time, answer                    |   |old|   |   |new|   |
///                                                        +---+---+---+---+---+---+
///                                                              ^
///   index   open addressing by the low half of the key   +---+---+---+---+ ...   2 x slots
///           slot + 1, or 0 for free                      | 2 | 0 | 5 | 0 |
///                                                        +---+---+---+---+
///   a slot:
///    0      8     16           24          32        36         40        44
///   +------+-----+------------+-----------+---------+----------+---------+------------+
///   | high | low | groupFirst | groupLast | seconds | accepted | refused | durability |
///   +------+-----+------------+-----------+---------+----------+---------+------------+
/// ```
///
/// A slot whose key is restored once more leaves the index. Its place in the ring is free when it
/// is the oldest, or when a quarter of the ring is such places.
///
/// A note in the journal is one entry, big-endian. The version is 1. The number of lanes is that of
/// the split to which a part belongs, 0 for a whole batch.
///
/// ```
///    0         1      9     17        25         29      30
///   +---------+------+-----+---------+----------+-------+----------+
///   | version | high | low | seconds | accepted | lanes | refusals |
///   +---------+------+-----+---------+----------+-------+----------+
/// ```
///
/// - Threads: the lane's; another thread may create and close it. Any may ask one that does not
///   change any more.
/// - Memory: 56 bytes a key outside the heap, twice that while it grows. On the heap it keeps the
///   lists of refused events as they are written, up to [#LISTS_BYTES_MAX]; of older lists it keeps
///   only the count.
public final class BatchLedger implements AutoCloseable {
  public static final int NOTE_BYTES_MAX = 1 << 10;

  /// Heap limit for the lists of refused events of all keys.
  static final long LISTS_BYTES_MAX = 4 << 20;

  /// A list is cut to so many bytes. Its note may have room for less.
  private static final int LIST_BYTES_MAX = 64 << 10;

  /// Overhead of a list in addition to its bytes: the array, its key, and the map entry.
  static final int LIST_EXTRA_BYTES = 120;

  private static final int NOTE_VERSION = 1;
  private static final int NOTE_LANES = 1 + 3 * Long.BYTES + Integer.BYTES;
  static final int NOTE_BYTES_MIN = NOTE_LANES + 1; // before the refusals
  private static final int SLOTS_START = 1 << 10;

  private static final int HIGH = 0;
  private static final int LOW = 8;
  private static final int GROUP_FIRST = 16;
  private static final int GROUP_LAST = 24;
  private static final int SECONDS = 32;
  private static final int ACCEPTED = 36;
  private static final int REFUSED = 40;
  private static final int DURABILITY = 44;
  private static final int SLOT_BYTES = 48;
  private static final Durability[] LEVELS = Durability.values();
  private static final int RESTORED = 1 << 8; // or-ed to the level
  private static final int REPLACED = 1 << 9; // there is a newer slot of this key

  private final int keptMin;
  private final int keptMax;
  private final long keptSeconds;

  private int slotCount = SLOTS_START;
  private int first;
  private int count; // slots in use
  private int replaced; // slots of these that are
  private boolean dropped; // some key was, since the last [#expire]
  private long groupStarted = Long.MAX_VALUE; // least group of a key that is not restored
  private Arena arena = Arena.ofShared();
  private MemorySegment slots = arena.allocate((long) SLOT_BYTES * slotCount, Long.BYTES);
  private MemorySegment index = arena.allocate(2L * Integer.BYTES * slotCount, Integer.BYTES);
  private final Map<BatchKey, byte[]> lists = new LinkedHashMap<>(); // oldest first
  private long listsBytes;
  private final ByteBuffer note = ByteBuffer.allocate(NOTE_BYTES_MAX);

  /// @param keptMin keys kept at any age
  /// @param keptMax keys kept at most, a power of two
  /// @param keptSeconds age up to which keys are kept
  public BatchLedger(int keptMin, int keptMax, long keptSeconds) {
    if (Integer.bitCount(keptMax) != 1 || keptMax < SLOTS_START || keptMin > keptMax) {
      throw new IllegalArgumentException("keeps " + keptMin + " to " + keptMax + " keys");
    }
    this.keptMin = keptMin;
    this.keptMax = keptMax;
    this.keptSeconds = keptSeconds;
  }

  private long getLong(int slot, int field) {
    return slots.get(ValueLayout.JAVA_LONG, (long) SLOT_BYTES * slot + field);
  }

  private void setLong(int slot, int field, long value) {
    slots.set(ValueLayout.JAVA_LONG, (long) SLOT_BYTES * slot + field, value);
  }

  private int getInt(int slot, int field) {
    return slots.get(ValueLayout.JAVA_INT, (long) SLOT_BYTES * slot + field);
  }

  private void setInt(int slot, int field, int value) {
    slots.set(ValueLayout.JAVA_INT, (long) SLOT_BYTES * slot + field, value);
  }

  private BatchKey key(int slot) {
    return new BatchKey(getLong(slot, HIGH), getLong(slot, LOW));
  }

  private int indexed(int at) {
    return index.getAtIndex(ValueLayout.JAVA_INT, at);
  }

  private void setIndexed(int at, int slotAndOne) {
    index.setAtIndex(ValueLayout.JAVA_INT, at, slotAndOne);
  }

  public int count() {
    return count - replaced;
  }

  /// The slot of a key; negative when it is unknown. Valid until the next change.
  int find(BatchKey key) {
    for (int at = home(key.low()); indexed(at) != 0; at = (at + 1) & indexMask()) {
      int slot = indexed(at) - 1;
      if (getLong(slot, LOW) == key.low() && getLong(slot, HIGH) == key.high()) {
        return slot;
      }
    }
    return -1;
  }

  int accepted(int slot) {
    return getInt(slot, ACCEPTED);
  }

  /// The refused events. For an older batch they may be only counted, not listed.
  Refusals refused(int slot) {
    int refused = getInt(slot, REFUSED);
    byte[] list = refused == 0 ? null : lists.get(key(slot));
    return list == null
        ? Refusals.counted(refused)
        : Objects.requireNonNull(Refusals.readFrom(ByteBuffer.wrap(list)));
  }

  /// The durability with which the batch was acknowledged.
  Durability durability(int slot) {
    return LEVELS[getInt(slot, DURABILITY) & (RESTORED - 1)];
  }

  /// True for a batch from before the start, whose groups may be those of another lane.
  boolean isRestored(int slot) {
    return (getInt(slot, DURABILITY) & RESTORED) != 0;
  }

  /// An upper bound of the batch's group; [Long#MAX_VALUE] while it is not committed.
  long groupLast(int slot) {
    return getLong(slot, GROUP_LAST);
  }

  /// Adds a whole batch.
  public byte[] add(
      BatchKey key,
      int newAccepted,
      Refusals newRefused,
      Durability newDurability,
      long newSeconds,
      long newGroupFirst) {
    return add(key, 0, newAccepted, newRefused, newDurability, newSeconds, newGroupFirst);
  }

  /// Adds a batch that is appended and not yet committed, and returns its note for the journal.
  ///
  /// @param lanes among which the batch was split, for a part of which they decide the content;
  ///   else 0
  /// @param newGroupFirst a lower bound of the batch's group
  byte[] add(
      BatchKey key,
      int lanes,
      int newAccepted,
      Refusals newRefused,
      Durability newDurability,
      long newSeconds,
      long newGroupFirst) {
    note.clear();
    note.put((byte) NOTE_VERSION).putLong(key.high()).putLong(key.low());
    note.putLong(newSeconds).putInt(newAccepted).put((byte) lanes);
    int listAt = note.position();
    boolean whole = newRefused.writeTo(note);
    note.flip();
    int refused = newRefused.count();
    int slot = put(key, newAccepted, refused, newDurability, newSeconds);
    if (refused > 0) {
      list(key, whole ? Arrays.copyOfRange(note.array(), listAt, note.limit()) : list(newRefused));
    }
    setLong(slot, GROUP_FIRST, newGroupFirst);
    setLong(slot, GROUP_LAST, Long.MAX_VALUE);
    groupStarted = Math.min(groupStarted, newGroupFirst);
    return Arrays.copyOf(note.array(), note.limit());
  }

  /// The bytes of a list that is too long for its note.
  private static byte[] list(Refusals refused) {
    ByteBuffer out = ByteBuffer.allocate(LIST_BYTES_MAX);
    var _ = refused.writeTo(out);
    return Arrays.copyOf(out.array(), out.position());
  }

  /// Takes in a note from before the restart, the oldest first. Everything found in the journal is
  /// on disk. A note of another version is ignored, so repeats of its batch are stored again. Of
  /// several notes of one key the last counts: the key was forgotten and used again, and is as
  /// young as its last use.
  public void restore(long group, byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (!isNote(bytes)) {
      return;
    }
    in.get(); // the version, see isNote
    BatchKey key = new BatchKey(in.getLong(), in.getLong());
    long noted = in.getLong();
    int newAccepted = in.getInt();
    in.position(NOTE_BYTES_MIN);
    byte[] list = Arrays.copyOfRange(bytes, NOTE_BYTES_MIN, bytes.length);
    int refused = Refusals.countIn(in);
    if (refused >= 0) {
      replace(find(key));
      int slot = put(key, newAccepted, refused, Durability.DISK, noted);
      if (refused > 0) {
        list(key, list);
      }
      setLong(slot, GROUP_FIRST, group);
      setLong(slot, GROUP_LAST, group);
      setInt(slot, DURABILITY, getInt(slot, DURABILITY) | RESTORED);
    }
  }

  /// Takes a slot, if any, out of the index. Its place in the ring is free when it is the oldest.
  private void replace(int slot) {
    if (slot >= 0) {
      remove(slot);
      setInt(slot, DURABILITY, REPLACED);
      replaced++;
    }
  }

  private boolean isReplaced(int slot) {
    return (getInt(slot, DURABILITY) & REPLACED) != 0;
  }

  private static boolean isNote(byte[] note) {
    return note.length > NOTE_BYTES_MIN && note[0] == NOTE_VERSION;
  }

  /// Among how many lanes the batch was split of which a note names a part; 0 for another note.
  static int lanesOf(byte[] note) {
    return isNote(note) ? Byte.toUnsignedInt(note[NOTE_LANES]) : 0;
  }

  /// Marks everything added so far as committed, in groups up to `group`.
  void committed(long group) {
    for (int i = count - 1; i >= 0; i--) {
      int slot = slot(i);
      if (getLong(slot, GROUP_LAST) != Long.MAX_VALUE) {
        return;
      }
      setLong(slot, GROUP_LAST, group);
    }
  }

  /// Removes the entries added since the last commit, because they are not acknowledged.
  void forgetUncommitted() {
    while (count > 0 && getLong(slot(count - 1), GROUP_LAST) == Long.MAX_VALUE) {
      remove(slot(count - 1));
      count--;
    }
  }

  /// Drops keys that are too old.
  ///
  /// @return the first group whose notes are still needed; negative when no key was dropped since
  ///   the last call, neither here nor for lack of room
  public long expire(long nowSeconds) {
    while (count > 0 && (isReplaced(first) || isPast(first, nowSeconds))) {
      removeFirst();
    }
    if (!dropped) {
      return -1;
    }
    dropped = false;
    return groupNeeded();
  }

  /// The first group whose notes are needed. While keys of before the start are there, notes of
  /// after it are needed too: the group of such a key may be that of another lane.
  long groupNeeded() {
    if (count == 0) {
      return Long.MAX_VALUE;
    }
    long group = getLong(first, GROUP_FIRST);
    return isRestored(first) ? Math.min(group, groupStarted) : group;
  }

  private boolean isPast(int slot, long nowSeconds) {
    return count() > keptMin && getSeconds(slot) < nowSeconds - keptSeconds;
  }

  private long getSeconds(int slot) {
    return Integer.toUnsignedLong(getInt(slot, SECONDS));
  }

  private int slot(int number) {
    return (first + number) & (slotCount - 1);
  }

  /// Adds a key after all others. The caller sets its groups.
  @SuppressWarnings("EnumOrdinal") // the ordinal never leaves this process
  private int put(
      BatchKey key, int newAccepted, int refused, Durability newDurability, long newSeconds) {
    if (count == slotCount && replaced > slotCount / 4) {
      resize(slotCount); // seldom, so that a slot is moved only a few times
    } else if (count == slotCount && slotCount < keptMax) {
      resize(2 * slotCount);
    } else if (count == slotCount) {
      removeFirst();
    }
    int slot = slot(count++);
    setLong(slot, HIGH, key.high());
    setLong(slot, LOW, key.low());
    setInt(slot, SECONDS, (int) newSeconds);
    setInt(slot, ACCEPTED, newAccepted);
    setInt(slot, REFUSED, refused);
    setInt(slot, DURABILITY, newDurability.ordinal());
    insert(slot);
    return slot;
  }

  /// Keeps a list, and drops the oldest lists beyond the limit.
  private void list(BatchKey key, byte[] list) {
    lists.put(key, list);
    listsBytes += list.length + LIST_EXTRA_BYTES;
    while (listsBytes > LISTS_BYTES_MAX) {
      unlist(lists.keySet().iterator().next());
    }
  }

  private void unlist(BatchKey key) {
    byte[] list = lists.remove(key);
    listsBytes -= list == null ? 0 : list.length + LIST_EXTRA_BYTES;
  }

  private void removeFirst() {
    if (isReplaced(first)) {
      replaced--;
    } else {
      remove(first);
    }
    first = slot(1);
    count--;
    dropped = true;
  }

  private int indexMask() {
    return 2 * slotCount - 1;
  }

  private int home(long keyLow) {
    return (int) keyLow & indexMask(); // the bits of a digest are mixed already
  }

  private void insert(int slot) {
    int at = home(getLong(slot, LOW));
    while (indexed(at) != 0) {
      at = (at + 1) & indexMask();
    }
    setIndexed(at, slot + 1);
  }

  /// Removes a slot from the index and closes the hole, by shifting back displaced entries.
  private void remove(int slot) {
    int mask = indexMask();
    int hole = home(getLong(slot, LOW));
    while (indexed(hole) != slot + 1) {
      hole = (hole + 1) & mask;
    }
    for (int at = (hole + 1) & mask; indexed(at) != 0; at = (at + 1) & mask) {
      int distance = (at - home(getLong(indexed(at) - 1, LOW))) & mask;
      if (distance >= ((at - hole) & mask)) {
        setIndexed(hole, indexed(at));
        hole = at;
      }
    }
    setIndexed(hole, 0);
    if (getInt(slot, REFUSED) > 0) {
      unlist(key(slot));
    }
  }

  /// Moves all slots that are not replaced to a ring of another size.
  private void resize(int slotsNow) {
    Arena other = Arena.ofShared();
    MemorySegment moved = other.allocate((long) SLOT_BYTES * slotsNow, Long.BYTES);
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (!isReplaced(slot(i))) {
        long from = (long) SLOT_BYTES * slot(i);
        MemorySegment.copy(slots, from, moved, (long) SLOT_BYTES * kept++, SLOT_BYTES);
      }
    }
    arena.close();
    arena = other;
    slots = moved;
    index = other.allocate(2L * Integer.BYTES * slotsNow, Integer.BYTES);
    slotCount = slotsNow;
    first = 0;
    count = kept;
    replaced = 0;
    for (int slot = 0; slot < count; slot++) {
      insert(slot);
    }
  }

  /// Frees the memory. No other method may be called afterwards.
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
