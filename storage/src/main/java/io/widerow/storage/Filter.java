package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Text;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// What a scan keeps, decided by an event's attributes. A closed set: adding a case breaks every
/// switch that must learn about it. An attribute that the event does not have fails every
/// comparison, and so satisfies its negation.
///
/// Numbers compare by value, longs with doubles too, exactly; NaN equals nothing and is neither
/// less nor greater. Strings compare by their bytes, unsigned. Values of different kinds are
/// unequal and in no order.
public sealed interface Filter {
  /// Keeps every event.
  record Everything() implements Filter {}

  /// Keeps what all of `parts` keep.
  record And(List<Filter> parts) implements Filter {
    public And {
      parts = List.copyOf(parts);
    }
  }

  /// Keeps what any of `parts` keeps.
  record Or(List<Filter> parts) implements Filter {
    public Or {
      parts = List.copyOf(parts);
    }
  }

  /// Keeps what `inner` does not.
  record Not(Filter inner) implements Filter {}

  /// Keeps events that have the attribute.
  record Exists(AttributeName name) implements Filter {}

  /// Keeps events whose attribute compares so with a literal.
  record Compare(AttributeName name, Comparison comparison, Literal literal) implements Filter {}

  /// Keeps events whose string contains these bytes anywhere. Not for an empty needle.
  record Contains(AttributeName name, Text needle) implements Filter {
    public Contains {
      if (needle.length() == 0) {
        throw new IllegalArgumentException("contains of nothing");
      }
    }
  }

  /// Keeps events whose string has these words: the bytes anywhere, but not within a longer word. A
  /// word is a longest run of ASCII letters, digits, underscores and bytes of 0x80 and above, so
  /// `17` is in `size=17` and not in `size=173`. Segments know the words of their blocks, so this
  /// finds something rare sooner than [Contains]. Not for an empty text.
  record Has(AttributeName name, Text words) implements Filter {
    public Has {
      if (words.length() == 0) {
        throw new IllegalArgumentException("has of nothing");
      }
    }
  }

  /// Keeps events whose string passes a test that the store knows nothing about, such as a regular
  /// expression.
  record Matches(AttributeName name, TextTest test) implements Filter {}

  /// Decides over the bytes of a string. Called from any thread.
  @FunctionalInterface
  interface TextTest {
    boolean keeps(MemorySegment memory, long offset, int length);
  }

  /// How a value and a literal are compared.
  enum Comparison {
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL
  }

  /// A constant of a kind.
  sealed interface Literal {
    /// A string.
    record Word(Text text) implements Literal {}

    /// A whole number.
    record Whole(long value) implements Literal {}

    /// A number with a fraction.
    record Fraction(double value) implements Literal {}

    /// True or false.
    record Truth(boolean value) implements Literal {}
  }

  /// True when the filter keeps an event.
  ///
  /// @param scratch overwritten
  default boolean keeps(EventView event, AttributeValue scratch) {
    return FilterEvaluation.keeps(this, event, scratch);
  }
}
