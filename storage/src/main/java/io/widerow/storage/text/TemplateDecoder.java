package io.widerow.storage.text;

import io.widerow.storage.codec.BlockLimits;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.ByteWords;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.Needle;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LongSummaryStatistics;
import org.jspecify.annotations.Nullable;

/// The decoder of lines that a [TemplateEncoder] wrote. It assembles a chunk of lines when one of
/// them is wanted, so a reader of a block's last lines does not pay for the others. For each chunk
/// it notes the position in every column.
///
/// ```
///   lines      0 ... 127 | 128 ... 255 | 256 ...
///   starts     0  0  0   | 128  90  38 | 256 ...      by chunk and column: index of its next text
/// ```
///
/// - Threads: one.
final class TemplateDecoder {
  private final LongDecoder longs;
  private final PieceDecoder pieces;
  private final DerivedDecoder follow;
  TextSlices[] slices = new TextSlices[0];
  long[] codes = new long[0];
  int[] firsts = new int[1]; // by template: its first piece; there is one more piece than variables
  int[] pieceOffsets = new int[16]; // of the constant part before the variable
  int[] pieceBytes = new int[16];
  int[] pieceColumns = new int[16]; // NONE after the last variable
  boolean[] pieceFresh = new boolean[16]; // false: the line has shown this text already
  private int[] uses = new int[0];
  private int[] positions = new int[0]; // by column: index of its next text
  private int[] lastTemplates = new int[0]; // by column: the last template that has it
  private int[] linesOf = new int[0]; // by template
  private int[] starts = new int[0];
  private int[] linesWith = new int[0];
  private final LineRun run = new LineRun();
  private byte[] printed = new byte[0];
  byte[] constants = new byte[0];
  private final ByteSource source; // of the text, for messages
  int columns;
  int count;
  private boolean startsNoted; // with the first line that is printed
  private int chunkLines;
  private boolean few; // few lines are wanted, so each is printed alone
  private int stands; // the line that `positions` belong to; NONE when there is none
  private int shownFrom; // the printed lines: [shownFrom, shownLimit)
  private int shownLimit;
  private int shownBytes; // of these lines
  private int pieceCount;
  private int templates;

  static final int NONE = -1;
  private static final int CHUNK_LINES = 128;
  private static final int AHEAD_CHUNKS = 2;

  /// Approximate number of bytes printed at once.
  private static final int PRINTED_BYTES = 1 << 16;

  private static final int FEW = 16; // at most one line in so many
  private static final int SAMPLE = 1 << 10;
  private static final int STARTS_MAX = 1 << 20;

  TemplateDecoder(LongDecoder longs, PieceDecoder pieces, ByteSource source) {
    this.source = source;
    this.longs = longs;
    this.pieces = pieces;
    this.follow = new DerivedDecoder(longs, this::linesWith);
  }

  long heldBytes() {
    long bytes = printed.length + (long) Long.BYTES * codes.length + follow.heldBytes();
    bytes += run.heldBytes();
    bytes += Integer.BYTES * (starts.length + (long) linesWith.length);
    for (TextSlices column : slices) {
      bytes += column.heldBytes();
    }
    return bytes;
  }

  /// Reads `newCount` lines, to be printed by [#show].
  ///
  /// @param times of their events; null when no column is derived from them
  void decode(
      ByteSource in, ByteSource text, int newCount, @Nullable EventTimes times, TextSlices out) {
    count = newCount;
    templates = in.readCount(1, Math.min(count, TemplateEncoder.TEMPLATES_MAX), "templates");
    columns = in.readCount(0, in.left(), "columns");
    room(templates);
    readTemplates(in, text, templates);
    codes = LongDecoder.room(codes, count);
    longs.decode(in, count, codes, 0, templates - 1L, "template");
    countUses(in, templates);
    follow.clear(times);
    for (int column = 0; column < columns; column++) {
      if (uses[column] == 0) {
        throw in.corrupt("no line has column %d".formatted(column));
      }
      follow.begin();
      pieces.decode(in.readByte(), in, follow, text, uses[column], slices[column]);
    }
    startsNoted = false;
    constants = text.bytes();
    if (printed.length == 0) {
      printed = new byte[PRINTED_BYTES];
    }
    out.form = PieceFormat.RAW;
    out.room(count);
    out.count = count;
    out.bytes = printed;
    few = false;
    stands = NONE;
    shownFrom = 0;
    shownLimit = 0;
  }

