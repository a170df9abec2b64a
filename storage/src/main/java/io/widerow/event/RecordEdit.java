package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// An edited copy of one record: attributes are kept, dropped, renamed, added, or get another text,
/// and the event may get another type. Time and id stay. Nothing is copied before the first change.
///
/// ```
/// edit.begin(records, offset);
/// while (edit.next()) { // each attribute, in the order of names
///   if (edit.isNamed(password)) {
///     edit.drop();
///   } else {
///     edit.keep();
///   }
/// }
/// if (edit.end()) { // there was a change: the copy is at 0 of memory()
///   batch.tryCopy(edit.memory(), 0);
/// }
/// ```
///
/// - Threads: one.
/// - Memory: borrows the record from [#begin] to [#end]. Keeps native memory for twice the largest
///   record so far, which the garbage collector frees.
public final class RecordEdit {
  private static final int BYTES_START = 4 << 10;

  private final AttributeSort sort = new AttributeSort();
  private MemorySegment target = allocate(BYTES_START);

  // The record being read.
  private MemorySegment source = MemorySegment.NULL;
  private long start;
  private long attribute;
  private long nextAttribute;
  private int left;

  // The copy.
  private boolean changed;
  private boolean renamed;
  private int count;
  private long at;

  private static MemorySegment allocate(long bytes) {
    return Arena.ofAuto().allocate(bytes, EventLayout.ALIGNMENT);
  }

  /// Begins with the record at `offset`, which must be valid and not in [#memory].
  public void begin(MemorySegment records, long offset) {
    source = records;
    start = offset;
    left = EventLayout.attributes(records, offset);
    nextAttribute = EventLayout.attributesOffset(records, offset);
    changed = false;
    renamed = false;
    count = 0;
  }

  /// Gives the copy another type; directly after [#begin].
  ///
  /// @param type 1 to [EventLayout#TYPE_BYTES_MAX] bytes of a valid type
  public void retype(byte[] type) {
    assert !changed && count == 0 : "attributes were read already";
    changed = true;
    at = 0;
    reserve(EventLayout.typeOffset(0) + type.length);
    target.set(JAVA_BYTE, EventLayout.HEADER_BYTES, (byte) type.length);
    MemorySegment.copy(type, 0, target, JAVA_BYTE, EventLayout.typeOffset(0), type.length);
    at = EventLayout.typeOffset(0) + type.length;
  }

  /// Goes to the next attribute. Exactly one of [#keep], [#drop], [#rename] and [#putText] must
  /// follow.
  ///
  /// @return false when there is none
  public boolean next() {
    if (left == 0) {
      return false;
    }
    left--;
    attribute = nextAttribute;
    nextAttribute = EventLayout.nextAttribute(source, attribute);
    return true;
  }

  public boolean isNamed(AttributeName name) {
    return name.matches(source, EventLayout.nameOffset(attribute), nameBytes());
  }

  /// Length of the attribute's name, in bytes.
  public int nameBytes() {
    return EventLayout.nameBytes(source, attribute);
  }

  /// A byte of the attribute's name.
  public byte nameByte(int index) {
    return source.get(JAVA_BYTE, EventLayout.nameOffset(attribute) + index);
  }

  /// Fills `out` with the attribute's value, borrowed from the record.
  public void value(AttributeValue out) {
    long _ = EventLayout.readValue(source, attribute, out);
  }

  /// Keeps the attribute as it is.
  public void keep() {
    if (changed) {
      int bytes = (int) (nextAttribute - attribute);
      reserve(bytes);
      MemorySegment.copy(source, attribute, target, at, bytes);
      note((int) at);
      at += bytes;
    } else {
      note((int) (attribute - start));
    }
  }

  /// Leaves the attribute out.
  public void drop() {
    change();
  }

  /// Keeps the attribute's value under another name, which no other attribute of the copy has.
  public void rename(AttributeName name) {
    change();
    long value = EventLayout.valueOffset(source, attribute);
    int bytes = (int) (nextAttribute - value);
    reserve(2L + name.length() + bytes);
    note((int) at);
    EventLayout.writeKind(target, at, EventLayout.kind(source, attribute), name.length());
    MemorySegment.copy(name.utf8(), 0, target, at + 2, name.length());
    at += 2L + name.length();
    MemorySegment.copy(source, value, target, at, bytes);
    at += bytes;
    renamed = true;
  }

