package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Events in native memory, one record of [EventLayout] behind the other, and the only builder of
/// such records: what leaves it is valid.
///
/// ```
/// batch.begin(type, 0, type.length, epochNanos);
/// batch.putLong(status, 0, status.length, 404);
/// Rejection why = batch.end(); // null: the event is in
/// ```
///
/// The first thing wrong with an event is remembered and returned by [#end], which then leaves the
/// batch as it was before [#begin].
///
/// - Threads: one at a time; hand a batch over through a ring or a lock.
/// - Memory: owns native memory from the constructor until [#close]. It grows by doubling, up to
///   `bytesMax`; an event that finds no room there is [Rejection#BATCH_FULL].
public final class EventBatch implements AutoCloseable {
  private static final int ATTRIBUTE_OFFSETS_START = 16;

  private final long bytesMax;
  private final int eventBytesMax;
  private Arena arena;
  private MemorySegment memory;
  private long limit; // behind the last whole event
  private long lastOffset; // its start
  private int count;
  private long ownIds;

  // The event being built.
  private long at; // where the next byte goes
  private int[] attributeOffsets = new int[ATTRIBUTE_OFFSETS_START]; // from limit
  private int attributes;
  private boolean ascending;
  private boolean sameNames; // so far: as those of the event before, which were in order
  private final EventNames names = new EventNames(); // valid and ascending
  private long idTime;
  private long idTail;
  private long version;
  private @Nullable Rejection rejection;
  private @Nullable RecordTemplate like; // it is whole then
  private boolean building;
  private final AttributeSort sort = new AttributeSort();

  /// A batch with the store's own limit on the size of an event.
  public EventBatch(long bytesStart, long bytesMax) {
    this(bytesStart, bytesMax, EventLayout.EVENT_BYTES_MAX);
  }

  /// @param bytesStart native memory taken at once
  /// @param bytesMax native memory it may grow to
  /// @param eventBytesMax largest event it takes, at most [EventLayout#EVENT_BYTES_MAX]
  public EventBatch(long bytesStart, long bytesMax, int eventBytesMax) {
    if (bytesStart < EventLayout.HEADER_BYTES || bytesMax < bytesStart) {
      throw new IllegalArgumentException(
          "batch of %d bytes that may grow to %d".formatted(bytesStart, bytesMax));
    }
    if (eventBytesMax < EventLayout.HEADER_BYTES || eventBytesMax > EventLayout.EVENT_BYTES_MAX) {
      throw new IllegalArgumentException("largest event of " + eventBytesMax + " bytes");
    }
    this.bytesMax = bytesMax;
    this.eventBytesMax = eventBytesMax;
    this.arena = Arena.ofShared();
    this.memory = arena.allocate(bytesStart, EventLayout.ALIGNMENT);
  }

  /// The events: from 0 until [#bytes].
  public MemorySegment memory() {
    return memory;
  }

  public long bytes() {
    return limit;
  }

  public int count() {
    return count;
  }

  /// How many of the events brought their own id.
  public long ownIds() {
    return ownIds;
  }

  /// Forgets all events, and the one being built; keeps the memory.
  public void clear() {
    building = false;
    limit = 0;
    count = 0;
    ownIds = 0;
  }

  /// Starts an event whose id the store assigns.
  ///
  /// @param epochNanos the event's time, nanoseconds since the Unix epoch
  public void begin(byte[] type, int typeOffset, int typeBytes, long epochNanos) {
    start(type, typeOffset, typeBytes);
    takeTime(epochNanos);
  }

  private void takeTime(long epochNanos) {
    if (epochNanos < TimeUuid.NANOS_MIN || epochNanos >= TimeUuid.NANOS_LIMIT) {
      reject(Rejection.TIME_OUT_OF_RANGE);
    }
    idTime = TimeUuid.timeOfNanos(epochNanos);
    idTail = TimeUuid.tailOf(epochNanos, 0, 0);
    version = EventLayout.VERSION_ASSIGNED;
  }