  private void room(int templates) {
    if (firsts.length <= templates) {
      firsts = new int[2 * templates + 1];
      linesOf = new int[2 * templates + 1];
    }
    if (uses.length < columns) {
      uses = new int[2 * columns];
      positions = new int[2 * columns];
      lastTemplates = new int[2 * columns];
    }
    int known = slices.length;
    if (known < columns) {
      slices = Arrays.copyOf(slices, 2 * columns);
      for (int i = known; i < slices.length; i++) {
        slices[i] = new TextSlices();
      }
    }
  }

  private void readTemplates(ByteSource in, ByteSource text, int templates) {
    pieceCount = 0;
    Arrays.fill(lastTemplates, 0, columns, NONE);
    for (int i = 0; i < templates; i++) {
      firsts[i] = pieceCount;
      int variables = in.readCount(0, TemplateEncoder.TEMPLATE_VARIABLES_MAX, "variables");
      for (int k = 0; k <= variables; k++) {
        if (pieceCount == pieceBytes.length) {
          pieceOffsets = Arrays.copyOf(pieceOffsets, 2 * pieceCount);
          pieceBytes = Arrays.copyOf(pieceBytes, 2 * pieceCount);
          pieceColumns = Arrays.copyOf(pieceColumns, 2 * pieceCount);
          pieceFresh = Arrays.copyOf(pieceFresh, 2 * pieceCount);
        }
        int bytes = in.readCount(0, text.left(), "constant part");
        pieceBytes[pieceCount] = bytes;
        pieceOffsets[pieceCount] = text.skip(bytes, "constant part");
        int column = k < variables ? in.readCount(0, columns - 1, "column") : NONE;
        pieceColumns[pieceCount] = column;
        pieceFresh[pieceCount++] = column != NONE && lastTemplates[column] != i;
        if (column != NONE) {
          lastTemplates[column] = i;
        }
      }
    }
    firsts[templates] = pieceCount;
  }

  /// Counts the lines that have each column. A line that shows a column twice counts once.
  private void countUses(ByteSource in, int templates) {
    Arrays.fill(uses, 0, columns, 0);
    countLines(0, count);
    long total = 0;
    for (int template = 0; template < templates; template++) {
      total += (long) linesOf[template] * addUses(template, linesOf[template], uses);
    }
    if (total > TemplateEncoder.VARIABLES_MAX + (long) count) {
      throw in.corrupt("%d variables in %d lines".formatted(total, count));
    }
  }

  /// Counts the lines `[from, limit)` of each template.
  private void countLines(int from, int limit) {
    if (templates == 1) {
      linesOf[0] = limit - from;
      return;
    }
    Arrays.fill(linesOf, 0, templates, 0);
    for (int i = from; i < limit; i++) {
      linesOf[(int) codes[i]]++;
    }
  }

  /// Adds the lines of a template to the sums of its columns, and returns the number of columns.
  private int addUses(int template, int lines, int[] sums) {
    int used = 0;
    for (int piece = firsts[template]; piece < firsts[template + 1]; piece++) {
      if (pieceFresh[piece]) {
        sums[pieceColumns[piece]] += lines;
        used++;
      }
    }
    return used;
  }

  /// The lines that have a column.
  private int[] linesWith(int column, int count) {
    if (linesWith.length < count) {
      linesWith = new int[LongDecoder.withSpare(count)];
    }
    boolean[] has = new boolean[templates];
    for (int template = 0; template < templates; template++) {
      for (int piece = firsts[template]; piece < firsts[template + 1]; piece++) {
        has[template] |= pieceColumns[piece] == column;
      }
    }
    for (int line = 0, found = 0; found < count; line++) {
      if (has[(int) codes[line]]) {
        linesWith[found++] = line;
      }
    }
    return linesWith;
  }

  private void noteStarts() {
    startsNoted = true;
    chunkLines = CHUNK_LINES;
    while ((long) columns * (count / chunkLines + 1) > STARTS_MAX) {
      chunkLines *= 2;
    }
    int chunks = Math.ceilDiv(count, chunkLines);
    if (starts.length < chunks * columns) {
      starts = new int[2 * chunks * columns];
    }
    Arrays.fill(positions, 0, columns, 0);
    for (int chunk = 0; chunk < chunks; chunk++) {
      System.arraycopy(positions, 0, starts, chunk * columns, columns);
      countLines(chunk * chunkLines, Math.min(count, (chunk + 1) * chunkLines));
      for (int template = 0; template < templates; template++) {
        if (linesOf[template] > 0) {
          addUses(template, linesOf[template], positions);
        }
      }
    }
  }

