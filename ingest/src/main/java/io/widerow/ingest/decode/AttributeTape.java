package io.widerow.ingest.decode;

import io.widerow.event.AttributeKind;
import io.widerow.event.EventBatch;
import io.widerow.event.EventNames;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The attributes of one event as a decoder finds them: where their names and values lie in the
/// body, or in a scratch buffer when they had to be unescaped or joined. They are written to the
/// batch sorted by name, as it requires.
///
/// Senders repeat the same names in the same order. The tape therefore expects the names of the
/// previous event: while they match, nothing is sorted, and the batch takes the values without
/// looking at the names. When they do not match, the order of the previous event is tried first, so
/// that sorting is usually one pass of comparisons.
///
/// - Threads: one.
/// - Memory: keeps its arrays; allocates nothing once they are large enough.
public final class AttributeTape {
  private static final int START = 32;
  private static final int NONE = -1;
  private static final byte[] NO_NAME = {};

  private byte[] body = new byte[0];
  private byte[] scratch = new byte[1 << 10];
  private int scratchLimit;

  private int count;
  private byte[] kinds = new byte[START];
  private boolean[] inScratch = new boolean[2 * START]; // of names, then of values
  private int[] nameOffsets = new int[START];
  private int[] nameBytes = new int[START];
  private long[] nameHeads = new long[START]; // their first bytes, as sort keys
  private int[] valueOffsets = new int[START];
  private int[] valueBytes = new int[START];
  private long[] bits = new long[START];
  private int[] order = new int[START];
  private int ordered; // entries of `order` that the last event filled

  private final EventNames expected = new EventNames(); // of the previous event, as sent
  private boolean expectedPlain; // none of them was unescaped
  private @Nullable EventBatch knowing; // has these names, in the order of a record
  private long known;
  private boolean asExpected; // the names of this event so far

  private final boolean lastWins;
  private int renamed = NONE; // the attribute of this event that gets another name
  private int knownRenamed = NONE; // that of the event whose names are known

  /// A tape that hands attributes of equal names to the batch, which refuses the event.
  public AttributeTape() {
    this(false);
  }

  /// @param lastWins of attributes with equal names, the one that was added last is written alone
  public AttributeTape(boolean lastWins) {
    this.lastWins = lastWins;
  }

  /// Starts an event whose text lies in `newBody`.
  public void begin(byte[] newBody) {
    body = newBody;
    count = 0;
    scratchLimit = 0;
    asExpected = true;
    renamed = NONE;
  }

  public int count() {
    return count;
  }

  /// Where the next byte of scratch goes.
  public int scratchLimit() {
    return scratchLimit;
  }

  public byte[] scratch() {
    return scratch;
  }

  public void appendScratch(int value) {
    if (scratchLimit == scratch.length) {
      scratch = Arrays.copyOf(scratch, 2 * scratchLimit);
    }
    scratch[scratchLimit++] = (byte) value;
  }

  public void appendScratch(byte[] source, int offset, int length) {
    if (scratchLimit + length > scratch.length) {
      scratch = Arrays.copyOf(scratch, Math.max(2 * scratch.length, scratchLimit + length));
    }
    System.arraycopy(source, offset, scratch, scratchLimit, length);
    scratchLimit += length;
  }

  /// Adds an attribute's name; a value must follow.
  public void name(boolean ofScratch, int offset, int length) {
    put(ofScratch, offset, length);
    asExpected = asExpected && expected.isNext(count, ofScratch ? scratch : body, offset, length);
  }

  /// Adds the name at `offset` of the body when it is the expected one. Names that needed
  /// unescaping are never expected, because the body does not contain them as they are.
  ///
  /// @param limit how far the body may be read
  /// @param end the byte that follows the name
  /// @return the length of the name; 0 when it is another one
  public int expectedName(int offset, int limit, byte end) {
    if (!asExpected || !expectedPlain || count >= expected.count()) {
      return 0;
    }
    int length = expected.nameBytes(count);
    if (offset + length >= limit
        || body[offset + length] != end
        || !expected.isNext(count, body, offset, length)) {
      return 0;
    }
    put(false, offset, length);
    return length;
  }

  private void put(boolean ofScratch, int offset, int length) {
    if (count == kinds.length) {
      grow();
    }
    inScratch[2 * count] = ofScratch;
    nameOffsets[count] = offset;
    nameBytes[count] = length;
  }

  public void string(boolean ofScratch, int offset, int length) {
    inScratch[2 * count + 1] = ofScratch;
    valueOffsets[count] = offset;
    valueBytes[count] = length;
    kinds[count++] = AttributeKind.STRING.code;
  }

