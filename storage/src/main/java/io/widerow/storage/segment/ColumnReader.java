package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.storage.codec.BlockDecompressor;
import io.widerow.storage.codec.BlockLimits;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.Needle;
import io.widerow.storage.codec.Series;
import io.widerow.storage.text.EventTimes;
import io.widerow.storage.text.TextDecoder;
import io.widerow.storage.text.TextDictionary;
import io.widerow.storage.text.TextSlices;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Reader of one column of the current block; see [ColumnEncoder] for the encoding. It reuses its
/// buffers from block to block.
///
/// - Threads: one.
public final class ColumnReader {
  /// Codes of lines pay when a reader wants more than one row in so many.
  private static final int FEW = 8;

  private Path file;
  private final LongDecoder longs;
  private final BlockDecompressor decompressor;
  private final TextDecoder textDecoder;
  private final ByteSource text;
  private final ByteSource numbers;
  private final TextSlices texts = new TextSlices();
  private AttributeKind kind = AttributeKind.BOOLEAN;
  private boolean dense;
  private int present;
  private long[] values = new long[0];
  private int[] rows = new int[0];
  private byte[] textBytes = new byte[ByteSource.SLACK];
  private byte[] numberBytes = new byte[0];
  private MemorySegment textMemory = MemorySegment.NULL;
  private int near; // place of the last requested row
  private boolean decoded;

  public ColumnReader(Path file, LongDecoder longs, BlockDecompressor decompressor) {
    this.file = file;
    this.longs = longs;
    this.decompressor = decompressor;
    this.text = new ByteSource(file);
    this.numbers = new ByteSource(file);
    this.textDecoder = new TextDecoder(longs, text);
  }

  long heldBytes() {
    return (long) Long.BYTES * values.length
        + (long) Integer.BYTES * rows.length
        + textBytes.length
        + numberBytes.length
        + texts.heldBytes()
        + textDecoder.heldBytes();
  }

  boolean decoded() {
    return decoded;
  }

  /// Switches to another file.
  void of(Path newFile) {
    file = newFile;
    text.of(newFile);
    numbers.of(newFile);
  }

  /// Drops the previous block.
  void clear() {
    decoded = false;
  }

  /// @param series the block's series if the column needs them, else null
  /// @param times its events' times if the column needs them, else null
  /// @param compressed whether its numbers are compressed as a whole
  public void decode(
      ByteSource in,
      AttributeKind newKind,
      int newPresent,
      int events,
      @Nullable Series series,
      @Nullable EventTimes times,
      boolean compressed) {
    kind = newKind;
    present = newPresent;
    dense = present == events;
    near = 0;
    readText(in);
    if (compressed) {
      readNumbers(in);
      in.requireEnd("the column");
    }
    readValues(compressed ? numbers : in, events, series, times);
    decoded = true;
  }

  private void readValues(
      ByteSource in, int events, @Nullable Series series, @Nullable EventTimes times) {
    if (!dense || !kind.isText()) {
      values = LongDecoder.room(values, present);
    }
    if (!dense) {
      readRows(in, events);
    }
    if (series != null) {
      series.follow(rows, present);
    }
    if (times != null) {
      times.follow(dense ? null : rows);
    }
    switch (kind) {
      case LONG -> longs.decode(in, present, values, series);
      case BOOLEAN -> {
        longs.decode(in, present, values, series);
        LongDecoder.check(in, present, values, 0, 1, "boolean");
      }
      case DOUBLE -> decodeDoubles(in, series);
      case STRING, BYTES -> {
        textDecoder.decode(in, text, present, series, times, texts);
        textMemory = MemorySegment.ofArray(texts.bytes);
        text.requireEnd("the text");
      }
    }
    in.requireEnd("the values");
  }

