package io.widerow.storage;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.event.Text;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/// The meaning of a [Filter], event by event. Segments may answer sooner from statistics, never
/// differently.
public final class FilterEvaluation {
  private FilterEvaluation() {}

  /// True when a filter keeps an event. Called from any thread. Allocates nothing, except where a
  /// number in a text has more digits than a double, and in tests that are opaque.
  ///
  /// @param scratch overwritten
  public static boolean keeps(Filter filter, EventView event, AttributeValue scratch) {
    return switch (filter) {
      case Filter.Everything() -> true;
      case Filter.And(var parts) -> {
        for (Filter part : parts) {
          if (!keeps(part, event, scratch)) {
            yield false;
          }
        }
        yield true;
      }
      case Filter.Or(var parts) -> {
        for (Filter part : parts) {
          if (keeps(part, event, scratch)) {
            yield true;
          }
        }
        yield false;
      }
      case Filter.Not(Filter inner) -> !keeps(inner, event, scratch);
      case Filter.OfType(Filter test) -> {
        event.readType(scratch);
        yield keepsType(test, scratch.memory(), scratch.offset(), scratch.length(), scratch);
      }
      case Filter.OfTime(var comparison, long nanos) ->
          holds(comparison, Long.compare(event.timeNanos(), nanos));
      case Filter.OfId(EventId id) -> id.time() == event.idTime() && id.tail() == event.idTail();
      case Filter.OfLevel(var comparison, Level wanted) ->
          holds(comparison, wanted, Level.of(event, scratch));
      case Filter.HasLevel() -> Level.of(event, scratch) != null;
      case Filter.ArrivedBefore(long arrival) -> event.arrival() < arrival;
      case Filter.Exists(var name) -> event.find(name, scratch);
      case Filter.Compare(var name, var _, var _) ->
          keepsValue(filter, event.find(name, scratch), scratch);
      case Filter.Contains(var name, var _) ->
          keepsValue(filter, event.find(name, scratch), scratch);
      case Filter.ContainsFolded(var name, var _) ->
          keepsValue(filter, event.find(name, scratch), scratch);
      case Filter.Has(var name, var _) -> keepsValue(filter, event.find(name, scratch), scratch);
      case Filter.Matches(var name, var _) ->
          keepsValue(filter, event.find(name, scratch), scratch);
    };
  }

  /// True when a test of types keeps a type: the `length` bytes of `memory` from `offset`.
  ///
  /// @param scratch overwritten
  static boolean keepsType(
      Filter test, MemorySegment memory, long offset, int length, AttributeValue scratch) {
    return switch (test) {
      case Filter.And(var parts) -> {
        for (Filter part : parts) {
          if (!keepsType(part, memory, offset, length, scratch)) {
            yield false;
          }
        }
        yield true;
      }
      case Filter.Or(var parts) -> {
        for (Filter part : parts) {
          if (keepsType(part, memory, offset, length, scratch)) {
            yield true;
          }
        }
        yield false;
      }
      case Filter.Not(Filter inner) -> !keepsType(inner, memory, offset, length, scratch);
      default -> {
        scratch.setText(AttributeKind.STRING, memory, offset, length);
        yield keepsValue(test, true, scratch);
      }
    };
  }

  /// True when a test of one attribute keeps an event.
  ///
  /// @param found false when the event does not have the value
  /// @param value overwritten
  public static boolean keepsValue(Filter test, boolean found, AttributeValue value) {
    return switch (test) {
      case Filter.Compare(var _, var comparison, var literal) ->
          found ? holds(value, comparison, literal) : comparison == Comparison.NOT_EQUAL;
      case Filter.Contains(var _, var needle) ->
          found
              && value.kind() == AttributeKind.STRING
              && needle.isIn(value.memory(), value.offset(), value.length());
      case Filter.ContainsFolded(var _, var needle) ->
          found
              && value.kind() == AttributeKind.STRING
              && needle.isIn(value.memory(), value.offset(), value.length());
      case Filter.Has(var _, var words) ->
          found
              && value.kind() == AttributeKind.STRING
              && hasWords(words, value.memory(), value.offset(), value.length());
      case Filter.Matches(var _, var opaque) ->
          found
              && value.kind() == AttributeKind.STRING
              && opaque.keeps(value.memory(), value.offset(), value.length());
      case Filter.Exists _, Filter.Everything _ -> found;
      default -> throw new IllegalArgumentException("not a test of one value: " + test);
    };
  }

