package io.widerow.storage.scan;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.codec.IdDecoder;
import io.widerow.storage.codec.Needle;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockLevels;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.ColumnReader;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Evaluates a [Filter] on the columns of a block: the same rows as [FilterEvaluation], event by
/// event. Numbers are compared where they lie. A text that the block stores once is tested once,
/// and an opaque test, such as a regular expression, once for all blocks that have the text, see
/// [TextVerdicts].
///
/// ```
///   status = 404 and path ~ "^/api/.*/items$"
///     status   200 404 200 404 304          rows 1 and 3
///     path      0   1   0   2   1           only the texts 1 and 2 are tested
/// ```
///
/// - Threads: one.
/// - Memory: a bit a row for each part of the filter; the verdicts.
final class BlockFilter {
  /// Lines are given codes before a search that found more than one row in so many.
  private static final int FREQUENT = 16;

  private static final BitSet NONE = new BitSet();

  private final BlockReader reader;
  private final BlockLevels levels;
  private final TextVerdicts verdicts = new TextVerdicts();
  private final Set<Filter> frequent = new HashSet<>(); // tests that many rows of a block pass
  private final AttributeValue scratch = new AttributeValue();

  /// @param reader the block to filter is open in it
  BlockFilter(BlockReader reader, BlockLevels levels) {
    this.reader = reader;
    this.levels = levels;
  }

  /// Approximate memory held, without the reader's.
  long heldBytes() {
    return verdicts.heldBytes();
  }

  /// The rows of the open block that a filter keeps.
  ///
  /// @param filter without tests of the type, see [io.widerow.storage.Filters#ofType]
  /// @param among the rows to look at; null for all; does not change
  /// @return may be `among`; null for all rows
  @Nullable BitSet rows(Filter filter, @Nullable BitSet among) {
    return switch (filter) {
      case Filter.Everything() -> among;
      case Filter.And(var parts) -> and(parts, among);
      case Filter.Or(var parts) -> or(parts, among);
      case Filter.Not(Filter inner) -> without(rows(inner, among), among);
      case Filter.Exists(var name) -> {
        BitSet found = new BitSet();
        for (int column = find(name); column >= 0; column = directory().findNext(column)) {
          reader.column(column).addPresent(directory().events, found);
        }
        yield both(found, among);
      }
      case Filter.Compare(var name, var comparison, var literal) ->
          comparison == Comparison.NOT_EQUAL
              ? without(compare(name, Comparison.EQUAL, literal, among), among)
              : compare(name, comparison, literal, among);
      case Filter.Contains(var name, Text needle) ->
          texts(name, filter, new Needle(needle, false), among);
      case Filter.Has(var name, Text words) -> texts(name, filter, new Needle(words, true), among);
      case Filter.ContainsFolded(var name, var _) -> texts(name, filter, null, among);
      case Filter.Matches(var name, var test) -> {
        Text required = test.required();
        yield texts(name, filter, required == null ? null : new Needle(required, false), among);
      }
      case Filter.OfLevel _, Filter.HasLevel _ -> {
        levels.read();
        yield both(levels.rows(filter), among);
      }
      case Filter.OfTime(var comparison, long nanos) ->
          ofIds(
              row ->
                  FilterEvaluation.holds(
                      comparison,
                      Long.compare(
                          TimeUuid.nanosOf(ids().times[(int) row], ids().tails[(int) row]), nanos)),
              among);
      case Filter.OfId(var id) ->
          ofIds(
              row -> ids().times[(int) row] == id.time() && ids().tails[(int) row] == id.tail(),
              among);
      case Filter.ArrivedBefore(long arrival) ->
          ofIds(
              row ->
                  EventLayout.arrival(ids().versions[(int) row], ids().tails[(int) row]) < arrival,
              among);
      case Filter.OfType _ ->
          throw new IllegalArgumentException("a block knows no type: " + filter);
    };
  }

  private BlockDirectory directory() {
    return reader.directory();
  }

