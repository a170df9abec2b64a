package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.LevelAttribute;
import io.widerow.event.Text;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Predicate pruning: evaluates a [Filter] on a block's directory alone. It is never wrong and
/// often undecided.
///
/// - Threads: one.
public final class BlockPruner {
  /// The part of a block that the filter keeps: none, some or all.
  public enum Verdict {
    NOTHING,
    SOMETHING,
    EVERYTHING;

    static Verdict of(boolean keeps) {
      return keeps ? EVERYTHING : NOTHING;
    }
  }

  private final BlockDirectory directory;

  /// @param directory the reader's, refilled for each block it opens
  public BlockPruner(BlockDirectory directory) {
    this.directory = directory;
  }

  /// The verdict on the open block.
  public Verdict verdict(Filter filter) {
    return switch (filter) {
      case Filter.Everything() -> Verdict.EVERYTHING;
      case Filter.And(var parts) -> {
        Verdict least = Verdict.EVERYTHING;
        for (Filter part : parts) {
          Verdict one = excludes(parts, part) ? Verdict.NOTHING : verdict(part);
          least = one.compareTo(least) < 0 ? one : least;
          if (least == Verdict.NOTHING) {
            break;
          }
        }
        yield least;
      }
      case Filter.Or(var parts) -> {
        Verdict most = Verdict.NOTHING;
        for (Filter part : parts) {
          Verdict one = verdict(part);
          most = one.compareTo(most) > 0 ? one : most;
          if (most == Verdict.EVERYTHING) {
            break;
          }
        }
        yield most;
      }
      case Filter.Not(Filter inner) -> negated(verdict(inner));
      case Filter.OfLevel(var comparison, var _) ->
          mayHaveLevel() ? Verdict.SOMETHING : Verdict.of(comparison == Comparison.NOT_EQUAL);
      case Filter.HasLevel() -> mayHaveLevel() ? Verdict.SOMETHING : Verdict.NOTHING;
      case Filter.OfType _, Filter.OfTime _, Filter.OfId _, Filter.ArrivedBefore _ ->
          Verdict.SOMETHING; // not in here
      case Filter.Exists(var name) -> exists(name);
      case Filter.Compare(var name, var comparison, var literal) ->
          compare(name, comparison, literal);
      case Filter.Contains(var name, var _) -> text(name);
      case Filter.ContainsFolded(var name, var _) -> text(name);
      case Filter.Has(var name, var _) -> text(name);
      case Filter.Matches(var name, var _) -> text(name);
    };
  }

  /// True for a part that keeps values other than texts, or than numbers, of an attribute that
  /// other parts require, where the block has only those: `x exists and not x >= ""`.
  private boolean excludes(List<Filter> parts, Filter part) {
    if (!(part instanceof Filter.Not(Filter.Compare(var name, var comparison, var literal)))
        || comparison != Comparison.GREATER_OR_EQUAL) {
      return false;
    }
    AttributeKind only = kindOfAll(literal);
    int column = directory.find(name);
    return only != null
        && column >= 0
        && directory.kinds[column] == only
        && directory.findNext(column) < 0
        && parts.contains(new Filter.Exists(name));
  }

  /// The kind of which every value is at or above a literal; null when there is none. A double may
  /// be NaN, which is in no order.
  private static @Nullable AttributeKind kindOfAll(Literal literal) {
    return switch (literal) {
      case Literal.Word(Text text) -> text.length() == 0 ? AttributeKind.STRING : null;
      case Literal.Fraction(double value) ->
          value == Double.NEGATIVE_INFINITY ? AttributeKind.LONG : null;
      case Literal.Whole _, Literal.Truth _ -> null;
    };
  }

  /// False when the block has no column that may have a level.
  private boolean mayHaveLevel() {
    for (AttributeName name : LevelAttribute.READ) {
      if (directory.find(name) >= 0) {
        return true;
      }
    }
    return false;
  }

  /// The filter that remains to test on the events of the open block. It keeps the same events,
  /// without the parts that the directory decides. For a filter whose verdict is
  /// [Verdict#SOMETHING].
  public Filter left(Filter filter) {
    return switch (filter) {
      case Filter.And(var parts) -> {
        List<Filter> left = left(parts, Verdict.EVERYTHING);
        yield left.size() == 1 ? left.getFirst() : new Filter.And(left);
      }
      case Filter.Or(var parts) -> {
        List<Filter> left = left(parts, Verdict.NOTHING);
        yield left.size() == 1 ? left.getFirst() : new Filter.Or(left);
      }
      default -> filter;
    };
  }