  /// Starts an event that is as another one was, but for its time: the store assigns its id. Its
  /// numbers and booleans may be [#set]; it takes no other attributes.
  ///
  /// @param template that took an event, see [#copyLast]
  /// @param epochNanos the event's time, nanoseconds since the Unix epoch
  public void begin(RecordTemplate template, long epochNanos) {
    if (template.length() == 0) {
      throw new IllegalArgumentException("a template of no event");
    }
    begin();
    like = template;
    takeTime(epochNanos);
    if (reserve(template.length() - EventLayout.HEADER_BYTES)) {
      template.write(memory, limit);
      at = limit + template.length();
      attributes = template.attributes();
    }
  }

  /// Sets an attribute of an event that was begun as another: a long, the raw bits of a double, or
  /// 0 or 1 for a boolean, as that has it.
  ///
  /// @param place of the attribute in the order of names
  public void set(int place, long bits) {
    RecordTemplate template = like;
    if (!building || template == null) {
      throw new IllegalStateException("no event was begun as another");
    }
    if (rejection == null) {
      template.set(memory, limit, place, bits);
    }
  }

  /// Bytes of the event that was ended last, which there must be.
  public int lastBytes() {
    return EventLayout.length(memory, lastOffset);
  }

  /// Has a template take the event that was ended last.
  ///
  /// @throws IllegalStateException when there is none
  public void copyLast(RecordTemplate template) {
    if (count == 0) {
      throw new IllegalStateException("no event was ended");
    }
    template.take(memory, lastOffset);
  }

  /// Starts an event that brings its own id: it replaces the event of the same type that has this
  /// id.
  public void begin(byte[] type, int typeOffset, int typeBytes, EventId id) {
    start(type, typeOffset, typeBytes);
    if (!TimeUuid.isEventTime(id.time())) {
      reject(Rejection.TIME_OUT_OF_RANGE);
    }
    idTime = id.time();
    idTail = id.tail();
    version = EventLayout.VERSION_OWN;
  }

  public void putString(byte[] name, int nameOffset, int nameBytes, byte[] value) {
    putString(name, nameOffset, nameBytes, value, 0, value.length);
  }

  /// Adds a string; it must be valid UTF-8.
  public void putString(
      byte[] name, int nameOffset, int nameBytes, byte[] value, int valueOffset, int valueBytes) {
    if (rejection == null && !Utf8.isValid(value, valueOffset, valueBytes)) {
      reject(Rejection.TEXT_NOT_UTF8);
    }
    putText(AttributeKind.STRING, name, nameOffset, nameBytes, value, valueOffset, valueBytes);
  }

  /// Adds bytes that mean nothing to the store.
  public void putBytes(
      byte[] name, int nameOffset, int nameBytes, byte[] value, int valueOffset, int valueBytes) {
    putText(AttributeKind.BYTES, name, nameOffset, nameBytes, value, valueOffset, valueBytes);
  }

  public void putLong(byte[] name, int nameOffset, int nameBytes, long value) {
    if (putName(AttributeKind.LONG, name, nameOffset, nameBytes, Long.BYTES)) {
      memory.set(EventLayout.LONG_ANYWHERE, at, value);
      at += Long.BYTES;
    }
  }

  public void putDouble(byte[] name, int nameOffset, int nameBytes, double value) {
    if (putName(AttributeKind.DOUBLE, name, nameOffset, nameBytes, Long.BYTES)) {
      memory.set(EventLayout.LONG_ANYWHERE, at, Double.doubleToRawLongBits(value));
      at += Long.BYTES;
    }
  }

  public void putBoolean(byte[] name, int nameOffset, int nameBytes, boolean value) {
    if (putName(AttributeKind.BOOLEAN, name, nameOffset, nameBytes, 1)) {
      memory.set(JAVA_BYTE, at, (byte) (value ? 1 : 0));
      at += 1;
    }
  }

  /// The names of the event being built, when it is fine so far and they were put in their order,
  /// for a later event that has the same: its values can be put without them as long as
  /// [#knowsNames].
  ///
  /// ```
  /// batch.putLong(STATUS, 0, STATUS.length, 404);
  /// long names = batch.names();
  /// batch.end();
  /// batch.begin(type, 0, type.length, nanos);
  /// if (batch.knowsNames(names)) {
  ///   batch.putLong(200); // of the first name
  /// }
  /// ```
  ///
  /// @return negative when there are none to be known
  public long names() {
    return rejection == null && ascending && like == null ? names.version() : -1;
  }