  public void whole(long value) {
    bits[count] = value;
    kinds[count++] = AttributeKind.LONG.code;
  }

  public void fraction(double value) {
    bits[count] = Double.doubleToRawLongBits(value);
    kinds[count++] = AttributeKind.DOUBLE.code;
  }

  public void truth(boolean value) {
    bits[count] = value ? 1 : 0;
    kinds[count++] = AttributeKind.BOOLEAN.code;
  }

  /// Gives an attribute another name when it is written. Senders call the same thing by several
  /// names; the names as sent are still those that the next event is expected to have.
  ///
  /// @param index of the attribute, in the order in which they were added
  public void rename(int index) {
    renamed = index;
  }

  /// Gives a string attribute another value.
  public void replace(int index, boolean ofScratch, int offset, int length) {
    inScratch[2 * index + 1] = ofScratch;
    valueOffsets[index] = offset;
    valueBytes[index] = length;
  }

  /// The first attribute of this name; negative when there is none. Looks at all of them.
  ///
  /// @param source the body of this event, its scratch, or any other array
  public int find(byte[] source, int offset, int length) {
    for (int i = 0; i < count; i++) {
      if (nameBytes[i] == length) {
        byte[] name = inScratch[2 * i] ? scratch : body;
        int at = nameOffsets[i];
        if (Arrays.equals(name, at, at + length, source, offset, offset + length)) {
          return i;
        }
      }
    }
    return NONE;
  }

  /// Adds a whole number under a name that is in no body.
  public void mark(byte[] name, long value) {
    int offset = scratchLimit;
    appendScratch(name, 0, name.length);
    name(true, offset, name.length);
    whole(value);
  }

  /// Drops the newline at the end of a string that was unescaped, if there is one.
  public void dropNewline(int index) {
    int last = valueOffsets[index] + valueBytes[index] - 1;
    boolean ends = inScratch[2 * index + 1] && valueBytes[index] > 0 && scratch[last] == '\n';
    valueBytes[index] -= ends ? 1 : 0;
  }

  /// Puts all attributes into the current event of `events`.
  ///
  /// @param newName of the attribute that is renamed, if one is
  public void writeTo(EventBatch events, byte[] newName) {
    boolean knows = renamed == knownRenamed && events == knowing;
    if (knows && isAsExpected() && events.knowsNames(known)) {
      for (int i = 0; i < count; i++) {
        putValue(events, order[i]);
      }
      return;
    }
    boolean distinct;
    if (renamed == NONE) {
      distinct = putSorted(events);
    } else {
      boolean sentInScratch = inScratch[2 * renamed];
      int sentOffset = nameOffsets[renamed];
      int sentBytes = nameBytes[renamed];
      int written = scratchLimit;
      appendScratch(newName, 0, newName.length);
      inScratch[2 * renamed] = true;
      nameOffsets[renamed] = written;
      nameBytes[renamed] = newName.length;
      distinct = putSorted(events);
      inScratch[2 * renamed] = sentInScratch;
      nameOffsets[renamed] = sentOffset;
      nameBytes[renamed] = sentBytes;
    }
    expect(events, distinct);
  }

  /// Puts all attributes into the current event of `events`; none is renamed.
  public void writeTo(EventBatch events) {
    assert renamed == NONE : "attribute %d gets no name".formatted(renamed);
    writeTo(events, NO_NAME);
  }

  /// Returns false when two attributes have equal names.
  private boolean putSorted(EventBatch events) {
    sort();
    boolean distinct = true;
    for (int i = 0; i < count; i++) {
      if (lastWins && i + 1 < count && isNamedAlike(order[i], order[i + 1])) {
        distinct = false;
      } else {
        put(events, order[i]);
      }
    }
    return distinct;
  }

  private boolean isNamedAlike(int a, int b) {
    return nameHeads[a] == nameHeads[b] && compareNames(a, b) == 0;
  }

  /// Expects the names of this event in the next one, unless this one is refused: the names of a
  /// bad event may be as long as a body.
  private void expect(EventBatch events, boolean distinct) {
    known = distinct ? events.names() : -1;
    knowing = events;
    knownRenamed = renamed;
    if (known < 0) {
      knowing = null;
      expected.clear();
      return;
    }
    if (isAsExpected()) {
      return;
    }
    expected.clear();
    expectedPlain = true;
    for (int i = 0; i < count; i++) {
      expected.put(i, inScratch[2 * i] ? scratch : body, nameOffsets[i], nameBytes[i]);
      expectedPlain &= !inScratch[2 * i];
    }
  }