  /// Replaces the attribute's value by a text.
  ///
  /// @param kind `STRING` for valid UTF-8, or `BYTES`
  public void putText(AttributeKind kind, byte[] text, int length) {
    assert kind.isText() : kind;
    assert kind != AttributeKind.STRING || Utf8.isValid(text, 0, length) : "not UTF-8";
    change();
    int nameBytes = nameBytes();
    reserve(2L + nameBytes + Integer.BYTES + length);
    note((int) at);
    EventLayout.writeKind(target, at, kind, nameBytes);
    MemorySegment.copy(source, EventLayout.nameOffset(attribute), target, at + 2, nameBytes);
    at += 2L + nameBytes;
    target.set(EventLayout.INT_ANYWHERE, at, length);
    MemorySegment.copy(text, 0, target, JAVA_BYTE, at + Integer.BYTES, length);
    at += Integer.BYTES + (long) length;
  }

  /// Adds an attribute whose name no other attribute of the copy has. All attributes were read.
  ///
  /// @param value a text is valid UTF-8, as it was in the event that it comes from
  public void add(AttributeName name, AttributeValue value) {
    assert left == 0 : left + " attributes were not read";
    attribute = nextAttribute; // all before it are part of the copy
    change();
    AttributeKind kind = value.kind();
    boolean isText = kind.isText();
    reserve(2L + name.length() + (isText ? Integer.BYTES + value.length() : Long.BYTES));
    note((int) at);
    EventLayout.writeKind(target, at, kind, name.length());
    MemorySegment.copy(name.utf8(), 0, target, at + 2, name.length());
    at += 2L + name.length();
    if (isText) {
      target.set(EventLayout.INT_ANYWHERE, at, value.length());
      MemorySegment.copy(
          value.memory(), value.offset(), target, at + Integer.BYTES, value.length());
      at += Integer.BYTES + (long) value.length();
    } else if (kind == AttributeKind.BOOLEAN) {
      target.set(JAVA_BYTE, at++, (byte) value.bits());
    } else {
      target.set(EventLayout.LONG_ANYWHERE, at, value.bits());
      at += Long.BYTES;
    }
    renamed = true;
  }

  /// Ends the copy.
  ///
  /// @return false when nothing was changed: there is no copy then
  /// @throws IllegalStateException when two attributes have got the same name
  public boolean end() {
    assert left == 0 : left + " attributes were not read";
    if (!changed) {
      return false;
    }
    if (renamed && !sort.sort(target, 0, count, at)) {
      throw new IllegalStateException("two attributes have got the same name");
    }
    finish();
    return true;
  }

  /// Becomes the copy of a record with fields.
  ///
  /// @param records that the fields were merged into
  public void take(FieldMerge merge, MemorySegment records, long offset) {
    begin(records, offset);
    at = 0;
    reserve(merge.length());
    MemorySegment.copy(merge.bytes(), 0, target, JAVA_BYTE, 0, merge.length());
    at = merge.length();
    count = merge.attributes();
    finish();
  }

  private void finish() {
    int length = Math.toIntExact(at);
    reserve(0);
    EventLayout.writeHeader(
        target,
        0,
        length,
        count,
        EventLayout.idTime(source, start),
        EventLayout.idTail(source, start),
        EventLayout.version(source, start));
    for (long end = EventLayout.alignedLength(length); at < end; at++) {
      target.set(JAVA_BYTE, at, (byte) 0);
    }
  }

  /// The memory of the copy, which begins at 0. Valid until the next [#begin].
  public MemorySegment memory() {
    return target;
  }

  /// Copies the attributes retained so far, at the first change.
  private void change() {
    if (!changed) {
      changed = true;
      at = 0;
      long bytes = attribute - start;
      reserve(bytes);
      MemorySegment.copy(source, start, target, 0, bytes);
      at = bytes;
    }
  }

  private void note(int offset) {
    sort.note(count++, offset);
  }

  /// Makes room for `bytes` more and the padding after them.
  private void reserve(long bytes) {
    long needed = at + bytes + EventLayout.ALIGNMENT;
    if (needed > target.byteSize()) {
      MemorySegment larger = allocate(2 * needed);
      MemorySegment.copy(target, 0, larger, 0, at);
      target = larger;
    }
  }
}