  private IdDecoder ids() {
    return reader.ids();
  }

  private int find(AttributeName name) {
    return directory().find(name);
  }

  private BitSet all() {
    BitSet all = new BitSet();
    all.set(0, directory().events);
    return all;
  }

  private static BitSet both(BitSet found, @Nullable BitSet among) {
    if (among != null) {
      found.and(among);
    }
    return found;
  }

  /// @param rows null for all
  private BitSet without(@Nullable BitSet rows, @Nullable BitSet among) {
    if (rows == null) {
      return NONE;
    }
    BitSet left = among == null ? all() : (BitSet) among.clone();
    left.andNot(rows);
    return left;
  }

  private @Nullable BitSet and(List<Filter> parts, @Nullable BitSet among) {
    List<Filter> cheapestFirst = parts;
    if (parts.size() > 1) {
      cheapestFirst = new ArrayList<>(parts);
      cheapestFirst.sort(Comparator.comparingInt(this::cost));
    }
    BitSet left = among;
    for (Filter part : cheapestFirst) {
      left = rows(part, left);
      if (left != null && left.isEmpty()) {
        break; // no further column is read
      }
    }
    return left;
  }

  private @Nullable BitSet or(List<Filter> parts, @Nullable BitSet among) {
    BitSet either = new BitSet();
    for (Filter part : parts) {
      BitSet one = rows(part, among);
      if (one == null) {
        return null; // all rows
      }
      either.or(one);
    }
    return either;
  }

  /// A rank of filters by what a row costs.
  private int cost(Filter filter) {
    return switch (filter) {
      case Filter.Everything _ -> 0;
      case Filter.Exists _ -> 1;
      case Filter.Compare(var _, var _, var literal) -> literal instanceof Literal.Word ? 4 : 2;
      case Filter.OfTime _, Filter.OfId _, Filter.ArrivedBefore _ -> 3;
      case Filter.Contains _, Filter.Has _ -> 5;
      case Filter.ContainsFolded _ -> 6;
      case Filter.OfLevel _, Filter.HasLevel _ -> 7;
      case Filter.Matches _ -> 8;
      case Filter.OfType _ -> 0;
      case Filter.Not(Filter inner) -> cost(inner);
      case Filter.And(var parts) -> parts.stream().mapToInt(this::cost).max().orElse(0);
      case Filter.Or(var parts) -> parts.stream().mapToInt(this::cost).max().orElse(0);
    };
  }

  /// @param comparison not [Comparison#NOT_EQUAL]
  private BitSet compare(
      AttributeName name, Comparison comparison, Literal literal, @Nullable BitSet among) {
    Filter test = new Filter.Compare(name, comparison, literal);
    BitSet found = new BitSet();
    for (int at = find(name); at >= 0; at = directory().findNext(at)) {
      AttributeKind kind = reader.kind(at);
      if (keepsAll(kind, comparison, literal)) {
        reader.column(at).addPresent(directory().events, found);
      } else if (kind == AttributeKind.LONG && literal instanceof Literal.Whole(long whole)) {
        selectWhole(reader.column(at), comparison, whole, found);
      } else if (kind == AttributeKind.DOUBLE && literal instanceof Literal.Fraction(double it)) {
        selectFraction(reader.column(at), comparison, it, found);
      } else if (mayHold(kind, literal)) {
        Needle needle =
            comparison == Comparison.EQUAL
                    && literal instanceof Literal.Word(Text text)
                    && text.length() > 0
                ? new Needle(text, true)
                : null;
        selectBy(reader.column(at), test, needle, among, found);
      }
    }
    return both(found, among);
  }

  /// True when each value of a kind passes a comparison.
  private static boolean keepsAll(AttributeKind kind, Comparison comparison, Literal literal) {
    return comparison == Comparison.GREATER_OR_EQUAL
        && switch (literal) {
          case Literal.Word(Text text) -> kind == AttributeKind.STRING && text.length() == 0;
          case Literal.Fraction(double value) ->
              kind == AttributeKind.LONG && value == Double.NEGATIVE_INFINITY;
          case Literal.Whole _, Literal.Truth _ -> false;
        };
  }