  private void readNumbers(ByteSource in) {
    int raw = in.readCount(1, BlockLimits.BYTES_MAX, "bytes of numbers");
    int stored = in.readCount(1, in.left(), "stored bytes of numbers");
    if (numberBytes.length < raw + ByteSource.SLACK) {
      numberBytes = new byte[LongDecoder.withSpare(raw) + ByteSource.SLACK];
    }
    long offset = in.fileOffset();
    decompressor.decompress(in, stored, numberBytes, 0, raw);
    numbers.over(numberBytes, 0, raw, offset);
  }

  private void readText(ByteSource in) {
    int raw = in.readCount(0, BlockLimits.BYTES_MAX, "bytes of text");
    int stored = in.readCount(0, in.left(), "stored bytes of text");
    if (stored == 0 && raw > in.left()) {
      throw in.corrupt("%d bytes of text where %d are left".formatted(raw, in.left()));
    }
    if (textBytes.length < raw + ByteSource.SLACK) {
      textBytes = new byte[LongDecoder.withSpare(raw) + ByteSource.SLACK];
    }
    long offset = in.fileOffset();
    if (stored == 0) {
      System.arraycopy(in.bytes(), in.skip(raw, "text"), textBytes, 0, raw);
    } else {
      decompressor.decompress(in, stored, textBytes, 0, raw);
    }
    text.over(textBytes, 0, raw, offset);
  }

  private void readRows(ByteSource in, int events) {
    if (rows.length < present) {
      rows = new int[LongDecoder.withSpare(present)];
    }
    longs.decode(in, present, values, 0, events - 1L, "row");
    for (int i = 0; i < present; i++) {
      rows[i] = (int) values[i];
      if (i > 0 && rows[i] <= rows[i - 1]) {
        throw in.corrupt("row %d after row %d".formatted(rows[i], rows[i - 1]));
      }
    }
  }

  private void decodeDoubles(ByteSource in, @Nullable Series series) {
    int scale = in.readByte();
    if (scale >= ColumnEncoder.SCALES) {
      throw in.corrupt("doubles of scale " + scale);
    }
    longs.decode(in, present, values, series);
    for (int i = 0; scale > 0 && i < present; i++) {
      values[i] = Double.doubleToRawLongBits(ColumnEncoder.unscaled(values[i], scale));
    }
  }

  /// Fills `out` with a row's value. Returns false when the row has none.
  public boolean value(int row, AttributeValue out) {
    assert decoded : "a column of " + file + " that was not read";
    int at = dense ? row : position(row);
    if (at < 0) {
      return false;
    }
    show(at, out);
    return true;
  }

  /// Fills `out` with a value, by its place among those of the column.
  public void show(int at, AttributeValue out) {
    if (kind.isText()) {
      if (textDecoder.show(at, texts)) {
        textMemory = MemorySegment.ofArray(texts.bytes);
      }
      int slice = texts.slice(at);
      out.setText(kind, textMemory, texts.offsets[slice], texts.lengths[slice]);
    } else {
      out.setBits(kind, values[at]);
    }
  }

  /// The code of a row's value, see [#codes]; negative when it has no value or that is unknown.
  public int code(int row) {
    long[] known = codeCount() > 0 ? codes() : null;
    int at = dense ? row : position(row);
    return known == null || at < 0 ? -1 : (int) known[at];
  }

  /// Refines a grouping of the block's rows by this column. Multiplies each row's number by the
  /// count of this column's codes and adds the row's code. Two rows end with equal numbers only if
  /// their numbers were equal and their values are equal, or both lack one.
  ///
  /// @return the number of possible codes; 0 when it exceeds `codesMax` or is unknown, and then
  ///   nothing changes
  public int number(int[] numbers, int events, int codesMax) {
    assert decoded : "a column of " + file + " that was not read";
    long[] codes = codes();
    if (codes == null) {
      return 0;
    }
    int below = codeCount();
    long least = below > 0 ? 0 : Long.MAX_VALUE;
    long most = below > 0 ? below - 1 : Long.MIN_VALUE;
    for (int i = 0; below == 0 && i < present; i++) {
      least = Math.min(least, codes[i]);
      most = Math.max(most, codes[i]);
    }
    long span = most - least;
    if (span < 0 || span > codesMax - 2L) { // negative: overflow of 64 bits
      return 0;
    }
    if (dense) {
      int size = (int) span + 1;
      for (int i = 0; i < present; i++) {
        numbers[i] = numbers[i] * size + (int) (codes[i] - least);
      }
      return size;
    }
    int size = (int) span + 2;
    for (int i = 0; i < events; i++) {
      numbers[i] *= size;
    }
    for (int i = 0; i < present; i++) {
      numbers[rows[i]] += 1 + (int) (codes[i] - least);
    }
    return size;
  }