  /// Copies the names of the attributes from `first` on, in the order sent, and the place of each
  /// in the written record. Call it after [#writeTo].
  ///
  /// @return false when one of them was unescaped, or is a string
  public boolean copyNumbers(int first, EventNames names, int[] places) {
    names.clear();
    for (int i = first; i < count; i++) {
      if (inScratch[2 * i] || kinds[i] == AttributeKind.STRING.code) {
        return false;
      }
      names.put(i - first, body, nameOffsets[i], nameBytes[i]);
    }
    for (int place = 0; place < count; place++) {
      if (order[place] >= first) {
        places[order[place] - first] = place;
      }
    }
    return true;
  }

  private boolean isAsExpected() {
    return asExpected && count == expected.count();
  }

  /// Puts a value whose name the batch already has.
  private void putValue(EventBatch events, int i) {
    switch (AttributeKind.of(kinds[i])) {
      case LONG -> events.putLong(bits[i]);
      case DOUBLE -> events.putDouble(Double.longBitsToDouble(bits[i]));
      case BOOLEAN -> events.putBoolean(bits[i] != 0);
      case STRING, BYTES ->
          events.putString(inScratch[2 * i + 1] ? scratch : body, valueOffsets[i], valueBytes[i]);
    }
  }

  private void put(EventBatch events, int i) {
    byte[] name = inScratch[2 * i] ? scratch : body;
    int offset = nameOffsets[i];
    int length = nameBytes[i];
    switch (AttributeKind.of(kinds[i])) {
      case LONG -> events.putLong(name, offset, length, bits[i]);
      case DOUBLE -> events.putDouble(name, offset, length, Double.longBitsToDouble(bits[i]));
      case BOOLEAN -> events.putBoolean(name, offset, length, bits[i] != 0);
      case STRING, BYTES -> {
        byte[] value = inScratch[2 * i + 1] ? scratch : body;
        events.putString(name, offset, length, value, valueOffsets[i], valueBytes[i]);
      }
    }
  }

  private void sort() {
    for (int i = 0; i < count; i++) {
      byte[] name = inScratch[2 * i] ? scratch : body;
      nameHeads[i] = Swar.head(name, nameOffsets[i], nameBytes[i]);
    }
    if (ordered != count) {
      for (int i = 0; i < count; i++) {
        order[i] = i;
      }
      ordered = count;
    }
    if (isSorted()) {
      return;
    }
    if (count > 64) {
      sortMany();
      return;
    }
    for (int i = 1; i < count; i++) {
      int moving = order[i];
      int at = i;
      while (at > 0 && compare(order[at - 1], moving) > 0) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = moving;
    }
  }

  private boolean isSorted() {
    for (int i = 1; i < count; i++) {
      if (compare(order[i - 1], order[i]) > 0) {
        return false;
      }
    }
    return true;
  }

  /// Bounds the cost for senders that would make the insertion sort quadratic.
  private void sortMany() {
    Integer[] boxed = new Integer[count];
    Arrays.setAll(boxed, i -> i);
    Arrays.sort(boxed, this::compare);
    for (int i = 0; i < count; i++) {
      order[i] = boxed[i];
    }
  }

  /// Orders attributes by name; those of equal names as they were added.
  private int compare(int a, int b) {
    if (nameHeads[a] != nameHeads[b]) { // most names
      return Long.compareUnsigned(nameHeads[a], nameHeads[b]);
    }
    int names = compareNames(a, b);
    return names != 0 ? names : a - b;
  }

  private int compareNames(int a, int b) {
    byte[] nameA = inScratch[2 * a] ? scratch : body;
    byte[] nameB = inScratch[2 * b] ? scratch : body;
    int atA = nameOffsets[a];
    int atB = nameOffsets[b];
    return Arrays.compareUnsigned(nameA, atA, atA + nameBytes[a], nameB, atB, atB + nameBytes[b]);
  }

  private void grow() {
    int larger = 2 * count;
    kinds = Arrays.copyOf(kinds, larger);
    inScratch = Arrays.copyOf(inScratch, 2 * larger);
    nameOffsets = Arrays.copyOf(nameOffsets, larger);
    nameBytes = Arrays.copyOf(nameBytes, larger);
    nameHeads = Arrays.copyOf(nameHeads, larger);
    valueOffsets = Arrays.copyOf(valueOffsets, larger);
    valueBytes = Arrays.copyOf(valueBytes, larger);
    bits = Arrays.copyOf(bits, larger);
    order = Arrays.copyOf(order, larger);
  }
}
