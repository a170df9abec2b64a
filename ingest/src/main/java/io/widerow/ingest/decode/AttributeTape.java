package io.widerow.ingest.decode;

import io.widerow.event.AttributeKind;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.EventNames;
import io.widerow.event.Rejection;
import java.nio.charset.StandardCharsets;
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
/// Protocols whose events get attributes from several places use a tape with [AttributeLevels]:
/// what a resource, a scope or a stream gives to all of its events is put on the tape once and kept
/// with [#mark] and [#reset]. Names that come from no body are put into the scratch once, by
/// [#constant].
///
/// ```
///   constant("body") ...            once for each decoder
///   begin(body)                     once for each request
///     level(RESOURCE) name/value .. m = mark()        once for each resource
///       reset(m) level(OWN) name/value .. writeTo     once for each event
/// ```
///
/// - Threads: one.
/// - Memory: keeps its arrays; allocates nothing once they are large enough.
public final class AttributeTape {
  private static final int START = 32;
  private static final int SCRATCH_BYTES_MAX = 4 * EventLayout.EVENT_BYTES_MAX;
  private static final int NONE = -1;
  private static final byte[] NO_NAME = {};
  private static final long JSON = 1; // bits of a string

  private byte[] body = new byte[0];
  final TapeScratch scratch = new TapeScratch();

  private int count;
  private byte[] kinds = new byte[START];
  private boolean[] inScratch = new boolean[2 * START]; // of names, then of values
  private int[] nameOffsets = new int[START];
  private int[] nameBytes = new int[START];
  private int[] valueOffsets = new int[START];
  private int[] valueBytes = new int[START];
  private long[] bits = new long[START];
  private final NameOrder order = new NameOrder(this);

  private final EventNames expected = new EventNames(); // of the previous event, as sent
  private boolean expectedPlain; // none of them was unescaped
  private @Nullable EventBatch knowing; // has these names, in the order of a record
  private long known;
  private boolean asExpected; // the names of this event so far

  private final boolean lastWins;
  private final @Nullable AttributeLevels levels;
  private byte[] levelOf = new byte[START];
  private byte[] expectedLevels = new byte[START];
  private byte level; // of the attributes added from now on
  private int constantsLimit; // of the scratch that [#constant] filled
  private boolean wroteExpected; // the last event written is the one that is expected
  private int renamed = NONE; // the attribute of this event that gets another name
  private byte[] renamedTo = NO_NAME; // when it was written
  private int knownRenamed = NONE; // that of the event whose names are known

  /// A tape that hands attributes of equal names to the batch, which refuses the event.
  public AttributeTape() {
    this(false);
  }

  /// @param lastWins of attributes with equal names, the one that was added last keeps the name,
  ///   see [FittedEvent]
  public AttributeTape(boolean lastWins) {
    this.lastWins = lastWins;
    this.levels = null;
  }

  /// A tape whose attributes come from several places. All are written, those with a name that is
  /// taken under another one.
  public AttributeTape(AttributeLevels levels) {
    this.lastWins = false;
    this.levels = levels;
  }

  /// Keeps a name in the scratch for as long as the tape lives.
  ///
  /// @return its offset in the scratch
  public int constant(byte[] name) {
    if (scratch.limit != constantsLimit) {
      throw new IllegalStateException("constants come before events");
    }
    int offset = scratch.limit;
    appendScratch(name, 0, name.length);
    constantsLimit = scratch.limit;
    return offset;
  }

  /// Starts an event whose text lies in `newBody`.
  public void begin(byte[] newBody) {
    body = newBody;
    count = 0;
    scratch.limit = constantsLimit;
    asExpected = true;
    renamed = NONE;
    level = 0;
  }

  /// The level of the attributes that are added from now on. Only for a tape with levels.
  public void level(int newLevel) {
    level = (byte) newLevel;
  }

  /// Marks the current attributes, so that several events can share them, see [#reset].
  public long mark() {
    wroteExpected = false;
    return ((long) scratch.limit << Integer.SIZE) | count;
  }

