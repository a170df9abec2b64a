package io.widerow.storage.text;

import io.widerow.storage.codec.BlockCompressor;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteWords;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.LongEncoder;
import io.widerow.storage.disk.Throttle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The encoder of log lines as templates and columns of variables. Variables after the same start
/// of a line share a column, whatever follows. A variable that never varies becomes part of the
/// template; one that always equals an earlier variable uses that one's column.
///
/// ```
///  numbers:  varint templates | varint columns | templates ... | longs codes, one a line |
///            columns ...
///  template: varint variables | for each: varint bytes before it, varint column |
///            varint bytes after the last
///  column:   as [PieceEncoder] with [DerivedEncoder]; one value for each line that has it
///  text:     the constant parts of all templates, then the columns' text
/// ```
///
/// After the templates there may be two for lines that fit none. The first has the leading
/// variables that most of these lines have in common, and the rest as a whole, see [LineLead]. The
/// second is one variable for the whole line.
///
/// - Threads: one.
/// - Memory: what the largest block needed, by its lines and variables.
final class TemplateEncoder {
  /// The most variables in all lines of a block.
  static final int VARIABLES_MAX = 1 << 21;

  /// The templates of frequent lines, and two for the others.
  static final int TEMPLATES_MAX = Templates.TEMPLATES_MAX + 2;

  /// The variables of a parsed line, and the rest of a line that fits no template.
  static final int TEMPLATE_VARIABLES_MAX = LineParser.VARIABLES_MAX + 1;

  private static final long PRIME = 0x9e37_79b9_7f4a_7c15L;
  private static final int TWINS_TRIED = 24;

  /// From this number of columns, their numbers compress better together.
  private static final int MANY_COLUMNS = 32;

  private final LongEncoder longs;
  private final PieceEncoder pieces;
  private final TokenSet tokens;
  private final DerivedEncoder follow;
  private final boolean thorough;
  private final Throttle throttle;
  private final Templates templates = new Templates();
  private final LineLead lead = new LineLead(templates);
  private final Map<Long, Integer> columnOfPrefix = new HashMap<>();
  private TextSlices[] slices = {new TextSlices()}; // by column
  private final List<int[]> columnsOf = new ArrayList<>(); // by template
  private long[] linesOf = new long[0]; // by column: identifies the set of lines that have it
  private int[] shown = new int[0]; // by column: its number as written; CONSTANT when it is none
  private int columns;
  private int wholeFrom; // the first column of those for lines that fit no template
  private int wholeExample; // a line that fits none and is not covered by the lead
  private boolean leftBare;
  private int[] linesWith = new int[0];
  private int[] sorted = new int[0]; // the lines, by template and then as they come
  private int[] sortedFirsts = new int[0]; // the first variables of these
  private int[] sortedLimits = new int[0]; // by template: where its lines end in `sorted`

  private static final int CONSTANT = -1;

  TemplateEncoder(
      LongEncoder longs, PieceEncoder pieces, TokenSet tokens, BlockCompressor compressor) {
    this.longs = longs;
    this.pieces = pieces;
    this.tokens = tokens;
    this.thorough = compressor.thorough();
    this.follow = new DerivedEncoder(longs, thorough, this::linesWith);
    this.throttle = compressor.throttle();
  }

  /// Writes the lines. False, with nothing written, when they do not fit templates.
  ///
  /// @param times of the lines' events; null when no column may be derived from them
  boolean encode(TextSlices lines, @Nullable EventTimes times, ByteSink numbers, ByteSink text) {
    if (!templates.build(lines, VARIABLES_MAX)) {
      return false;
    }
    throttle.breathe();
    assignColumns(lines);
    gather(lines);
    throttle.breathe();
    int written = chooseShown();
    leftBare = thorough && written >= MANY_COLUMNS;
    numbers.putByte(PieceFormat.TEMPLATE);
    numbers.putVarint(columnsOf.size());
    numbers.putVarint(written);
    for (int i = 0; i < columnsOf.size(); i++) {
      putTemplate(lines, example(i), columnsOf.get(i), numbers, text);
    }
    longs.leaveBare(leftBare);
    longs.encode(templates.codes, lines.count, numbers);
    putColumns(written, times, numbers, text);
    longs.leaveBare(false);
    return true;
  }

  private void putColumns(
      int written, @Nullable EventTimes times, ByteSink numbers, ByteSink text) {
    follow.clear(times);
    int next = 0;
    for (int column = 0; column < columns; column++) {
      if (shown[column] == next) {
        follow.begin(linesOf[column]);
        if (column < wholeFrom) { // a constant one would not be written
          pieces.encodeVaried(slices[column], follow, numbers, text);
        } else {
          pieces.encode(slices[column], follow, numbers, text);
        }
        next++;
      }
    }
    assert next == written : next + " of " + written;
  }