  /// Adds the lines that contain `needle`, and perhaps a few that do not.
  void search(Needle needle, BitSet found) {
    new TemplateSearch(this, templates, needle).search(found);
    few = found.cardinality() <= count / FEW;
  }

  /// Turns the lines into a dictionary: each distinct line is printed once, at its first place.
  /// Lines are compared by their templates and the symbols of their variables, which make one
  /// number, so equal lines of two templates have two codes.
  ///
  /// @return false when the first lines hardly repeat, or the numbers are too large; then the lines
  ///   are printed by [#show]
  boolean toDictionary(TextSlices out) {
    long[][] symbols = symbols();
    long[] least = new long[columns];
    long[] spans = new long[columns];
    for (int column = 0; column < columns; column++) {
      LongSummaryStatistics of =
          Arrays.stream(symbols[column], 0, slices[column].count).summaryStatistics();
      least[column] = of.getMin();
      spans[column] = of.getMax() - of.getMin() + 1;
    }
    if (!fit(spans)) {
      return false;
    }
    LineCodes known = new LineCodes();
    int at = 0;
    Arrays.fill(positions, 0, columns, 0);
    stands = NONE;
    shownFrom = 0;
    shownLimit = 0;
    out.codes = LongDecoder.room(out.codes, count);
    for (int line = 0; line < count; line++) {
      int template = (int) codes[line];
      int first = firsts[template];
      int limit = firsts[template + 1];
      long number = 0;
      for (int piece = first; piece < limit; piece++) {
        if (pieceFresh[piece]) {
          int column = pieceColumns[piece];
          number = number * spans[column] + symbols[column][positions[column]++] - least[column];
        }
      }
      int size = known.size();
      int code = known.codeOf(number * templates + template);
      if (code == size) {
        if (line >= SAMPLE && size > line - line / 16) {
          return false;
        }
        for (int piece = first; piece < limit; piece++) {
          if (pieceFresh[piece]) {
            positions[pieceColumns[piece]]--;
          }
        }
        out.offsets[size] = at;
        at = print(first, at);
        out.lengths[size] = at - out.offsets[size];
      }
      out.codes[line] = code;
    }
    out.bytes = printed;
    out.spanOffset = 0;
    out.spanBytes = at;
    out.size = known.size();
    out.form = PieceFormat.DICTIONARY;
    return true;
  }

  /// True when the symbols of a line of any template make one number.
  private boolean fit(long[] spans) {
    for (int template = 0; template < templates; template++) {
      long product = templates;
      for (int piece = firsts[template]; piece < firsts[template + 1]; piece++) {
        if (pieceFresh[piece]) {
          long span = spans[pieceColumns[piece]];
          if (span < 1 || product > Long.MAX_VALUE / span) {
            return false;
          }
          product *= span;
        }
      }
    }
    return true;
  }

  /// A symbol for each text of each column. Equal symbols of a column mean equal texts.
  private long[][] symbols() {
    long[][] symbols = new long[columns][];
    for (int column = 0; column < columns; column++) {
      TextSlices of = slices[column];
      symbols[column] =
          switch (of.form) {
            case PieceFormat.DICTIONARY -> of.codes;
            case PieceFormat.RAW -> {
              long[] numbers = new long[of.count];
              new TextDictionary().build(of, of.count, false, numbers);
              yield numbers;
            }
            default -> of.numbers;
          };
    }
    return symbols;
  }

  /// Prints a line, with its chunk where more of it is probably wanted. False when the line is
  /// already printed.
  boolean show(int line, TextSlices out) {
    if (line >= shownFrom && line < shownLimit) {
      return false;
    }
    if (!startsNoted) {
      noteStarts();
    }
    choose(line);
    moveTo(shownFrom, shownFrom / chunkLines * chunkLines);
    int at = 0;
    for (int i = shownFrom; i < shownLimit; ) {
      int limit = runFrom(i);
      if (limit - i >= LineRun.LINES_MIN) {
        at = printRun(i, limit - i, at, out);
        i = limit;
      }
      for (; i < limit; i++) {
        out.offsets[i] = at;
        at = print(firsts[(int) codes[i]], at);
        out.lengths[i] = at - out.offsets[i];
      }
    }
    stands = shownLimit;
    shownBytes = at;
    out.bytes = printed;
    return true;
  }

