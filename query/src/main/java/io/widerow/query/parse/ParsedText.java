package io.widerow.query.parse;

import io.widerow.event.AddedFields;
import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeNames;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.Utf8;
import io.widerow.storage.NumberText;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A text and the fields that a format has found in it. The value of a field is a part of the text,
/// or of a second text after it that the format made, such as a string without its escapes:
///
/// ```
///   bytes   |  text that was read    | made  | made |
///           0                   length()     ^ made()
/// ```
///
/// The kind of a value is seen by its form: `-?(0|[1-9][0-9]*)` of 64 bits is a whole number, one
/// with a point and digits after it a decimal, `true` and `false` are booleans. All else is a text.
///
/// - Threads: one.
/// - Memory: keeps arrays as large as the longest text, and as the most fields.
public final class ParsedText implements AddedFields {
  /// Most fields of a text; later ones are left out.
  public static final int FIELDS_MAX = 250;

  private static final int OBJECT_BYTES = 200; // with the heads of its arrays
  private static final int FIELD_BYTES = 24;
  private static final int NUMBER_BYTES_MAX = 32;
  private static final int WHOLE_BYTES_MAX = 20;

  /// Eight bytes are searched at a time.
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long TOPS = 0x8080_8080_8080_8080L;

  private final AttributeNames known;
  private final AttributeValue number = new AttributeValue();
  private byte[] bytes;
  private MemorySegment memory;
  private int length;
  private int made;
  private boolean utf8;
  private int count;
  private AttributeName[] names;
  private AttributeKind[] kinds;
  private long[] bits; // of a number; of a text where it begins
  private int[] lengths;
  private @Nullable RegexRun run; // when an expression was searched for
  private @Nullable SyslogText syslog; // when it was read as syslog

  /// Where a format reads.
  int at;

  public ParsedText() {
    this(new AttributeNames(), new byte[1 << 10], 32);
  }

  private ParsedText(AttributeNames known, byte[] bytes, int fields) {
    this.known = known;
    this.bytes = bytes;
    this.memory = MemorySegment.ofArray(bytes);
    this.names = new AttributeName[fields];
    this.kinds = new AttributeKind[fields];
    this.bits = new long[fields];
    this.lengths = new int[fields];
  }

  /// A copy of the fields, which takes as little memory as it can.
  ParsedText copyOfFields() {
    byte[] texts = count == 0 ? new byte[0] : Arrays.copyOf(bytes, made);
    ParsedText copy = new ParsedText(known, texts, count);
    System.arraycopy(names, 0, copy.names, 0, count);
    System.arraycopy(kinds, 0, copy.kinds, 0, count);
    System.arraycopy(bits, 0, copy.bits, 0, count);
    System.arraycopy(lengths, 0, copy.lengths, 0, count);
    copy.count = count;
    return copy;
  }

  /// Approximate memory of a copy.
  long heldBytes() {
    return OBJECT_BYTES + bytes.length + (long) FIELD_BYTES * count;
  }

  /// Takes another text, without fields.
  ///
  /// @param text a string or bytes
  public void begin(AttributeValue text) {
    clear();
    length = text.length();
    reserve(length);
    int _ = text.copyTo(bytes, 0);
    made = length;
    utf8 = text.kind() == AttributeKind.STRING;
  }

  /// Removes text and fields.
  public void clear() {
    length = 0;
    made = 0;
    begin();
  }

  /// Removes the fields, so that another format may read the text.
  void begin() {
    made = length;
    count = 0;
    at = 0;
  }

  /// The bytes of the text, from 0 to [#length]; after it those that were made.
  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  /// True when the text is known to be UTF-8.
  boolean isUtf8() {
    return utf8;
  }

  /// What searches it for expressions.
  RegexRun run() {
    RegexRun known = run;
    if (known == null) {
      known = new RegexRun();
      run = known;
    }
    return known;
  }

  /// What reads it as syslog.
  SyslogText syslog() {
    SyslogText known = syslog;
    if (known == null) {
      known = new SyslogText(this);
      syslog = known;
    }
    return known;
  }

  /// A copy of the text, for what reads whole arrays.
  byte[] copy() {
    return Arrays.copyOf(bytes, length);
  }

  /// Number of fields.
  @Override
  public int count() {
    return count;
  }

  @Override
  public AttributeName name(int field) {
    return names[field];
  }

