package io.widerow.ingest.receive.graphite;

import io.widerow.ingest.decode.DecimalText;
import java.util.Arrays;

/// Reads a pickle of lists, tuples, texts and numbers, and of nothing else. It is no unpickler: it
/// knows no opcode that names, makes or calls anything. Any other opcode refuses the whole pickle,
/// and so does nesting deeper than [#DEPTH_MAX].
///
/// ```
///   read:   ( l ] ) t \x85 \x86 \x87 a e   lists and tuples     S V U T X \x8c           texts
///           p q r \x94 g h j               the memo             I J K M L \x8a F G       numbers
///           0 \x80 \x95 .                  pop, version, frame, stop
/// ```
///
/// Memo opcodes that read are needed: Python writes a path that it sends twice once.
///
/// The items that were read lie in arrays; an item is an index. The children of a list or a tuple
/// are chained: `first` is its first child, `next` of a child is the one after it. An item that is
/// taken from the memo is a copy, because an item has one parent; a list is never taken from it.
///
/// - Threads: one.
/// - Memory: keeps its arrays, for [#ITEMS_MAX] items at most.
///
/// Source: the opcodes of `pickletools` of Python, protocols 0 to 4.
final class PickleReader {
  static final int DEPTH_MAX = 4;
  static final int ITEMS_MAX = 1 << 18;
  static final int NONE = -1;

  static final byte TEXT = 1; // in the frame
  static final byte SCRATCH = 2; // a text that was unescaped
  static final byte LONG = 3;
  static final byte DOUBLE = 4;
  static final byte OTHER = 5; // a number that no double or long holds
  static final byte LIST = 6;
  static final byte TUPLE = 7;

  private static final int START = 256;
  private static final int PROTOCOL_MAX = 5;
  private static final int MARKS_MAX = 64;

  private final DecimalText number = new DecimalText();
  private final PickleText texts = new PickleText();
  private byte[] bytes = new byte[0];
  private int start;
  private int at;
  private int limit;
  private int opcodeAt;

  private int items;
  private byte[] kinds = new byte[START];
  private byte[] depths = new byte[START];
  private int[] first = new int[START]; // child, or offset of a text
  private int[] last = new int[START]; // child
  private int[] size = new int[START]; // children, or bytes of a text
  private int[] next = new int[START];
  private long[] bits = new long[START]; // of a number

  private int[] stack = new int[START];
  private int height;
  private final int[] marks = new int[MARKS_MAX];
  private int marked;
  private int[] memo = new int[START];
  private int memoized; // entries that may be set

  /// Why a pickle is refused.
  static final class Bad extends Exception {
    private static final long serialVersionUID = 1L;

    Bad(String reason) {
      super(reason, null, false, false);
    }
  }

  /// Reads the pickle that fills `[offset, end)`. What it holds is valid until the next call.
  ///
  /// @return the item that is the whole of it
  int read(byte[] frame, int offset, int end) throws Bad {
    bytes = frame;
    start = offset;
    at = offset;
    limit = end;
    items = 0;
    height = 0;
    marked = 0;
    Arrays.fill(memo, 0, memoized, NONE);
    memoized = 0;
    texts.clear();
    while (true) {
      opcodeAt = at;
      int opcode = take(1) & 0xff;
      if (opcode == '.') {
        break;
      }
      step(opcode);
    }
    if (height != 1 || marked != 0) {
      throw bad("the pickle ends with %d items".formatted(height));
    }
    if (at != limit) {
      throw bad("%d bytes follow the end of the pickle".formatted(limit - at));
    }
    return stack[0];
  }

  private void step(int opcode) throws Bad {
    switch (opcode) {
      case '(' -> mark();
      case ')' -> push(TUPLE, NONE, 0);
      case ']' -> push(LIST, NONE, 0);
      case 'l' -> gather(LIST, sinceMark());
      case 't' -> gather(TUPLE, sinceMark());
      case 0x85, 0x86, 0x87 -> gather(TUPLE, opcode - 0x84);
      case 'a' -> append(1);
      case 'e' -> append(sinceMark());
      case 'S' -> quoted();
      case 'V' -> unicode();
      case 'U', 0x8c -> text(take(1) & 0xffL);
      case 'T', 'X' -> text(littleEndian(4) & 0xffff_ffffL);
      case 'I', 'L' -> decimal(opcode == 'L');
      case 'F' -> decimal(false);
      case 'K' -> whole(take(1) & 0xff);
      case 'M' -> whole(littleEndian(2) & 0xffff);
      case 'J' -> {
        int signed = (int) littleEndian(4);
        whole(signed);
      }
      case 0x8a -> longer(take(1) & 0xff);
      case 'G' -> fraction();
      case 'p' -> memoize(index());
      case 'q' -> memoize(take(1) & 0xffL);
      case 'r' -> memoize(littleEndian(4) & 0xffff_ffffL);
      case 0x94 -> memoize(memoized);
      case 'g' -> recall(index());
      case 'h' -> recall(take(1) & 0xffL);
      case 'j' -> recall(littleEndian(4) & 0xffff_ffffL);
      case '0' -> pop();
      case 0x80 -> protocol();
      case 0x95 -> at += requireLeft(8);
      default -> throw bad("opcode 0x%02x is none of lists, texts and numbers".formatted(opcode));
    }
  }