  /// Starts another event with the attributes that the tape had at the mark. A mark is good until
  /// the tape is reset to an earlier one, or begun.
  public void reset(long mark) {
    int kept = (int) mark;
    if (!wroteExpected || kept > expected.count()) {
      asExpected = isExpected(kept);
      wroteExpected = false;
    } else {
      asExpected = true; // the last event began with the same attributes
    }
    count = kept;
    scratch.limit = (int) (mark >>> Integer.SIZE);
    renamed = NONE;
  }

  /// Whether the first attributes are the expected ones.
  private boolean isExpected(int kept) {
    for (int i = 0; i < kept; i++) {
      if (!expected.isNext(i, nameSource(i), nameOffsets[i], nameBytes[i])
          || expectedLevels[i] != levelOf[i]) {
        return false;
      }
    }
    return true;
  }

  public int count() {
    return count;
  }

  /// Where the next byte of scratch goes.
  public int scratchLimit() {
    return scratch.limit;
  }

  public byte[] scratch() {
    return scratch.bytes;
  }

  /// Whether the names and texts that were unescaped or joined are more than any event holds. A
  /// decoder stops here, before they fill the heap.
  public boolean isScratchFull() {
    return scratch.limit > SCRATCH_BYTES_MAX;
  }

  public void appendScratch(int value) {
    scratch.append(value);
  }

  public void appendScratch(byte[] source, int offset, int length) {
    scratch.append(source, offset, length);
  }

  /// Appends the name of an attribute to the scratch.
  public void appendName(int index) {
    appendScratch(nameSource(index), nameOffsets[index], nameBytes[index]);
  }

  /// Adds an attribute's name; a value must follow.
  public void name(boolean ofScratch, int offset, int length) {
    put(ofScratch, offset, length);
    levelOf[count] = level;
    asExpected =
        asExpected
            && expected.isNext(count, ofScratch ? scratch.bytes : body, offset, length)
            && expectedLevels[count] == level;
  }

  /// Adds a name that is in no body; a value must follow. On a tape without levels the name gets a
  /// number when it is taken.
  void ownName(byte[] wanted) {
    byte[] free = wanted;
    for (int number = 2; levels == null && isNamed(free); number++) {
      String counted = new String(wanted, StandardCharsets.US_ASCII) + "." + number;
      free = counted.getBytes(StandardCharsets.US_ASCII);
    }
    int offset = scratch.limit;
    appendScratch(free, 0, free.length);
    name(true, offset, free.length);
  }

  private boolean isNamed(byte[] wanted) {
    boolean named = false;
    for (int i = 0; i < count && !named; i++) {
      int end = nameOffsets[i] + nameBytes[i];
      named = Arrays.equals(nameSource(i), nameOffsets[i], end, wanted, 0, wanted.length);
    }
    return named;
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
        || expectedLevels[count] != level
        || !expected.isNext(count, body, offset, length)) {
      return 0;
    }
    put(false, offset, length);
    levelOf[count] = level;
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

  /// Makes room for so many values that are added without names.
  public void reserve(int values) {
    while (kinds.length < values) {
      grow();
    }
  }

  public void string(boolean ofScratch, int offset, int length) {
    inScratch[2 * count + 1] = ofScratch;
    valueOffsets[count] = offset;
    valueBytes[count] = length;
    bits[count] = 0;
    kinds[count++] = AttributeKind.STRING.code;
  }

  /// Adds the value of another attribute, which is a string.
  public void copy(int index) {
    string(inScratch[2 * index + 1], valueOffsets[index], valueBytes[index]);
  }

  /// Adds a string that is JSON text, such as that of an array.
  public void json(boolean ofScratch, int offset, int length) {
    string(ofScratch, offset, length);
    bits[count - 1] = JSON;
  }