  /// Adds the rows whose value passes a test. A text that is stored once is tested once.
  ///
  /// @param needle in each text that passes; null when there is none
  /// @param scratch overwritten
  /// @param among the rows to look at; null for all
  public void select(
      Predicate<AttributeValue> test,
      @Nullable Needle needle,
      AttributeValue scratch,
      @Nullable BitSet among,
      BitSet out) {
    assert decoded : "a column of " + file + " that was not read";
    boolean most = among == null || (long) among.cardinality() * FEW > present;
    if (most && needle == null) {
      findCodes();
    }
    if (most && codeCount() > 0) {
      boolean[] keeps = new boolean[codeCount()];
      if (!texts.mark(needle, keeps)) {
        return;
      }
      for (int code = 0; code < keeps.length; code++) {
        if (keeps[code]) {
          scratch.setText(kind, textMemory, texts.offsets[code], texts.lengths[code]);
          keeps[code] = test.test(scratch);
        }
      }
      BitSet found = among == null ? out : new BitSet();
      selectCodes(Objects.requireNonNull(codes()), keeps, found);
      if (among != null) {
        found.and(among);
        out.or(found);
      }
    } else if (needle != null && kind == AttributeKind.STRING) {
      BitSet having = new BitSet();
      search(needle, having);
      if (among != null) {
        having.and(among);
      }
      selectRows(test, scratch, having, out);
    } else {
      selectRows(test, scratch, among, out);
    }
  }

  private void selectRows(
      Predicate<AttributeValue> test, AttributeValue scratch, @Nullable BitSet among, BitSet out) {
    if (dense && among != null) {
      for (int row = among.nextSetBit(0); row >= 0; row = among.nextSetBit(row + 1)) {
        show(row, scratch);
        if (test.test(scratch)) {
          out.set(row);
        }
      }
      return;
    }
    for (int at = 0; at < present; at++) {
      int row = dense ? at : rows[at];
      if (among == null || among.get(row)) {
        show(at, scratch);
        if (test.test(scratch)) {
          out.set(row);
        }
      }
    }
  }

  private void selectCodes(long[] codes, boolean[] keeps, BitSet out) {
    for (int from = 0; from < present; from += Long.SIZE) {
      int count = Math.min(Long.SIZE, present - from);
      long word = 0;
      for (int i = 0; i < count; i++) {
        word |= (keeps[(int) codes[from + i]] ? 1L : 0) << i;
      }
      addRows(from, word, out);
    }
  }

  /// The same for whole numbers: adds the rows whose value is within bounds, both inclusive.
  public void selectWithin(long least, long greatest, BitSet out) {
    assert decoded && kind == AttributeKind.LONG && least <= greatest : kind;
    long span = greatest - least + Long.MIN_VALUE; // one unsigned comparison for two
    for (int from = 0; from < present; from += Long.SIZE) {
      int count = Math.min(Long.SIZE, present - from);
      long word = 0;
      for (int i = 0; i < count; i++) {
        long above = values[from + i] - least + Long.MIN_VALUE;
        word |= (above <= span ? 1L : 0) << i;
      }
      addRows(from, word, out);
    }
  }