  private List<Filter> left(List<Filter> parts, Verdict decided) {
    List<Filter> left = new ArrayList<>(parts.size());
    for (Filter part : parts) {
      if (verdict(part) != decided) {
        left.add(left(part));
      }
    }
    return left;
  }

  private static Verdict negated(Verdict verdict) {
    return switch (verdict) {
      case NOTHING -> Verdict.EVERYTHING;
      case SOMETHING -> Verdict.SOMETHING;
      case EVERYTHING -> Verdict.NOTHING;
    };
  }

  private Verdict exists(AttributeName name) {
    int column = directory.find(name);
    if (column < 0) {
      return Verdict.NOTHING;
    }
    return directory.present[column] == directory.events ? Verdict.EVERYTHING : Verdict.SOMETHING;
  }

  private Verdict compare(AttributeName name, Comparison comparison, Literal literal) {
    if (comparison == Comparison.NOT_EQUAL) {
      return negated(compare(name, Comparison.EQUAL, literal));
    }
    int column = directory.find(name);
    if (column < 0) {
      return Verdict.NOTHING;
    }
    AttributeKind all = comparison == Comparison.GREATER_OR_EQUAL ? kindOfAll(literal) : null;
    if (all != null && directory.isEverywhere(name, all)) {
      return Verdict.EVERYTHING;
    }
    if (literal instanceof Literal.Word) {
      return text(name);
    }
    Verdict most = Verdict.NOTHING;
    for (; column >= 0; column = directory.findNext(column)) {
      if (mayHold(column, comparison, literal)) {
        most = Verdict.SOMETHING;
      }
    }
    return most;
  }

  private boolean mayHold(int column, Comparison comparison, Literal literal) {
    AttributeKind kind = directory.kinds[column];
    if (kind == AttributeKind.STRING) {
      return !(literal instanceof Literal.Truth); // a text may be a number; its range is not known
    }
    return switch (literal) {
      case Literal.Word _ -> false;
      case Literal.Truth _ -> kind == AttributeKind.BOOLEAN;
      case Literal.Whole(long whole) -> {
        if (kind == AttributeKind.LONG && directory.ranged[column]) {
          yield mayHold(
              comparison,
              Long.compare(directory.least[column], whole),
              Long.compare(directory.greatest[column], whole));
        }
        yield kind == AttributeKind.LONG || kind == AttributeKind.DOUBLE;
      }
      case Literal.Fraction(double fraction) -> {
        if (kind == AttributeKind.DOUBLE && directory.ranged[column]) {
          double least = Double.longBitsToDouble(directory.least[column]);
          double greatest = Double.longBitsToDouble(directory.greatest[column]);
          yield !Double.isNaN(fraction)
              && mayHold(
                  comparison,
                  least < fraction ? -1 : least > fraction ? 1 : 0,
                  greatest < fraction ? -1 : greatest > fraction ? 1 : 0);
        }
        yield kind == AttributeKind.LONG || kind == AttributeKind.DOUBLE;
      }
    };
  }

  /// @param least comparison of the least value with the literal
  /// @param greatest comparison of the greatest value with the literal
  private static boolean mayHold(Comparison comparison, int least, int greatest) {
    return switch (comparison) {
      case EQUAL -> least <= 0 && greatest >= 0;
      case NOT_EQUAL -> throw new IllegalArgumentException("not the negation of EQUAL");
      case LESS -> least < 0;
      case LESS_OR_EQUAL -> least <= 0;
      case GREATER -> greatest > 0;
      case GREATER_OR_EQUAL -> greatest >= 0;
    };
  }

  private Verdict text(AttributeName name) {
    int column = directory.find(name);
    while (column >= 0 && directory.kinds[column] != AttributeKind.STRING) {
      column = directory.findNext(column);
    }
    return column < 0 ? Verdict.NOTHING : Verdict.SOMETHING;
  }

  /// True when each event of a block has a string of this name.
  static boolean hasTextEverywhere(BlockDirectory directory, AttributeName name) {
    int column = directory.find(name);
    while (column >= 0 && directory.kinds[column] != AttributeKind.STRING) {
      column = directory.findNext(column);
    }
    return column >= 0 && directory.present[column] == directory.events;
  }
}
