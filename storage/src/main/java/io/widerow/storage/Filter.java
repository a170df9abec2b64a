package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.Text;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// What a scan keeps, decided by an event's attributes; [FilterEvaluation] decides it. A closed
/// set: adding a case breaks every switch that must learn about it. An attribute that the event
/// does not have fails every comparison, and so satisfies its negation.
///
/// Numbers compare by exact value, also a long with a double; NaN equals nothing and is neither
/// less nor greater. Strings compare by their bytes, unsigned. Values of different kinds are
/// unequal and not ordered.
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

  /// Keeps events whose attribute compares this way with a literal.
  record Compare(AttributeName name, Comparison comparison, Literal literal) implements Filter {}

  /// Keeps events whose string contains these bytes anywhere. The needle must not be empty.
  record Contains(AttributeName name, Text needle) implements Filter {
    public Contains {
      if (needle.length() == 0) {
        throw new IllegalArgumentException("contains needs a text that is not empty");
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

  /// A predicate over the bytes of a string. It must be safe to call from any thread.
  @FunctionalInterface
  interface TextTest {
    boolean keeps(MemorySegment memory, long offset, int length);
  }

  /// How a value is compared with a literal.
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
