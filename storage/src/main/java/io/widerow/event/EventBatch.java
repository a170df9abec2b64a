package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A batch of events in native memory: records of [EventLayout], back to back. It is the only
/// builder of such records; every record in it is valid.
///
/// ```
/// batch.begin(type, 0, type.length, epochNanos);
/// batch.putLong(status, 0, status.length, 404);
/// Rejection why = batch.end(); // null: the event is in the batch
/// ```
///
/// The first error in an event is remembered and returned by [#end], which then leaves the batch as
/// it was before `begin`.
///
/// - Threads: one at a time; hand a batch over through a ring or a lock.
/// - Memory: owns native memory from the constructor until [#close]. It grows by doubling, up to
///   `bytesMax`; an event that does not fit is [Rejection#BATCH_FULL].
public final class EventBatch implements AutoCloseable {
  private static final long COUNT_BYTES = Integer.BYTES; // before a text
  private static final EventNames NO_NAMES = new EventNames(); // for an event like a template

  private final long bytesMax;
  private final int eventBytesMax;
  private Arena arena;
  private MemorySegment memory;
  private long limit; // end of the last whole event
  private long lastOffset; // start of the last whole event
  private int count;
  private long ownIds;

  // The event being built.
  private long at; // where the next byte goes
  private int attributes;
  private boolean ascending;
  private boolean sameNames; // names so far equal those of the event before, in order
  private final EventNames names = new EventNames(); // valid and ascending
  private EventNames known = names; // of values without names; others than `names` are the caller's
  private int skipped; // of them
  private long idTime;
  private long idTail;
  private long version;
  private @Nullable Rejection rejection;
  private @Nullable RecordTemplate like; // the event is then complete
  private boolean building;
  private final AttributeSort sort = new AttributeSort();

  /// Creates a batch whose largest event is [EventLayout#EVENT_BYTES_MAX].
  public EventBatch(long bytesStart, long bytesMax) {
    this(bytesStart, bytesMax, EventLayout.EVENT_BYTES_MAX);
  }

  /// @param bytesStart native memory to allocate at once; it grows up to `bytesMax`
  /// @param eventBytesMax size of the largest event accepted, at most [EventLayout#EVENT_BYTES_MAX]
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

  /// The memory of the events, which lie in `[0, bytes())`. Valid until the batch grows or is
  /// closed.
  public MemorySegment memory() {
    return memory;
  }

  public long bytes() {
    return limit;
  }

  /// Size of the largest event accepted, in bytes.
  public int eventBytesMax() {
    return eventBytesMax;
  }

  public int count() {
    return count;
  }

  /// The number of events with a client id.
  public long ownIds() {
    return ownIds;
  }

  /// Removes all events, and the one being built. Keeps the memory.
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

  /// As [#begin], with names of an earlier event, from [#copyNames]. Values are put without names,
  /// in the order of names; a name without a value is passed over by [#skipName].
  public void begin(byte[] type, int offset, int bytes, long epochNanos, EventNames those) {
    begin(type, offset, bytes, epochNanos);
    known = those.requireOfRecord();
  }

  private void takeTime(long epochNanos) {
    if (epochNanos < TimeUuid.NANOS_MIN || epochNanos >= TimeUuid.NANOS_LIMIT) {
      reject(Rejection.TIME_OUT_OF_RANGE);
    }
    idTime = TimeUuid.timeOfNanos(epochNanos);
    idTail = TimeUuid.tailOf(epochNanos, 0, 0);
    version = EventLayout.VERSION_ASSIGNED;
  }

  /// Starts a copy of an earlier event with another time; the store assigns its id. Its numbers and
  /// booleans may be changed by [#set]; no attributes can be added.
  ///
  /// @param template a template that holds an event, see [#copyLast]
  /// @param epochNanos the event's time, nanoseconds since the Unix epoch
  public void begin(RecordTemplate template, long epochNanos) {
    if (template.length() == 0) {
      throw new IllegalArgumentException("the template holds no event");
    }
    begin();
    like = template;
    known = NO_NAMES;
    takeTime(epochNanos);
    if (reserve(template.length() - EventLayout.HEADER_BYTES)) {
      template.write(memory, limit);
      at = limit + template.length();
      attributes = template.attributes();
    }
  }

  /// Sets a number or boolean of an event that was begun from a template: a long, the raw bits of a
  /// double, or 0 or 1. The kind is that of the template.
  ///
  /// @param place of the attribute, in the order of names
  public void set(int place, long bits) {
    RecordTemplate template = like;
    if (!building || template == null) {
      throw new IllegalStateException("no event was begun from a template");
    }
    if (rejection == null) {
      template.set(memory, limit, place, bits);
    }
  }

  /// Length in bytes of the event ended last. There must be one.
  public int lastBytes() {
    return EventLayout.length(memory, lastOffset);
  }

  /// Copies the event ended last, which must exist, into a template.
  public void copyLast(RecordTemplate template) {
    template.take(memory, lastOffset());
  }