  /// The same for doubles; NaN is never within.
  public void selectWithin(double least, double greatest, BitSet out) {
    assert decoded && kind == AttributeKind.DOUBLE : kind;
    for (int from = 0; from < present; from += Long.SIZE) {
      int count = Math.min(Long.SIZE, present - from);
      long word = 0;
      for (int i = 0; i < count; i++) {
        double value = Double.longBitsToDouble(values[from + i]);
        word |= (value >= least && value <= greatest ? 1L : 0) << i;
      }
      addRows(from, word, out);
    }
  }

  /// Adds the rows of some of 64 values.
  private void addRows(int from, long word, BitSet out) {
    if (word == -1 && dense) {
      out.set(from, from + Long.SIZE);
      return;
    }
    for (long left = word; left != 0; left &= left - 1) {
      int at = from + Long.numberOfTrailingZeros(left);
      out.set(dense ? at : rows[at]);
    }
  }

  /// Adds the rows that have a value.
  public void addPresent(int events, BitSet out) {
    if (dense) {
      out.set(0, events);
    } else {
      for (int at = 0; at < present; at++) {
        out.set(rows[at]);
      }
    }
  }

  public AttributeKind kind() {
    return kind;
  }

  /// The row of each value, ascending; null when each row has one.
  public int @Nullable [] rows() {
    return dense ? null : rows;
  }

  /// The bits of each value of a column of numbers or booleans.
  public long[] bits() {
    return values;
  }

  /// How many codes [#codes] may have, all below this; 0 when that is unknown.
  public int codeCount() {
    return kind.isText() ? textDecoder.codeCount(texts) : 0;
  }

  /// Gives lines made of templates codes, where they repeat: then a line is assembled once for all
  /// rows that have it. For readers of most rows.
  public void findCodes() {
    assert decoded : "a column of " + file + " that was not read";
    if (kind.isText() && textDecoder.toDictionary(texts)) {
      textMemory = MemorySegment.ofArray(texts.bytes);
    }
  }

  /// Number of values.
  public int present() {
    return present;
  }

  /// A number for each value; equal numbers mean equal values. Null when there are none.
  public long @Nullable [] codes() {
    return kind.isText() ? textDecoder.codes(texts) : values;
  }

  /// Splits the block's series by the values of this text column. Returns false when it cannot: the
  /// column holds log lines, or there would be too many cells.
  public boolean split(Series series, int events) {
    if (textDecoder.isLines()) {
      return false;
    }
    int[] byEvent = series.codes();
    Arrays.fill(byEvent, 0, events, 0);
    int size = number(byEvent, events, Series.CELLS_MAX / series.count());
    if (size == 0) {
      TextDictionary dictionary = new TextDictionary();
      long[] codes = new long[present];
      texts.print();
      dictionary.build(texts, present, false, codes);
      TextDictionary.spread(codes, rows, present, events, byEvent);
      size = dictionary.size() + (dense ? 0 : 1);
      if (!series.mayBeSplit(size)) {
        return false;
      }
    }
    series.split(size, Integer.MAX_VALUE);
    return true;
  }

  /// Adds the rows whose string contains `needle`. It may add false positives.
  public void search(Needle needle, BitSet found) {
    assert decoded && kind == AttributeKind.STRING : kind;
    if (dense) {
      textDecoder.search(needle, texts, found);
      return;
    }
    BitSet places = new BitSet();
    textDecoder.search(needle, texts, places);
    for (int at = places.nextSetBit(0); at >= 0; at = places.nextSetBit(at + 1)) {
      found.set(rows[at]);
    }
  }

  /// Place of a row's value; negative when it has none. Rows are mostly requested in order, in
  /// either direction, and a value is no more places away than rows.
  private int position(int row) {
    for (int i = Math.max(0, near - 1); i < Math.min(present, near + 2); i++) {
      if (rows[i] == row) {
        near = i;
        return i;
      }
    }
    int away = near < present ? row - rows[near] : 0;
    int from = away > 0 ? near : Math.max(0, near + away);
    int until = away < 0 ? near : Math.min(present, near + away + 1);
    int found = Arrays.binarySearch(rows, from, until, row);
    near = found >= 0 ? found : Math.max(0, -found - 2);
    return found;
  }
}
