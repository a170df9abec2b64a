package io.widerow.storage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Writes log lines as templates and columns of what varies in them. Variables behind the same
/// beginning of a line share a column, whatever follows; a variable that never varies becomes part
/// of the template; one that always equals an earlier one shows that one's column.
///
/// ```
///  numbers:  varint templates | varint columns | templates ... | longs codes, one a line |
///            columns ...
///  template: varint variables | for each: varint bytes before it, varint column |
///            varint bytes behind the last
///  column:   as [PieceEncoder] with [FollowEncoder]; as many as lines have it
///  text:     the constant parts of all templates, then the columns' text
/// ```
///
/// The last template may be one variable alone, for lines that fit no other.
///
/// - Threads: one.
final class TemplateEncoder {
  /// Variables in all lines of a block.
  static final int VARIABLES_MAX = 1 << 21;

  static final int TEMPLATE_VARIABLES_MAX = LineParser.VARIABLES_MAX;
  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;
  private static final int TWINS_TRIED = 24;

  private final LongEncoder longs;
  private final PieceEncoder pieces;
  private final TokenSet tokens;
  private final FollowEncoder follow;
  private final Breather breather;
  private final Templates templates = new Templates();
  private final Map<Long, Integer> columnOfPrefix = new HashMap<>();
  private TextSlices[] slices = {new TextSlices()}; // by column
  private final List<int[]> columnsOf = new ArrayList<>(); // by template
  private long[] linesOf = new long[0]; // by column: stands for the lines that have it
  private int[] shown = new int[0]; // by column: number it is written as, CONSTANT if it is none
  private int columns;

  private static final int CONSTANT = -1;

  TemplateEncoder(
      LongEncoder longs, PieceEncoder pieces, TokenSet tokens, BlockCompressor compressor) {
    this.longs = longs;
    this.pieces = pieces;
    this.tokens = tokens;
    this.follow = new FollowEncoder(longs, compressor.thorough());
    this.breather = compressor.breather();
  }

  /// Puts the lines; false, and nothing put, when they are not like templates.
  boolean encode(TextSlices lines, ByteSink numbers, ByteSink text) {
    if (!templates.build(lines, VARIABLES_MAX)) {
      return false;
    }
    breather.breathe();
    assignColumns(lines);
    gather(lines);
    breather.breathe();
    int written = chooseShown();
    boolean whole = columnsOf.size() > templates.count;
    numbers.putByte(PieceFormat.TEMPLATE);
    numbers.putVarint(columnsOf.size());
    numbers.putVarint(written);
    for (int i = 0; i < templates.count; i++) {
      putTemplate(lines, i, numbers, text);
    }
    if (whole) {
      numbers.putVarint(1);
      numbers.putVarint(0);
      numbers.putVarint(shown[columns - 1]);
      numbers.putVarint(0);
    }
    longs.encode(templates.codes, lines.count, numbers);
    follow.clear();
    int next = 0;
    for (int column = 0; column < columns; column++) {
      if (shown[column] == next) {
        follow.begin(linesOf[column]);
        pieces.encode(slices[column], follow, numbers, text);
        next++;
      }
    }
    assert next == written : next + " of " + written;
    return true;
  }

  /// Gives every variable of every template its column.
  private void assignColumns(TextSlices lines) {
    columnOfPrefix.clear();
    columnsOf.clear();
    columns = 0;
    for (int template = 0; template < templates.count; template++) {
      int line = templates.example(template);
      int first = templates.firsts[line];
      int[] own = new int[templates.variables(template)];
      long prefix = PRIME;
      int at = lines.offsets[line];
      for (int i = 0; i < own.length; i++) {
        int offset = templates.parser.offsets[first + i];
        prefix = ByteWords.hash(lines.bytes, at, offset - at) + (prefix ^ i) * PRIME;
        prefix ^= prefix >>> 29;
        Integer known = columnOfPrefix.putIfAbsent(prefix, columns);
        boolean usable = known != null && !contains(own, i, known);
        own[i] = usable ? known : columns++;
        at = offset + templates.parser.lengths[first + i];
      }
      columnsOf.add(own);
    }
    for (int i = 0; i < lines.count; i++) {
      if (templates.codes[i] < 0) {
        columnsOf.add(new int[] {columns++});
        break;
      }
    }
    if (linesOf.length < columns) {
      linesOf = new long[2 * columns];
      shown = new int[2 * columns];
    }
    Arrays.fill(linesOf, 0, columns, 0);
    for (int template = 0; template < columnsOf.size(); template++) {
      for (int column : columnsOf.get(template)) {
        linesOf[column] = (linesOf[column] + template + 1) * PRIME;
      }
    }
  }