  /// Copies the names of the event ended last, which must exist.
  public void copyNames(EventNames into) {
    into.take(memory, lastOffset());
  }

  private long lastOffset() {
    if (count == 0) {
      throw new IllegalStateException("no event was ended");
    }
    return lastOffset;
  }

  /// Starts an event with an id from the client. It replaces the event of the same type and id.
  public void begin(byte[] type, int typeOffset, int typeBytes, EventId id) {
    start(type, typeOffset, typeBytes);
    if (!TimeUuid.isEventTime(id.time())) {
      reject(Rejection.TIME_OUT_OF_RANGE);
    }
    idTime = id.time();
    idTail = id.tail();
    version = EventLayout.VERSION_OWN;
  }

  /// Starts the event that was rejected last once more, with its id and its time.
  public void beginAgain(byte[] type, int typeOffset, int typeBytes) {
    start(type, typeOffset, typeBytes);
    if (!TimeUuid.isEventTime(idTime)) {
      reject(Rejection.TIME_OUT_OF_RANGE);
    }
  }

  public void putString(byte[] name, int nameOffset, int nameBytes, byte[] value) {
    putString(name, nameOffset, nameBytes, value, 0, value.length);
  }

  /// Adds a string, which must be valid UTF-8.
  public void putString(
      byte[] name, int nameOffset, int nameBytes, byte[] value, int valueOffset, int valueBytes) {
    if (rejection == null && !Utf8.isValid(value, valueOffset, valueBytes)) {
      reject(Rejection.TEXT_NOT_UTF8);
    }
    if (putName(AttributeKind.STRING, name, nameOffset, nameBytes, COUNT_BYTES + valueBytes)) {
      writeText(value, valueOffset, valueBytes);
    }
  }