  private Bad bad(String reason) {
    return new Bad("pickle at byte %d: %s".formatted(opcodeAt - start, reason));
  }

  private int requireLeft(long count) throws Bad {
    if (limit - at < count) {
      throw bad("it ends too soon");
    }
    return (int) count;
  }

  private byte take(int count) throws Bad {
    int from = at;
    at += requireLeft(count);
    return bytes[from];
  }

  private long littleEndian(int count) throws Bad {
    int from = at;
    at += requireLeft(count);
    long value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = (value << Byte.SIZE) | (bytes[from + i] & 0xff);
    }
    return value;
  }

  /// Takes the rest of the line of a textual opcode, and returns where it ends.
  private int takeLine() throws Bad {
    int end = at;
    while (end < limit && bytes[end] != '\n') {
      end++;
    }
    if (end == limit) {
      throw bad("it ends too soon");
    }
    at = end + 1;
    return end;
  }

  private void protocol() throws Bad {
    int protocol = take(1) & 0xff;
    if (protocol > PROTOCOL_MAX) {
      throw bad("protocol %d is not known".formatted(protocol));
    }
  }

  private int item(byte kind) throws Bad {
    if (items == ITEMS_MAX) {
      throw bad("it has more than %d items".formatted(ITEMS_MAX));
    }
    if (items == kinds.length) {
      int larger = 2 * items;
      kinds = Arrays.copyOf(kinds, larger);
      depths = Arrays.copyOf(depths, larger);
      first = Arrays.copyOf(first, larger);
      last = Arrays.copyOf(last, larger);
      size = Arrays.copyOf(size, larger);
      next = Arrays.copyOf(next, larger);
      bits = Arrays.copyOf(bits, larger);
    }
    int item = items++;
    kinds[item] = kind;
    depths[item] = (byte) (kind >= LIST ? 1 : 0);
    next[item] = NONE;
    last[item] = NONE;
    if (height == stack.length) {
      stack = Arrays.copyOf(stack, 2 * height);
    }
    stack[height++] = item;
    return item;
  }

  private void push(byte kind, int from, int length) throws Bad {
    int item = item(kind);
    first[item] = from;
    size[item] = length;
  }

  private void number(byte kind, long value) throws Bad {
    int item = item(kind); // may replace the arrays
    bits[item] = value;
  }

  private void whole(long value) throws Bad {
    number(LONG, value);
  }

  private void fraction() throws Bad {
    long value = Long.reverseBytes(littleEndian(8));
    boolean finite = Double.isFinite(Double.longBitsToDouble(value));
    number(finite ? DOUBLE : OTHER, value);
  }

  private void longer(int count) throws Bad {
    int from = at;
    at += requireLeft(count);
    if (count > Long.BYTES) {
      int _ = item(OTHER);
      return;
    }
    long value = count > 0 && bytes[from + count - 1] < 0 ? -1 : 0;
    for (int i = count - 1; i >= 0; i--) {
      value = (value << Byte.SIZE) | (bytes[from + i] & 0xff);
    }
    whole(value);
  }

  private void decimal(boolean longNumber) throws Bad {
    int from = at;
    int end = takeLine();
    end -= longNumber && end > from && bytes[end - 1] == 'L' ? 1 : 0;
    if (!number.read(bytes, from, end)) {
      int _ = item(OTHER);
    } else if (number.whole) {
      whole(number.wholeValue);
    } else {
      number(DOUBLE, Double.doubleToRawLongBits(number.value));
    }
  }

  private void text(long length) throws Bad {
    int from = at;
    at += requireLeft(length);
    push(TEXT, from, (int) length);
  }

  private void quoted() throws Bad {
    int from = at;
    int end = takeLine();
    if (end - from < 2
        || (bytes[from] != '\'' && bytes[from] != '"')
        || bytes[end - 1] != bytes[from]) {
      throw bad("a text without quotes");
    }
    unescaped(from + 1, end - 1, false);
  }

  private void unicode() throws Bad {
    int from = at;
    unescaped(from, takeLine(), true);
  }

  private void unescaped(int from, int end, boolean unicode) throws Bad {
    if (PickleText.isPlain(bytes, from, end)) {
      push(TEXT, from, end - from);
      return;
    }
    int offset = texts.length();
    if (!texts.unescape(bytes, from, end, unicode)) {
      throw bad("a bad escape in a text");
    }
    push(SCRATCH, offset, texts.length() - offset);
  }

  private void mark() throws Bad {
    if (marked == MARKS_MAX) {
      throw bad("it has more than %d open marks".formatted(MARKS_MAX));
    }
    marks[marked++] = height;
  }

  /// Ends the last mark, and returns how many items lie above it.
  private int sinceMark() throws Bad {
    if (marked == 0) {
      throw bad("there is no mark");
    }
    return height - marks[--marked];
  }

  /// The lowest height to which items may be taken: those below a mark belong to others.
  private int floor() {
    return marked == 0 ? 0 : marks[marked - 1];
  }

  private void requireItems(int count) throws Bad {
    if (height - count < floor()) {
      throw bad("an item is missing");
    }
  }

  private void gather(byte kind, int count) throws Bad {
    requireItems(count);
    height -= count;
    int from = height;
    int oldest = count == 0 ? NONE : stack[from]; // its place becomes that of the parent
    int parent = item(kind);
    first[parent] = NONE;
    size[parent] = 0;
    for (int i = 0; i < count; i++) {
      adopt(parent, i == 0 ? oldest : stack[from + i]);
    }
  }

  private void append(int count) throws Bad {
    requireItems(count + 1);
    height -= count;
    int parent = stack[height - 1];
    if (kinds[parent] != LIST) {
      throw bad("APPEND on a value that is not a list");
    }
    for (int i = 0; i < count; i++) {
      adopt(parent, stack[height + i]);
    }
  }

  private void adopt(int parent, int child) throws Bad {
    int depth = Math.max(depths[parent], depths[child] + 1);
    if (depth > DEPTH_MAX) {
      throw bad("nested deeper than %d levels".formatted(DEPTH_MAX));
    }
    depths[parent] = (byte) depth;
    if (size[parent]++ == 0) {
      first[parent] = child;
    } else {
      next[last[parent]] = child;
    }
    last[parent] = child;
  }

  private void pop() throws Bad {
    requireItems(1);
    height--;
  }

  private long index() throws Bad {
    int from = at;
    int end = takeLine();
    if (!number.read(bytes, from, end) || !number.whole || number.wholeValue < 0) {
      throw bad("a bad index of the memo");
    }
    return number.wholeValue;
  }

  private void memoize(long index) throws Bad {
    requireItems(1);
    if (index >= ITEMS_MAX) {
      throw bad("the memo has more than %d items".formatted(ITEMS_MAX));
    }
    int entry = (int) index;
    if (entry >= memo.length) {
      memo = Arrays.copyOf(memo, Math.max(entry + 1, 2 * memo.length));
    }
    if (entry >= memoized) {
      Arrays.fill(memo, memoized, entry, NONE);
      memoized = entry + 1;
    }
    memo[entry] = stack[height - 1];
  }

  private void recall(long index) throws Bad {
    int known = index < memoized ? memo[(int) index] : NONE;
    if (known == NONE) {
      throw bad("the memo has no item %d".formatted(index));
    }
    if (kinds[known] == LIST) {
      throw bad("a list is used twice");
    }
    int copy = item(kinds[known]);
    first[copy] = first[known];
    last[copy] = last[known];
    size[copy] = size[known];
    bits[copy] = bits[known];
    depths[copy] = depths[known];
  }

  byte kind(int item) {
    return kinds[item];
  }

  /// The first child of a list or a tuple; [#NONE] when it has none.
  int child(int item) {
    return first[item];
  }

  /// The item after this one in its list or tuple; [#NONE] for the last.
  int next(int item) {
    return next[item];
  }

  /// Children of a list or a tuple; bytes of a text.
  int size(int item) {
    return size[item];
  }

  /// Where a text begins, in [#source].
  int offset(int item) {
    return first[item];
  }

  /// The array in which a text lies, with the slack after it that [Swar] needs.
  byte[] source(int item) {
    return kinds[item] == SCRATCH ? texts.bytes() : bytes;
  }

  boolean isText(int item) {
    return kinds[item] == TEXT || kinds[item] == SCRATCH;
  }

  boolean isCollection(int item) {
    return kinds[item] == LIST || kinds[item] == TUPLE;
  }

  /// The value of a [#LONG], or the bits of a [#DOUBLE].
  long bits(int item) {
    return bits[item];
  }
}