  /// True when `words` occur in the text and no word of the text extends past their ends.
  public static boolean hasWords(Text words, MemorySegment memory, long offset, int length) {
    long limit = offset + length;
    boolean opens = Text.isToken(words.at(0));
    boolean closes = Text.isToken(words.at(words.length() - 1));
    long at = words.indexIn(memory, offset, length);
    while (at >= 0) {
      long behind = at + words.length();
      boolean longer =
          (opens && at > offset && Text.isToken(memory.get(JAVA_BYTE, at - 1)))
              || (closes && behind < limit && Text.isToken(memory.get(JAVA_BYTE, behind)));
      if (!longer) {
        return true;
      }
      at = words.indexIn(memory, at + 1, limit - at - 1);
    }
    return false;
  }

  /// @param value overwritten when it is a string that is compared with a number
  static boolean holds(AttributeValue value, Comparison comparison, Literal literal) {
    if (value.kind() == AttributeKind.STRING
        && (literal instanceof Literal.Whole || literal instanceof Literal.Fraction)
        && !NumberText.read(value)) {
      return comparison == Comparison.NOT_EQUAL;
    }
    return switch (literal) {
      case Literal.Word(Text text) ->
          value.kind() == AttributeKind.STRING
              ? holds(comparison, text.compareTo(value.memory(), value.offset(), value.length()))
              : comparison == Comparison.NOT_EQUAL;
      case Literal.Truth(boolean truth) ->
          value.kind() == AttributeKind.BOOLEAN
              ? holds(comparison, Boolean.compare(value.bits() != 0, truth))
              : comparison == Comparison.NOT_EQUAL;
      case Literal.Whole(long whole) ->
          switch (value.kind()) {
            case LONG -> holds(comparison, Long.compare(value.bits(), whole));
            case DOUBLE -> holdsMixed(value.asDouble(), comparison, whole, 1);
            default -> comparison == Comparison.NOT_EQUAL;
          };
      case Literal.Fraction(double fraction) ->
          switch (value.kind()) {
            case LONG -> holdsMixed(fraction, comparison, value.bits(), -1);
            case DOUBLE -> holdsDoubles(value.asDouble(), comparison, fraction);
            default -> comparison == Comparison.NOT_EQUAL;
          };
    };
  }

  private static boolean holdsDoubles(double a, Comparison comparison, double b) {
    if (Double.isNaN(a) || Double.isNaN(b)) {
      return comparison == Comparison.NOT_EQUAL;
    }
    return holds(comparison, a < b ? -1 : a > b ? 1 : 0); // -0.0 equals 0.0
  }

  /// Compares a double with a long exactly.
  ///
  /// @param sign 1 when the double is the left operand, -1 when it is the right
  private static boolean holdsMixed(double fraction, Comparison comparison, long whole, int sign) {
    if (Double.isNaN(fraction)) {
      return comparison == Comparison.NOT_EQUAL;
    }
    int order =
        Double.isInfinite(fraction)
            ? (fraction > 0 ? 1 : -1)
            : Math.abs(whole) < (1L << 53)
                ? Double.compare(fraction + 0.0, (double) whole)
                : new BigDecimal(fraction).compareTo(BigDecimal.valueOf(whole));
    return holds(comparison, sign * order);
  }

  /// True when the level of an event compares this way with a level.
  ///
  /// @param found null when the event has none
  public static boolean holds(Comparison comparison, Level wanted, @Nullable Level found) {
    return found == null
        ? comparison == Comparison.NOT_EQUAL
        : holds(comparison, found.compareTo(wanted));
  }

  /// True when two values in an order compare this way.
  ///
  /// @param order negative, zero or positive
  public static boolean holds(Comparison comparison, int order) {
    return switch (comparison) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
      case GREATER -> order > 0;
      case GREATER_OR_EQUAL -> order >= 0;
    };
  }
}