  /// Adds opaque bytes.
  public void putBytes(
      byte[] name, int nameOffset, int nameBytes, byte[] value, int valueOffset, int valueBytes) {
    if (putName(AttributeKind.BYTES, name, nameOffset, nameBytes, COUNT_BYTES + valueBytes)) {
      writeText(value, valueOffset, valueBytes);
    }
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
      memory.set(JAVA_BYTE, at++, (byte) (value ? 1 : 0));
    }
  }

  /// A token for the names of the event being built, to be taken after the last name. A later event
  /// can then be built from values alone, in the order of names, as long as [#knowsNames] holds.
  /// There is a token when the event has no error so far and its names were put in ascending order.
  ///
  /// @return negative when there is no token
  public long names() {
    return rejection == null && ascending && known == names ? names.version() : -1;
  }

  /// True when the batch still knows the names of a token from [#names].
  public boolean knowsNames(long those) {
    return those == names.version();
  }

  /// Adds a long under the next known name. Values must be added in the order of names.
  public void putLong(long value) {
    putBits(AttributeKind.LONG, value);
  }

  /// Adds a double under the next known name. Values must be added in the order of names.
  public void putDouble(double value) {
    putBits(AttributeKind.DOUBLE, Double.doubleToRawLongBits(value));
  }

  /// Adds a boolean under the next known name. Values must be added in the order of names.
  public void putBoolean(boolean value) {
    if (putNextName(AttributeKind.BOOLEAN, 1)) {
      memory.set(JAVA_BYTE, at++, (byte) (value ? 1 : 0));
    }
  }

  /// Adds a string, as [#putString] does, under the next known name.
  public void putString(byte[] value, int valueOffset, int valueBytes) {
    if (rejection == null && !Utf8.isValid(value, valueOffset, valueBytes)) {
      reject(Rejection.TEXT_NOT_UTF8);
    }
    if (putNextName(AttributeKind.STRING, COUNT_BYTES + valueBytes)) {
      writeText(value, valueOffset, valueBytes);
    }
  }

  /// Adds opaque bytes under the next known name. Values must be added in the order of names.
  public void putBytes(byte[] value, int valueOffset, int valueBytes) {
    if (putNextName(AttributeKind.BYTES, COUNT_BYTES + valueBytes)) {
      writeText(value, valueOffset, valueBytes);
    }
  }

  private void putBits(AttributeKind kind, long bits) {
    if (putNextName(kind, Long.BYTES)) {
      memory.set(EventLayout.LONG_ANYWHERE, at, bits);
      at += Long.BYTES;
    }
  }

  /// As [#putName], for a name that is known to be valid and in order.
  private boolean putNextName(AttributeKind kind, long valueBytes) {
    assert building : "no event was begun";
    if (rejection != null) {
      return false;
    }
    int place = attributes + skipped;
    if (place >= known.count()) {
      throw new IllegalStateException(
          "attribute %d without a name, %d are known".formatted(place, known.count()));
    }
    int length = known.recordBytes(place);
    if (!reserve(length + valueBytes)) {
      return false;
    }
    sort.note(attributes, at - limit);
    known.write(place, kind, memory, at);
    attributes++;
    at += length;
    return true;
  }

  /// Passes over the next name of an event that was begun with names: it has no such attribute.
  public void skipName() {
    if (known == names || attributes + skipped >= known.count()) {
      throw new IllegalStateException("no name to pass over");
    }
    skipped++;
  }

  /// Rejects the event for a reason that only the caller can see. The first reason is kept.
  public void reject(Rejection why) {
    assert building : "no event was begun";
    if (rejection == null) {
      rejection = why;
    }
  }

  /// Ends the event.
  ///
  /// @return null when the event is in the batch, else why it was rejected
  public @Nullable Rejection end() {
    assert building : "no event was begun";
    building = false;
    if (rejection == null && !ascending && !sort.sort(memory, limit, attributes, at)) {
      rejection = Rejection.ATTRIBUTE_TWICE;
    }
    if (rejection != null) {
      return rejection;
    }
    int length = Math.toIntExact(at - limit);
    EventLayout.writeHeader(memory, limit, length, attributes, idTime, idTail, version);
    long next = limit + EventLayout.alignedLength(length);
    long last = memory.get(EventLayout.LONG, next - Long.BYTES); // with deterministic padding
    int padding = Byte.SIZE * (int) (next - at);
    memory.set(EventLayout.LONG, next - Long.BYTES, last & (-1L >>> padding));
    lastOffset = limit;
    limit = next;
    count++;
    ownIds += version == EventLayout.VERSION_OWN ? 1 : 0;
    return null;
  }

  /// As [#tryCopy], for a record that fits; throws IllegalArgumentException when it does not.
  public void copy(MemorySegment records, long offset) {
    Rejection why = tryCopy(records, offset);
    if (why != null) {
      throw new IllegalArgumentException("cannot copy a record: " + why.reason());
    }
  }

  /// Adds a copy of a valid record, if it is within the limits of this batch; else returns why not.
  public @Nullable Rejection tryCopy(MemorySegment records, long offset) {
    int length = EventLayout.length(records, offset);
    begin();
    at = limit;
    boolean fits = reserve(length);
    building = false;
    if (!fits) {
      return rejection;
    }
    long next = EventLayout.alignedLength(length);
    MemorySegment.copy(records, offset, memory, limit, next);
    lastOffset = limit;
    limit += next;
    count++;
    ownIds += EventLayout.version(records, offset) == EventLayout.VERSION_OWN ? 1 : 0;
    return null;
  }

  /// Takes the events and the memory of another batch of the same limits. That one is then empty
  /// and has the memory of this one.
  public void take(EventBatch other) {
    assert !building && !other.building : "an event is being built";
    Arena ownArena = arena;
    MemorySegment ownMemory = memory;
    arena = other.arena;
    memory = other.memory;
    limit = other.limit;
    lastOffset = other.lastOffset;
    count = other.count;
    ownIds = other.ownIds;
    other.arena = ownArena;
    other.memory = ownMemory;
    other.clear();
  }

  private void begin() {
    at = limit + EventLayout.HEADER_BYTES;
    attributes = 0;
    ascending = true;
    sameNames = true;
    rejection = null;
    like = null;
    known = names;
    skipped = 0;
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
      ByteRuns.copy(type, typeOffset, memory, at + 1, typeBytes);
      at += 1 + typeBytes;
    }
  }

  private void writeText(byte[] value, int valueOffset, int valueBytes) {
    memory.set(EventLayout.INT_ANYWHERE, at, valueBytes);
    ByteRuns.copy(value, valueOffset, memory, at + Integer.BYTES, valueBytes);
    at += Integer.BYTES + valueBytes;
  }

  /// Writes kind and name, and reserves room for them and the value. False when the event is
  /// rejected.
  private boolean putName(
      AttributeKind kind, byte[] name, int nameOffset, int nameBytes, long valueBytes) {
    assert building : "no event was begun";
    if (rejection != null) {
      return false;
    }
    if (known != names) {
      throw new IllegalStateException("an event that was begun from another takes no names");
    }
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
    sort.note(attributes, at - limit);
    EventLayout.writeKind(memory, at, kind, nameBytes);
    ByteRuns.copy(name, nameOffset, memory, EventLayout.nameOffset(at), nameBytes);
    if (!sameNames && ascending) {
      ascending =
          attributes == 0
              || AttributeSort.compare(memory, limit + sort.offset(attributes - 1), at) < 0;
      if (ascending) {
        names.put(attributes, name, nameOffset, nameBytes);
      }
    }
    attributes++;
    at += 2 + nameBytes;
    return true;
  }

  /// Makes sure that `bytes` more, and the padding after them, fit at `at`.
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
    long bytesNext = Math.min(bytesMax, Math.max(needed, 2 * memory.byteSize()));
    MemorySegment larger = grown.allocate(bytesNext, EventLayout.ALIGNMENT);
    // At the start of an event `at` is after a header that need not fit yet.
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