  private static boolean mayHold(AttributeKind kind, Literal literal) {
    return switch (literal) {
      case Literal.Word _ -> kind == AttributeKind.STRING;
      case Literal.Truth _ -> kind == AttributeKind.BOOLEAN;
      case Literal.Whole _, Literal.Fraction _ ->
          kind == AttributeKind.LONG
              || kind == AttributeKind.DOUBLE
              || kind == AttributeKind.STRING;
    };
  }

  private static void selectWhole(
      ColumnReader column, Comparison comparison, long whole, BitSet found) {
    switch (comparison) {
      case EQUAL -> column.selectWithin(whole, whole, found);
      case LESS -> {
        if (whole > Long.MIN_VALUE) {
          column.selectWithin(Long.MIN_VALUE, whole - 1, found);
        }
      }
      case LESS_OR_EQUAL -> column.selectWithin(Long.MIN_VALUE, whole, found);
      case GREATER -> {
        if (whole < Long.MAX_VALUE) {
          column.selectWithin(whole + 1, Long.MAX_VALUE, found);
        }
      }
      case GREATER_OR_EQUAL -> column.selectWithin(whole, Long.MAX_VALUE, found);
      case NOT_EQUAL -> throw new IllegalArgumentException("the negation of EQUAL");
    }
  }

  private static void selectFraction(
      ColumnReader column, Comparison comparison, double number, BitSet found) {
    switch (comparison) {
      case EQUAL -> column.selectWithin(number, number, found);
      case LESS -> {
        if (number > Double.NEGATIVE_INFINITY) {
          column.selectWithin(Double.NEGATIVE_INFINITY, Math.nextDown(number), found);
        }
      }
      case LESS_OR_EQUAL -> column.selectWithin(Double.NEGATIVE_INFINITY, number, found);
      case GREATER -> {
        if (number < Double.POSITIVE_INFINITY) {
          column.selectWithin(Math.nextUp(number), Double.POSITIVE_INFINITY, found);
        }
      }
      case GREATER_OR_EQUAL -> column.selectWithin(number, Double.POSITIVE_INFINITY, found);
      case NOT_EQUAL -> throw new IllegalArgumentException("the negation of EQUAL");
    }
  }

  /// The rows whose string passes a test.
  ///
  /// @param needle in each string that does; null when there is none
  private BitSet texts(
      AttributeName name, Filter test, @Nullable Needle needle, @Nullable BitSet among) {
    BitSet found = new BitSet();
    for (int at = find(name); at >= 0; at = directory().findNext(at)) {
      if (reader.kind(at) == AttributeKind.STRING) {
        selectBy(reader.column(at), test, needle, among, found);
      }
    }
    return found;
  }

  private void selectBy(
      ColumnReader column,
      Filter test,
      @Nullable Needle needle,
      @Nullable BitSet among,
      BitSet found) {
    if (needle != null && frequent.contains(test)) {
      column.findCodes();
    }
    Predicate<AttributeValue> keeps =
        test instanceof Filter.Matches(var _, var opaque)
            ? verdicts.of(opaque)
            : value -> FilterEvaluation.keepsValue(test, true, value);
    BitSet its = new BitSet();
    column.select(keeps, needle, scratch, among, its);
    found.or(its);
    if (needle == null) {
      return;
    }
    if ((long) its.cardinality() * FREQUENT > column.present()) {
      frequent.add(test);
    } else {
      frequent.remove(test);
    }
  }

  private BitSet ofIds(LongPredicate keeps, @Nullable BitSet among) {
    reader.readIds();
    BitSet found = new BitSet();
    int events = directory().events;
    for (int row = 0; row < events; row++) {
      if ((among == null || among.get(row)) && keeps.test(row)) {
        found.set(row);
      }
    }
    return found;
  }
}