  /// True when the names that [#names] stands for are still known.
  public boolean knowsNames(long those) {
    return those == names.version();
  }

  /// Adds a long of the next of the names that are known; those before it must have been put.
  public void putLong(long value) {
    putBits(AttributeKind.LONG, value);
  }

  /// Adds a double of the next of the names that are known; those before it must have been put.
  public void putDouble(double value) {
    putBits(AttributeKind.DOUBLE, Double.doubleToRawLongBits(value));
  }

  /// Adds a boolean of the next of the names that are known; those before it must have been put.
  public void putBoolean(boolean value) {
    if (putNextName(AttributeKind.BOOLEAN, 1)) {
      memory.set(JAVA_BYTE, at, (byte) (value ? 1 : 0));
      at += 1;
    }
  }

  /// Adds a string of the next of the names that are known; those before it must have been put. It
  /// must be valid UTF-8.
  public void putString(byte[] value, int valueOffset, int valueBytes) {
    if (rejection == null && !Utf8.isValid(value, valueOffset, valueBytes)) {
      reject(Rejection.TEXT_NOT_UTF8);
    }
    if (putNextName(AttributeKind.STRING, (long) Integer.BYTES + valueBytes)) {
      writeText(value, valueOffset, valueBytes);
    }
  }

  private void putBits(AttributeKind kind, long bits) {
    if (putNextName(kind, Long.BYTES)) {
      memory.set(EventLayout.LONG_ANYWHERE, at, bits);
      at += Long.BYTES;
    }
  }

  /// As [#putName], of a name that is known to be valid and to follow the one before.
  private boolean putNextName(AttributeKind kind, long valueBytes) {
    assert building : "no event was begun";
    if (rejection != null) {
      return false;
    }
    requireUnlike();
    if (attributes >= names.count()) {
      throw new IllegalStateException(
          "attribute %d without a name, %d are known".formatted(attributes, names.count()));
    }
    int length = names.recordBytes(attributes);
    if (!reserve(length + valueBytes)) {
      return false;
    }
    noteOffset();
    names.write(attributes, kind, memory, at);
    attributes++;
    at += length;
    return true;
  }

  private void requireUnlike() {
    if (like != null) {
      throw new IllegalStateException("an event that was begun as another takes no attributes");
    }
  }

  private void noteOffset() {
    if (attributes == attributeOffsets.length) {
      attributeOffsets = Arrays.copyOf(attributeOffsets, attributes * 2);
    }
    attributeOffsets[attributes] = (int) (at - limit);
  }

  /// Marks the event as refused, for a reason that only the caller can see. The first reason stays.
  public void reject(Rejection why) {
    assert building : "no event was begun";
    if (rejection == null) {
      rejection = why;
    }
  }

  /// Ends the event.
  ///
  /// @return null when it is in the batch, else why it is not
  public @Nullable Rejection end() {
    assert building : "no event was begun";
    building = false;
    if (rejection == null
        && !ascending
        && !sort.sort(memory, limit, attributeOffsets, attributes, at)) {
      rejection = Rejection.ATTRIBUTE_TWICE;
    }
    if (rejection != null) {
      return rejection;
    }
    int length = Math.toIntExact(at - limit);
    EventLayout.writeHeader(memory, limit, length, attributes, idTime, idTail, version);
    long next = limit + EventLayout.alignedLength(length);
    memory.asSlice(at, next - at).fill((byte) 0); // the same bytes whatever lay here before
    lastOffset = limit;
    limit = next;
    count++;
    ownIds += version == EventLayout.VERSION_OWN ? 1 : 0;
    return null;
  }

  /// Adds a copy of a record that another batch has taken in. It must be within this batch's
  /// limits.
  public void copy(MemorySegment records, long offset) {
    int length = EventLayout.length(records, offset);
    at = limit;
    attributes = 0;
    rejection = null;
    if (!reserve(length)) {
      throw new IllegalArgumentException("a record of %d bytes: %s".formatted(length, rejection));
    }
    long next = EventLayout.alignedLength(length);
    MemorySegment.copy(records, offset, memory, limit, next);
    lastOffset = limit;
    limit += next;
    count++;
    ownIds += EventLayout.version(records, offset) == EventLayout.VERSION_OWN ? 1 : 0;
  }