  /// Adds a value of opaque bytes.
  public void bytes(boolean ofScratch, int offset, int length) {
    inScratch[2 * count + 1] = ofScratch;
    valueOffsets[count] = offset;
    valueBytes[count] = length;
    kinds[count++] = AttributeKind.BYTES.code;
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

  /// Gives an attribute another name when it is written. Senders use several names for one
  /// attribute. The next event is still expected to have the names as sent.
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

  /// Gives an attribute another name.
  void replaceName(int index, boolean ofScratch, int offset, int length) {
    inScratch[2 * index] = ofScratch;
    nameOffsets[index] = offset;
    nameBytes[index] = length;
  }

  /// Adds a whole number under a name that is in no body.
  public void mark(byte[] name, long value) {
    int offset = scratch.limit;
    appendScratch(name, 0, name.length);
    name(true, offset, name.length);
    whole(value);
  }

  /// Drops the newline at the end of a string that was unescaped, if there is one.
  public void dropNewline(int index) {
    int last = valueOffsets[index] + valueBytes[index] - 1;
    boolean ends = inScratch[2 * index + 1] && valueBytes[index] > 0 && scratch.bytes[last] == '\n';
    valueBytes[index] -= ends ? 1 : 0;
  }

  /// Puts all attributes into the current event of `events`.
  ///
  /// @param newName of the attribute that is renamed, if one is
  public void writeTo(EventBatch events, byte[] newName) {
    boolean knows = renamed == knownRenamed && events == knowing;
    if (knows && isAsExpected() && events.knowsNames(known)) {
      for (int i = 0; i < count; i++) {
        putValue(events, order.at(i));
      }
      wroteExpected = true;
      return;
    }
    boolean distinct;
    if (renamed == NONE) {
      distinct = putSorted(events);
    } else {
      renamedTo = newName;
      boolean sentInScratch = inScratch[2 * renamed];
      int sentOffset = nameOffsets[renamed];
      int sentBytes = nameBytes[renamed];
      int written = scratch.limit;
      appendScratch(newName, 0, newName.length);
      replaceName(renamed, true, written, newName.length);
      distinct = putSorted(events);
      replaceName(renamed, sentInScratch, sentOffset, sentBytes);
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
    order.sort(count);
    if (levels != null && hasTaken(levels)) {
      putRenamed(events, levels);
      return true;
    }
    for (int i = 0; i < count; i++) {
      if (lastWins && i + 1 < count && order.isNamedAlike(i)) {
        events.reject(Rejection.ATTRIBUTE_TWICE); // see FittedEvent
        return false;
      }
      int next = order.at(i);
      put(events, next, nameSource(next), nameOffsets[next], nameBytes[next]);
    }
    return true;
  }

  /// Whether two attributes have the same name, or one has a name that its level may not have.
  private boolean hasTaken(AttributeLevels rules) {
    for (int i = 0; i < count; i++) {
      int next = order.at(i);
      if ((i + 1 < count && order.isNamedAlike(i))
          || rules.isReserved(
              levelOf[next], nameSource(next), nameOffsets[next], nameBytes[next])) {
        return true;
      }
    }
    return false;
  }

  /// Puts all attributes, those with a name that is taken under another one. This is rare.
  private void putRenamed(EventBatch events, AttributeLevels rules) {
    byte[][] names = new byte[count][];
    for (int i = 0; i < count; i++) {
      names[i] = Arrays.copyOfRange(nameSource(i), nameOffsets[i], nameOffsets[i] + nameBytes[i]);
    }
    rules.rename(names, levelOf);
    order.sort(names);
    for (int i = 0; i < count; i++) {
      int next = order.at(i);
      put(events, next, names[next], 0, names[next].length);
    }
  }

  /// Expects the names of this event in the next one, unless this one is refused: the names of a
  /// bad event may be as long as a body.
  private void expect(EventBatch events, boolean distinct) {
    known = distinct ? events.names() : -1;
    knowing = events;
    knownRenamed = renamed;
    wroteExpected = known >= 0;
    if (known < 0) {
      knowing = null;
      expected.clear();
      return;
    }
    if (isAsExpected()) {
      return;
    }
    System.arraycopy(levelOf, 0, expectedLevels, 0, count);
    expected.clear();
    expectedPlain = true;
    for (int i = 0; i < count; i++) {
      expected.put(i, nameSource(i), nameOffsets[i], nameBytes[i]);
      expectedPlain &= !inScratch[2 * i] || nameOffsets[i] < constantsLimit;
    }
  }

  /// The attribute at a place of the written record, when no two have the same name. Call it after
  /// [#writeTo].
  public int placed(int place) {
    return order.at(place);
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
      if (order.at(place) >= first) {
        places[order.at(place) - first] = place;
      }
    }
    return true;
  }

  private boolean isAsExpected() {
    return asExpected && count == expected.count();
  }

  /// Puts the value of an attribute, whose name `events` already has.
  public void putValue(EventBatch events, int i) {
    switch (AttributeKind.of(kinds[i])) {
      case LONG -> events.putLong(bits[i]);
      case DOUBLE -> events.putDouble(Double.longBitsToDouble(bits[i]));
      case BOOLEAN -> events.putBoolean(bits[i] != 0);
      case BYTES -> events.putBytes(valueSource(i), valueOffsets[i], valueBytes[i]);
      case STRING -> events.putString(valueSource(i), valueOffsets[i], valueBytes[i]);
    }
  }

  private void put(EventBatch events, int i, byte[] name, int offset, int length) {
    byte[] value = valueSource(i);
    switch (AttributeKind.of(kinds[i])) {
      case LONG -> events.putLong(name, offset, length, bits[i]);
      case DOUBLE -> events.putDouble(name, offset, length, Double.longBitsToDouble(bits[i]));
      case BOOLEAN -> events.putBoolean(name, offset, length, bits[i] != 0);
      case STRING -> events.putString(name, offset, length, value, valueOffsets[i], valueBytes[i]);
      case BYTES -> events.putBytes(name, offset, length, value, valueOffsets[i], valueBytes[i]);
    }
  }

  boolean lastWins() {
    return lastWins;
  }

  @Nullable AttributeLevels levels() {
    return levels;
  }

  /// The name under which the renamed attribute was written; null for the others.
  byte @Nullable [] newName(int i) {
    return i == renamed ? renamedTo : null;
  }

  /// The value of a number or a boolean.
  public long bits(int i) {
    return bits[i];
  }

  /// Whether a string is JSON text.
  boolean isJson(int i) {
    return bits[i] == JSON;
  }

  int levelOf(int i) {
    return levelOf[i];
  }

  /// The array that holds a name.
  public byte[] nameSource(int i) {
    return inScratch[2 * i] ? scratch.bytes : body;
  }

  public int nameOffset(int i) {
    return nameOffsets[i];
  }

  public int nameBytes(int i) {
    return nameBytes[i];
  }

  public AttributeKind kind(int i) {
    return AttributeKind.of(kinds[i]);
  }

  /// The array that holds the value of an attribute that is a string or bytes.
  public byte[] valueSource(int i) {
    return inScratch[2 * i + 1] ? scratch.bytes : body;
  }

  public int valueOffset(int i) {
    return valueOffsets[i];
  }

  public int valueBytes(int i) {
    return valueBytes[i];
  }

  private void grow() {
    int larger = 2 * kinds.length;
    kinds = Arrays.copyOf(kinds, larger);
    inScratch = Arrays.copyOf(inScratch, 2 * larger);
    nameOffsets = Arrays.copyOf(nameOffsets, larger);
    nameBytes = Arrays.copyOf(nameBytes, larger);
    valueOffsets = Arrays.copyOf(valueOffsets, larger);
    valueBytes = Arrays.copyOf(valueBytes, larger);
    bits = Arrays.copyOf(bits, larger);
    levelOf = Arrays.copyOf(levelOf, larger);
    expectedLevels = Arrays.copyOf(expectedLevels, larger);
  }
}