  @Override
  public AttributeKind kind(int field) {
    return kinds[field];
  }

  @Override
  public long bits(int field) {
    return bits[field];
  }

  @Override
  public int length(int field) {
    return lengths[field];
  }

  @Override
  public void copyTo(int field, byte[] out, int to) {
    System.arraycopy(bytes, (int) bits[field], out, to, lengths[field]);
  }

  /// Fills `out` with a field's value, borrowed until the next text.
  public void value(int field, AttributeValue out) {
    AttributeKind kind = kinds[field];
    if (kind.isText()) {
      out.setText(kind, memory, bits[field], lengths[field]);
    } else {
      out.setBits(kind, bits[field]);
    }
  }

  /// The field of a name; negative when there is none.
  public int find(AttributeName name) {
    for (int i = 0; i < count; i++) {
      if (names[i].equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /// Adds a field with a part of the text, of the kind that it has by sight.
  void put(AttributeName name, int from, int until) {
    if (isFull()) {
      return;
    }
    if (readSight(from, until)) {
      add(name, number.kind(), number.bits(), 0);
    } else {
      putText(name, from, until);
    }
  }

  /// Adds a field with a part of the text, as a text.
  void putText(AttributeName name, int from, int until) {
    boolean valid = utf8 || Utf8.isValid(bytes, from, until - from);
    add(name, valid ? AttributeKind.STRING : AttributeKind.BYTES, from, until - from);
  }

  void putBits(AttributeName name, AttributeKind kind, long value) {
    add(name, kind, value, 0);
  }

  /// Adds a field, unless there is one of this name.
  void putFirst(AttributeName name, int from, int until) {
    if (find(name) < 0) {
      put(name, from, until);
    }
  }

  /// True when no further field is added.
  boolean isFull() {
    return count == FIELDS_MAX;
  }

  private void add(AttributeName name, AttributeKind kind, long value, int valueLength) {
    if (isFull()) {
      return;
    }
    if (count == names.length) {
      names = Arrays.copyOf(names, 2 * count);
      kinds = Arrays.copyOf(kinds, 2 * count);
      bits = Arrays.copyOf(bits, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    names[count] = name;
    kinds[count] = kind;
    bits[count] = value;
    lengths[count] = valueLength;
    count++;
  }

  /// The name that a part of the text is; null when no attribute can have it.
  @Nullable AttributeName nameOf(int from, int until) {
    int bytesOfName = until - from;
    boolean fits = bytesOfName > 0 && bytesOfName <= EventLayout.NAME_BYTES_MAX;
    return fits && (utf8 || Utf8.isValid(bytes, from, bytesOfName))
        ? known.at(memory, from, bytesOfName)
        : null;
  }

  /// Where the next byte goes that a format makes.
  int made() {
    return made;
  }

  /// Takes back the bytes that were made from there on.
  void unmake(int from) {
    made = from;
  }

  /// Adds a field with a text that the format made.
  void putMade(AttributeName name, byte[] text) {
    int from = made;
    make(text);
    putText(name, from, made);
  }

  void make(byte one) {
    reserve(made + 1);
    bytes[made++] = one;
  }

  void make(int from, int until) {
    reserve(made + until - from);
    System.arraycopy(bytes, from, bytes, made, until - from);
    made += until - from;
  }

  void make(byte[] more) {
    reserve(made + more.length);
    System.arraycopy(more, 0, bytes, made, more.length);
    made += more.length;
  }

  /// Makes room, also for a long that begins at the last byte.
  private void reserve(int wanted) {
    if (wanted + Long.BYTES > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(wanted + Long.BYTES, 2 * bytes.length));
      memory = MemorySegment.ofArray(bytes);
    }
  }

  /// Where a byte is next from `from`; negative when it is nowhere.
  int indexOf(char one, int from) {
    return indexOf(one, from, length);
  }

  /// Where a byte is next from `from`; negative when it is not before `until`.
  int indexOf(char one, int from, int until) {
    long wanted = ONES * one;
    for (int i = from; i < until; i += Long.BYTES) {
      long found = zeros((long) LONG.get(bytes, i) ^ wanted);
      if (found != 0) {
        int place = place(i, found);
        return place < until ? place : -1;
      }
    }
    return -1;
  }

  /// Marks the bytes that are 0. Only the lowest mark is certain.
  private static long zeros(long word) {
    return (word - ONES) & ~word & TOPS;
  }

  /// The place of the lowest mark of the word that begins at `from`.
  private static int place(int from, long marks) {
    return from + Long.numberOfTrailingZeros(marks) / Byte.SIZE;
  }

  /// True when these bytes are there.
  ///
  /// @param latin a character for each byte
  boolean isAt(String latin, int from) {
    if (from < 0 || length - from < latin.length()) {
      return false;
    }
    for (int i = 0; i < latin.length(); i++) {
      if (bytes[from + i] != (byte) latin.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /// Where bytes are next from `from`; negative when they are nowhere.
  ///
  /// @param latin a character for each byte, one at least
  int indexOf(String latin, int from) {
    int found = indexOf(latin.charAt(0), from);
    while (found >= 0 && !isAt(latin, found)) {
      found = indexOf(latin.charAt(0), found + 1);
    }
    return found;
  }

  boolean isDigit(int place) {
    return place >= 0 && place < length && bytes[place] >= '0' && bytes[place] <= '9';
  }

  /// True when a part of the text is digits, one at least.
  boolean areDigits(int from, int until) {
    for (int i = from; i < until; i++) {
      if (!isDigit(i)) {
        return false;
      }
    }
    return until > from;
  }

  /// Takes a character at [#at].
  boolean take(char one) {
    boolean is = at < length && bytes[at] == one;
    at += is ? 1 : 0;
    return is;
  }

  /// Takes the word at [#at] and the space after it. Returns its end; negative when it is empty.
  int word() {
    int start = at;
    int end = indexOf(' ', start);
    end = end < 0 ? length : end;
    at = Math.min(length, end + 1);
    return end > start ? end : -1;
  }

  /// Takes a word as a field by sight; `-` is no value. False when there is no word.
  boolean word(AttributeName name) {
    int start = at;
    int end = word();
    if (end > 0 && !isNone(start, end)) {
      put(name, start, end);
    }
    return end > 0;
  }

  /// True for `-`, which stands for no value.
  boolean isNone(int from, int until) {
    return until - from == 1 && bytes[from] == '-';
  }

  /// The end of a text in quotes that begins at `from`, with backslashes before what they escape;
  /// negative when it is not closed.
  int quoteEnd(int from) {
    for (int i = from; i < length; ) {
      long word = (long) LONG.get(bytes, i);
      long found = zeros(word ^ ONES * '"') | zeros(word ^ ONES * '\\');
      if (found == 0) {
        i += Long.BYTES;
        continue;
      }
      int place = place(i, found);
      if (place >= length) {
        return -1;
      }
      if (bytes[place] == '"') {
        return place;
      }
      i = place + 2;
    }
    return -1;
  }

  private boolean readSight(int from, int until) {
    int size = until - from;
    if (size == 0 || size > NUMBER_BYTES_MAX) {
      return false;
    }
    byte first = bytes[from];
    if (first == 't' || first == 'f') {
      boolean truth = is("true", from, size);
      if (truth || is("false", from, size)) {
        number.setBits(AttributeKind.BOOLEAN, truth ? 1 : 0);
        return true;
      }
      return false;
    }
    int digits = from + (first == '-' ? 1 : 0);
    int i = digits;
    long value = 0;
    while (i < until && bytes[i] >= '0' && bytes[i] <= '9') {
      value = 10 * value + bytes[i++] - '0'; // of more than 64 bits it is not used
    }
    boolean led = i > digits + 1 && bytes[digits] == '0';
    if (i == digits || led) {
      return false;
    }
    boolean whole = i == until;
    if (whole && (size > WHOLE_BYTES_MAX || (first == '-' && bytes[digits] == '0'))) {
      return false;
    }
    if (whole && i - digits < WHOLE_BYTES_MAX - 1) {
      number.setBits(AttributeKind.LONG, first == '-' ? -value : value);
      return true;
    }
    if (!whole) {
      int point = i++;
      while (i < until && bytes[i] >= '0' && bytes[i] <= '9') {
        i++;
      }
      if (bytes[point] != '.' || i < until || i == point + 1) {
        return false;
      }
    }
    number.setText(AttributeKind.STRING, memory, from, size);
    return NumberText.read(number) && whole == (number.kind() == AttributeKind.LONG);
  }

  private boolean is(String ascii, int from, int size) {
    if (size != ascii.length()) {
      return false;
    }
    for (int i = 0; i < size; i++) {
      if (bytes[from + i] != ascii.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
