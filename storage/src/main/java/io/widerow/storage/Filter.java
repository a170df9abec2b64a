package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.FoldedText;
import io.widerow.event.Level;
import io.widerow.event.Text;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A condition on an event's attributes, type, time, id and arrival, which selects the events of a
/// scan; [FilterEvaluation] evaluates it. A closed set: adding a case breaks every switch that must
/// learn about it.
///
/// - An attribute that the event does not have equals nothing and is in no order with anything. So
///   `NOT_EQUAL` keeps the event, exactly as the negation of `EQUAL` does.
/// - Numbers compare by exact value, also a long with a double; NaN equals nothing and is neither
///   less nor greater.
/// - A string that has the form of a decimal number compares with a number as that number, see
///   [NumberText]. Strings compare with strings by their bytes, unsigned.
/// - Other values of different kinds are unequal and not ordered.
///
/// - Threads: any; filters are immutable.
public sealed interface Filter {
  /// Keeps every event.
  record Everything() implements Filter {}

  /// Keeps events that every part keeps. With no parts, keeps every event.
  record And(List<Filter> parts) implements Filter {
    public And {
      parts = List.copyOf(parts);
    }
  }

  /// Keeps events that at least one part keeps. With no parts, keeps none.
  record Or(List<Filter> parts) implements Filter {
    public Or {
      parts = List.copyOf(parts);
    }
  }

  /// Keeps events that `inner` does not keep.
  record Not(Filter inner) implements Filter {}

  /// Keeps events that have the attribute.
  record Exists(AttributeName name) implements Filter {}

  /// Keeps events whose attribute compares this way with a literal; `NOT_EQUAL` also keeps events
  /// without the attribute.
  record Compare(AttributeName name, Comparison comparison, Literal literal) implements Filter {}

  /// Keeps events whose string contains these bytes anywhere. The needle must not be empty.
  record Contains(AttributeName name, Text needle) implements Filter {
    public Contains {
      if (needle.length() == 0) {
        throw new IllegalArgumentException("contains needs a text that is not empty");
      }
    }
  }

  /// Keeps events whose string contains this text anywhere in any case. The needle must not be
  /// empty.
  record ContainsFolded(AttributeName name, FoldedText needle) implements Filter {
    public ContainsFolded {
      if (needle.length() == 0) {
        throw new IllegalArgumentException("icontains needs a text that is not empty");
      }
    }
  }

  /// Keeps events whose string contains these words: the bytes anywhere, but not inside a longer
  /// word. A word is a maximal run of ASCII letters, digits, underscores and bytes from 0x80, so
  /// `17` is in `size=17` and not in `size=173`. Segments keep Bloom filters of the words of their
  /// blocks, so rare words are found sooner than with [Contains]. The text must not be empty.
  record Has(AttributeName name, Text words) implements Filter {
    public Has {
      if (words.length() == 0) {
        throw new IllegalArgumentException("has needs a text that is not empty");
      }
    }
  }

  /// Keeps events whose string passes a test that is opaque to the store, such as a regular
  /// expression.
  record Matches(AttributeName name, TextTest test) implements Filter {}

  /// Keeps events whose type passes a test: a filter of which every name stands for the type, a
  /// string that each event has. The test must not hold another test of the type, time or id.
  record OfType(Filter test) implements Filter {}

  /// Keeps events whose time compares this way with an instant, in nanoseconds since the Unix
  /// epoch.
  record OfTime(Comparison comparison, long epochNanos) implements Filter {}

  /// Keeps events whose level compares this way with a level. An event without a level is in no
  /// order with any; `NOT_EQUAL` keeps it.
  record OfLevel(Comparison comparison, Level level) implements Filter {}

  /// Keeps events that have a level.
  record HasLevel() implements Filter {}

  /// Keeps the events with this id.
  record OfId(EventId id) implements Filter {}

  /// Keeps events whose number in the order of arrival is lower, see
  /// [io.widerow.event.EventView#arrival]. No query uses it: a deletion continues by it.
  record ArrivedBefore(long arrival) implements Filter {}

  /// A predicate over the bytes of a string. It must be safe to call from any thread.
  @FunctionalInterface
  interface TextTest {
    boolean keeps(MemorySegment memory, long offset, int length);

    /// Bytes that each kept string contains, so that others need no test; null when there are none.
    default @Nullable Text required() {
      return null;
    }
  }

  /// The comparison of a value with a literal.
  enum Comparison {
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL
  }

  /// A constant of one kind.
  sealed interface Literal {
    /// A string.
    record Word(Text text) implements Literal {}

    /// A whole number.
    record Whole(long value) implements Literal {}

    /// A floating-point number.
    record Fraction(double value) implements Literal {}

    /// A boolean.
    record Truth(boolean value) implements Literal {}
  }
}