  /// True when a template has a column already: two prefixes with one hash.
  private static boolean contains(int[] own, int count, int column) {
    for (int i = 0; i < count; i++) {
      if (own[i] == column) {
        return true;
      }
    }
    return false;
  }

  private void gather(TextSlices lines) {
    int known = slices.length;
    if (known < columns) {
      slices = Arrays.copyOf(slices, 2 * columns);
      for (int i = known; i < slices.length; i++) {
        slices[i] = new TextSlices();
      }
    }
    for (int i = 0; i < columns; i++) {
      slices[i].clear();
      slices[i].bytes = lines.bytes;
    }
    if (columnsOf.size() == 1 && templates.count == 1) {
      gatherOne(templates, lines.count, columnsOf.getFirst(), slices);
      return;
    }
    int[][] own = columnsOf.toArray(int[][]::new);
    gather(lines, templates, own, slices, slices[Math.max(0, columns - 1)]);
  }

  /// Hands every variable to its column when all lines are of one template: column by column.
  private static void gatherOne(Templates templates, int lines, int[] own, TextSlices[] slices) {
    int[] offsets = templates.parser.offsets;
    int[] lengths = templates.parser.lengths;
    for (int i = 0; i < own.length; i++) {
      TextSlices column = slices[own[i]];
      column.room(lines);
      column.count = lines;
      int[] columnOffsets = column.offsets;
      int[] columnLengths = column.lengths;
      for (int line = 0, variable = i; line < lines; line++, variable += own.length) {
        columnOffsets[line] = offsets[variable];
        columnLengths[line] = lengths[variable];
      }
    }
  }

  /// Hands every variable to its column, and lines without a template to `whole`.
  private static void gather(
      TextSlices lines, Templates templates, int[][] own, TextSlices[] slices, TextSlices whole) {
    int[] offsets = templates.parser.offsets;
    int[] lengths = templates.parser.lengths;
    for (int i = 0; i < lines.count; i++) {
      if (templates.codes[i] < 0) {
        templates.codes[i] = templates.count;
        whole.add(lines.offsets[i], lines.lengths[i]);
        continue;
      }
      int variable = templates.firsts[i];
      for (int column : own[(int) templates.codes[i]]) {
        slices[column].add(offsets[variable], lengths[variable]);
        variable++;
      }
    }
  }

  /// Numbers the columns that are written and returns how many they are.
  private int chooseShown() {
    int written = 0;
    boolean whole = columnsOf.size() > templates.count;
    for (int column = 0; column < columns; column++) {
      boolean isWhole = whole && column == columns - 1;
      int twin = isWhole ? -1 : twin(column);
      if (!isWhole && slices[column].allSame()) {
        shown[column] = CONSTANT;
      } else {
        shown[column] = twin >= 0 ? shown[twin] : written++;
      }
    }
    return written;
  }

  /// An earlier column with the same texts in the same lines; negative when there is none.
  private int twin(int column) {
    TextSlices texts = slices[column];
    for (int i = column - 1; i >= Math.max(0, column - TWINS_TRIED); i--) {
      if (shown[i] != CONSTANT && linesOf[i] == linesOf[column] && texts.sameAs(slices[i])) {
        return i;
      }
    }
    return -1;
  }

  private void putTemplate(TextSlices lines, int template, ByteSink numbers, ByteSink text) {
    int[] own = columnsOf.get(template);
    int line = templates.example(template);
    int first = templates.firsts[line];
    int variables = 0;
    for (int column : own) {
      variables += shown[column] == CONSTANT ? 0 : 1;
    }
    numbers.putVarint(variables);
    int at = lines.offsets[line];
    for (int i = 0; i < own.length; i++) {
      if (shown[own[i]] != CONSTANT) {
        int offset = templates.parser.offsets[first + i];
        numbers.putVarint(offset - at);
        numbers.putVarint(shown[own[i]]);
        text.put(lines.bytes, at, offset - at);
        tokens.add(lines.bytes, at, offset - at);
        at = offset + templates.parser.lengths[first + i];
      }
    }
    int behind = lines.offsets[line] + lines.lengths[line] - at;
    numbers.putVarint(behind);
    text.put(lines.bytes, at, behind);
    tokens.add(lines.bytes, at, behind);
  }
}