  private void begin() {
    at = limit + EventLayout.HEADER_BYTES;
    attributes = 0;
    ascending = true;
    sameNames = true;
    rejection = null;
    like = null;
    building = true;
  }

  private void start(byte[] type, int typeOffset, int typeBytes) {
    begin();
    if (typeBytes < 1
        || typeBytes > EventLayout.TYPE_BYTES_MAX
        || !Utf8.isValid(type, typeOffset, typeBytes)) {
      reject(Rejection.TYPE_INVALID);
    } else if (reserve(1 + typeBytes)) {
      memory.set(JAVA_BYTE, at, (byte) typeBytes);
      ShortRuns.copy(type, typeOffset, memory, at + 1, typeBytes);
      at += 1 + typeBytes;
    }
  }

  private void putText(
      AttributeKind kind,
      byte[] name,
      int nameOffset,
      int nameBytes,
      byte[] value,
      int valueOffset,
      int valueBytes) {
    if (putName(kind, name, nameOffset, nameBytes, (long) Integer.BYTES + valueBytes)) {
      writeText(value, valueOffset, valueBytes);
    }
  }

  private void writeText(byte[] value, int valueOffset, int valueBytes) {
    memory.set(EventLayout.INT_ANYWHERE, at, valueBytes);
    ShortRuns.copy(value, valueOffset, memory, at + Integer.BYTES, valueBytes);
    at += Integer.BYTES + valueBytes;
  }

  /// Writes kind and name, and makes room for them and the value. False when the event is refused.
  private boolean putName(
      AttributeKind kind, byte[] name, int nameOffset, int nameBytes, long valueBytes) {
    assert building : "no event was begun";
    if (rejection != null) {
      return false;
    }
    requireUnlike();
    if (attributes == EventLayout.ATTRIBUTES_MAX) {
      reject(Rejection.TOO_MANY_ATTRIBUTES);
      return false;
    }
    sameNames = sameNames && names.isNext(attributes, name, nameOffset, nameBytes);
    if (!sameNames
        && (nameBytes < 1
            || nameBytes > EventLayout.NAME_BYTES_MAX
            || !Utf8.isValid(name, nameOffset, nameBytes))) {
      reject(Rejection.ATTRIBUTE_NAME_INVALID);
      return false;
    }
    if (!reserve(2L + nameBytes + valueBytes)) {
      return false;
    }
    noteOffset();
    EventLayout.writeKind(memory, at, kind, nameBytes);
    ShortRuns.copy(name, nameOffset, memory, EventLayout.nameOffset(at), nameBytes);
    if (!sameNames && ascending) {
      ascending =
          attributes == 0
              || AttributeSort.compare(memory, limit + attributeOffsets[attributes - 1], at) < 0;
      if (ascending) {
        names.put(attributes, name, nameOffset, nameBytes);
      }
    }
    attributes++;
    at += 2 + nameBytes;
    return true;
  }

  /// Makes sure that `bytes` more, and the padding behind them, fit at `at`.
  private boolean reserve(long bytes) {
    long length = at + bytes - limit;
    if (length > eventBytesMax) {
      reject(Rejection.EVENT_TOO_LARGE);
      return false;
    }
    long needed = limit + EventLayout.alignedLength((int) length);
    if (needed <= memory.byteSize()) {
      return true;
    }
    if (needed > bytesMax) {
      reject(Rejection.BATCH_FULL);
      return false;
    }
    Arena grown = Arena.ofShared();
    MemorySegment larger =
        grown.allocate(
            Math.min(bytesMax, Math.max(needed, 2 * memory.byteSize())), EventLayout.ALIGNMENT);
    // At the start of an event `at` is behind a header that need not fit yet.
    MemorySegment.copy(memory, 0, larger, 0, Math.min(at, memory.byteSize()));
    arena.close();
    arena = grown;
    memory = larger;
    return true;
  }

  @Override
  public void close() {
    arena.close();
  }
}
