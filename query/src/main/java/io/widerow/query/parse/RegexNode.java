package io.widerow.query.parse;

import java.util.List;

/// A part of an expression. A closed set.
sealed interface RegexNode {
  /// One character: of ASCII by its bit, any other when `others`.
  record One(long low, long high, boolean others) implements RegexNode {
    boolean has(int ascii) {
      return ((ascii < Long.SIZE ? low >>> ascii : high >>> (ascii - Long.SIZE)) & 1) != 0;
    }

    /// The only byte of it; negative when it has several.
    int only() {
      boolean one = !others && Long.bitCount(low) + Long.bitCount(high) == 1;
      int bit =
          low != 0 ? Long.numberOfTrailingZeros(low) : Long.SIZE + Long.numberOfTrailingZeros(high);
      return one ? bit : -1;
    }

    One not() {
      return new One(~low, ~high, !others);
    }

    One or(One more) {
      return new One(low | more.low, high | more.high, others || more.others);
    }
  }

  /// One byte of a character beyond ASCII.
  ///
  /// @param value the byte, which is negative
  record Beyond(int value) implements RegexNode {}

  /// All, one after the other; none matches the empty text.
  record Sequence(List<RegexNode> parts) implements RegexNode {}

  /// The first that leads to a match.
  record Choice(List<RegexNode> parts) implements RegexNode {}

  /// @param max negative for any number
  record Repeat(RegexNode part, int min, int max, boolean greedy) implements RegexNode {}

  /// @param number of the group, from 1
  record Group(RegexNode part, int number) implements RegexNode {}

  /// A place, which takes no text.
  enum Place implements RegexNode {
    BEGIN,
    END,
    WORD_EDGE,
    NO_WORD_EDGE
  }

  /// True when it matches only where the text begins.
  default boolean isAtBegin() {
    return switch (this) {
      case Sequence(var parts) -> !parts.isEmpty() && parts.getFirst().isAtBegin();
      case Choice(var parts) -> parts.stream().allMatch(RegexNode::isAtBegin);
      case Repeat(RegexNode part, int min, _, _) -> min > 0 && part.isAtBegin();
      case Group(RegexNode part, _) -> part.isAtBegin();
      case One _, Beyond _ -> false;
      case Place place -> place == Place.BEGIN;
    };
  }

  /// True when it may match the empty text.
  default boolean mayBeEmpty() {
    return switch (this) {
      case One _, Beyond _ -> false;
      case Sequence(var parts) -> parts.stream().allMatch(RegexNode::mayBeEmpty);
      case Choice(var parts) -> parts.stream().anyMatch(RegexNode::mayBeEmpty);
      case Repeat(RegexNode part, int min, _, _) -> min == 0 || part.mayBeEmpty();
      case Group(RegexNode part, _) -> part.mayBeEmpty();
      case Place _ -> true;
    };
  }
}