  /// True when a column written by the last [#encode] is derived from the events' times.
  boolean usedTimes() {
    return follow.usedTimes();
  }

  /// Forgets the blocks before.
  void renew() {
    for (TextSlices column : slices) {
      column.renew();
    }
  }

  /// True when the last [#encode] wrote numbers that should be compressed together.
  boolean leftBare() {
    return leftBare;
  }

  /// An example line of a template, including the two for other lines.
  private int example(int template) {
    return template < templates.count
        ? templates.example(template)
        : template == templates.count && lead.variables > 0 ? lead.example : wholeExample;
  }

  /// The lines that have a column, by its number as written.
  private int[] linesWith(int column, int count) {
    if (linesWith.length < count) {
      linesWith = new int[LongDecoder.withSpare(count)];
    }
    boolean[] has = new boolean[columnsOf.size()];
    for (int template = 0; template < has.length; template++) {
      for (int own : columnsOf.get(template)) {
        has[template] |= shown[own] == column;
      }
    }
    for (int line = 0, found = 0; found < count; line++) {
      if (has[(int) templates.codes[line]]) {
        linesWith[found++] = line;
      }
    }
    return linesWith;
  }

  /// Assigns a column to each variable of each template.
  private void assignColumns(TextSlices lines) {
    columnOfPrefix.clear();
    columnsOf.clear();
    columns = 0;
    for (int template = 0; template < templates.count; template++) {
      int variables = templates.variables(template);
      int[] own = new int[variables];
      assignColumns(lines, templates.example(template), variables, own);
      columnsOf.add(own);
    }
    assignOthers(lines);
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

  /// Assigns columns to the first variables of a line.
  private void assignColumns(TextSlices lines, int line, int variables, int[] own) {
    int first = templates.firsts[line];
    long prefix = PRIME;
    int at = lines.offsets[line];
    for (int i = 0; i < variables; i++) {
      int offset = templates.parser.offsets[first + i];
      prefix = prefix(prefix, i, lines, at, offset);
      Integer known = columnOfPrefix.putIfAbsent(prefix, columns);
      boolean usable = known != null && !contains(own, i, known);
      own[i] = usable ? known : columns++;
      at = offset + templates.parser.lengths[first + i];
    }
  }

  private static long prefix(long before, int variable, TextSlices lines, int at, int offset) {
    long prefix = ByteWords.hash(lines.bytes, at, offset - at) + (before ^ variable) * PRIME;
    return prefix ^ (prefix >>> 29);
  }

  /// Assigns columns to lines that fit no template.
  private void assignOthers(TextSlices lines) {
    lead.clear();
    wholeFrom = columns;
    for (int i = 0; i < lines.count; i++) {
      if (templates.codes[i] < 0 && beginsAsOthers(lines, i)) {
        lead.find(lines, i);
        break;
      }
    }
    if (lead.variables > 0) {
      int[] own = new int[lead.variables + 1];
      assignColumns(lines, lead.example, lead.variables, own);
      wholeFrom = columns;
      own[lead.variables] = columns++;
      columnsOf.add(own);
    }
    for (int i = 0; i < lines.count; i++) {
      if (templates.codes[i] < 0 && !lead.leads(i)) {
        wholeExample = i;
        columnsOf.add(new int[] {columns++});
        break;
      }
    }
  }

  /// True when the first variable of a line shares a column that exists.
  private boolean beginsAsOthers(TextSlices lines, int line) {
    int first = templates.firsts[line];
    if (first == templates.firsts[line + 1]) {
      return false;
    }
    int at = lines.offsets[line];
    int offset = templates.parser.offsets[first];
    return columnOfPrefix.containsKey(prefix(PRIME, 0, lines, at, offset));
  }

  /// True when the template has this column already, because the hashes of two prefixes collide.
  private static boolean contains(int[] own, int count, int column) {
    for (int i = 0; i < count; i++) {
      if (own[i] == column) {
        return true;
      }
    }
    return false;
  }

  /// Adds the variables of all lines to their columns.
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
    sortLines(lines.count);
    boolean[] shared = sharedColumns();
    int[][] sharedOf = new int[columnsOf.size()][];
    for (int template = 0, from = 0; template < sharedOf.length; template++) {
      int[] own = columnsOf.get(template);
      int limit = sortedLimits[template];
      int sharedLimit = 0;
      for (int i = 0; i < own.length; i++) {
        if (shared[own[i]]) {
          sharedLimit = i + 1;
        } else {
          TextSlices column = slices[own[i]];
          column.count = limit - from;
          column.room(column.count);
          if (own[i] < wholeFrom) {
            gather(templates.parser, sortedFirsts, from, i, column);
          } else {
            gatherRests(lines, from, i, column);
          }
        }
      }
      sharedOf[template] = Arrays.copyOf(own, sharedLimit);
      from = limit;
    }
    gatherShared(lines.count, templates, sharedOf, shared, slices);
  }