  /// Chooses the lines to print: only the wanted one when few are wanted, else its chunk, or two
  /// chunks for a sequential reader.
  private void choose(int line) {
    if (few) {
      shownFrom = line;
      shownLimit = line + 1;
    } else if (line == shownFrom - 1) {
      int chunks = shownBytes < PRINTED_BYTES ? AHEAD_CHUNKS : 1;
      shownLimit = shownFrom;
      shownFrom = Math.max(0, shownLimit - chunks * chunkLines);
    } else {
      boolean readsOn = line == shownLimit && line > 0 && shownBytes < PRINTED_BYTES;
      int chunks = readsOn ? AHEAD_CHUNKS : 1;
      shownFrom = line / chunkLines * chunkLines;
      shownLimit = Math.min(count, shownFrom + chunks * chunkLines);
    }
  }

  /// Advances `positions` to a line, from where they stand or from the start of its chunk.
  private void moveTo(int line, int chunk) {
    int from = stands;
    if (from < chunk || from > line) {
      System.arraycopy(starts, chunk / chunkLines * columns, positions, 0, columns);
      from = chunk;
    }
    for (int i = from; i < line; i++) {
      addUses((int) codes[i], 1, positions);
    }
    stands = NONE; // invalid while lines are printed, which may throw
  }

  /// End of the run of lines with one template that starts at `line`.
  private int runFrom(int line) {
    int limit = Math.min(shownLimit, line + LineRun.LINES_MAX);
    if (templates == 1) {
      return limit;
    }
    int i = line + 1;
    while (i < limit && codes[i] == codes[line]) {
      i++;
    }
    return i;
  }

  /// Prints lines of one template and returns the offset after them.
  private int printRun(int line, int lines, int start, TextSlices out) {
    int first = firsts[(int) codes[line]];
    int limit = firsts[(int) codes[line] + 1];
    long constantBytes = 0;
    for (int piece = first; piece < limit; piece++) {
      constantBytes += pieceBytes[piece];
    }
    run.begin(lines, constantBytes);
    for (int piece = first; piece < limit - 1; piece++) {
      run.measure(slices[pieceColumns[piece]], positions[pieceColumns[piece]]);
    }
    byte[] target = printRoom(printed, start, run.bytes());
    int end = run.place(start, out, line);
    for (int piece = first; piece < limit; piece++) {
      run.put(constants, pieceOffsets[piece], pieceBytes[piece], target);
      int column = pieceColumns[piece];
      if (column != NONE) {
        positions[column] += pieceFresh[piece] ? lines : 0;
        run.put(slices[column], positions[column] - lines, target);
      }
    }
    return end;
  }

  /// Prints a line of the template whose pieces start at `first`, and returns the offset after it.
  private int print(int first, int start) {
    byte[] target = printed;
    int at = start;
    for (int piece = first; ; piece++) {
      int bytes = pieceBytes[piece];
      target = printRoom(target, at, bytes);
      ByteWords.copy(constants, pieceOffsets[piece], target, at, bytes);
      at += bytes;
      int column = pieceColumns[piece];
      if (column == NONE) {
        return at;
      }
      int position = pieceFresh[piece] ? positions[column]++ : positions[column] - 1;
      TextSlices texts = slices[column];
      if (texts.form <= PieceFormat.RAW) {
        int slice = texts.slice(position);
        int length = texts.lengths[slice];
        target = printRoom(target, at, length);
        ByteWords.copy(texts.bytes, texts.offsets[slice], target, at, length);
        at += length;
      } else {
        target = printRoom(target, at, PieceFormat.PRINTED_BYTES_MAX);
        at = texts.printNumber(position, target, at);
      }
    }
  }

  private byte[] printRoom(byte[] target, int at, long bytes) {
    return target.length - ByteSource.SLACK - at >= bytes ? target : grow(at, bytes);
  }

  private byte[] grow(int at, long bytes) {
    long needed = at + bytes;
    if (needed > BlockLimits.BYTES_MAX) {
      shownLimit = shownFrom;
      throw source.corrupt("lines of at least %d bytes".formatted(needed));
    }
    printed = Arrays.copyOf(printed, (int) (2 * needed) + ByteSource.SLACK);
    return printed;
  }
}