  /// Sorts the lines by template. Lines that fit no template go to the groups after the templates.
  private void sortLines(int lines) {
    long[] codes = templates.codes;
    sortedLimits = new int[columnsOf.size()];
    for (int line = 0; line < lines; line++) {
      if (codes[line] < 0) {
        codes[line] = lead.leads(line) ? templates.count : sortedLimits.length - 1;
      }
      sortedLimits[(int) codes[line]]++;
    }
    for (int template = 0, at = 0; template < sortedLimits.length; template++) {
      int count = sortedLimits[template];
      sortedLimits[template] = at;
      at += count;
    }
    if (sorted.length < lines) {
      sorted = new int[LongDecoder.withSpare(lines)];
      sortedFirsts = new int[sorted.length];
    }
    for (int line = 0; line < lines; line++) {
      int at = sortedLimits[(int) codes[line]]++;
      sorted[at] = line;
      sortedFirsts[at] = templates.firsts[line];
    }
  }

  /// Which columns several templates have.
  private boolean[] sharedColumns() {
    boolean[] used = new boolean[columns];
    boolean[] shared = new boolean[columns];
    for (int[] own : columnsOf) {
      for (int column : own) {
        shared[column] = used[column];
        used[column] = true;
      }
    }
    return shared;
  }

  /// Adds one variable of the lines of a template to its column.
  private static void gather(
      LineParser parser, int[] firsts, int from, int variable, TextSlices column) {
    int[] offsets = parser.offsets;
    int[] lengths = parser.lengths;
    int[] columnOffsets = column.offsets;
    int[] columnLengths = column.lengths;
    for (int i = 0; i < column.count; i++) {
      int at = firsts[from + i] + variable;
      columnOffsets[i] = offsets[at];
      columnLengths[i] = lengths[at];
    }
  }

  /// Adds what follows the first variables of the lines of a template to a column.
  private void gatherRests(TextSlices lines, int from, int variables, TextSlices column) {
    int[] offsets = templates.parser.offsets;
    int[] lengths = templates.parser.lengths;
    for (int i = 0; i < column.count; i++) {
      int line = sorted[from + i];
      int last = sortedFirsts[from + i] + variables - 1;
      int rest = variables == 0 ? lines.offsets[line] : offsets[last] + lengths[last] + lead.behind;
      column.offsets[i] = rest;
      column.lengths[i] = lines.offsets[line] + lines.lengths[line] - rest;
    }
  }

  /// Adds variables to columns that get them from lines of several templates.
  private static void gatherShared(
      int lines, Templates templates, int[][] own, boolean[] shared, TextSlices[] slices) {
    int[] offsets = templates.parser.offsets;
    int[] lengths = templates.parser.lengths;
    for (int i = 0; i < lines; i++) {
      int variable = templates.firsts[i];
      for (int column : own[(int) templates.codes[i]]) {
        if (shared[column]) {
          slices[column].add(offsets[variable], lengths[variable]);
        }
        variable++;
      }
    }
  }

  /// Numbers the columns to be written and returns how many there are.
  private int chooseShown() {
    int written = 0;
    for (int column = 0; column < columns; column++) {
      boolean isWhole = column >= wholeFrom;
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

  /// @param line an example of the template
  private void putTemplate(TextSlices lines, int line, int[] own, ByteSink numbers, ByteSink text) {
    int first = templates.firsts[line];
    int limit = lines.offsets[line] + lines.lengths[line];
    int variables = 0;
    for (int column : own) {
      variables += shown[column] == CONSTANT ? 0 : 1;
    }
    numbers.putVarint(variables);
    int at = lines.offsets[line];
    int rest = at;
    for (int i = 0; i < own.length; i++) {
      boolean isRest = own[i] >= wholeFrom;
      int offset = isRest ? rest : templates.parser.offsets[first + i];
      int end = isRest ? limit : offset + templates.parser.lengths[first + i];
      rest = end + lead.behind;
      if (shown[own[i]] != CONSTANT) {
        numbers.putVarint(offset - at);
        numbers.putVarint(shown[own[i]]);
        text.put(lines.bytes, at, offset - at);
        tokens.add(lines.bytes, at, offset - at);
        at = end;
      }
    }
    int behind = limit - at;
    numbers.putVarint(behind);
    text.put(lines.bytes, at, behind);
    tokens.add(lines.bytes, at, behind);
  }
}
