package io.widerow.query.logql;

import java.util.List;
import java.util.Set;

/// The condition of a label filter. A closed set.
///
/// - Threads: any; conditions are immutable.
public sealed interface LabelCondition {
  /// Adds the names of the labels that it tests.
  default void addNames(Set<String> names) {
    switch (this) {
      case And(var parts) -> parts.forEach(part -> part.addNames(names));
      case Or(var parts) -> parts.forEach(part -> part.addNames(names));
      case Words(var matcher) -> names.add(matcher.name());
      case Quantity quantity -> names.add(quantity.label());
      case Address address -> names.add(address.label());
    }
  }

  /// Holds when all parts do.
  record And(List<LabelCondition> parts) implements LabelCondition {
    public And {
      parts = List.copyOf(parts);
    }
  }

  /// Holds when any part does.
  record Or(List<LabelCondition> parts) implements LabelCondition {
    public Or {
      parts = List.copyOf(parts);
    }
  }

  /// Tests a text.
  record Words(Matcher matcher) implements LabelCondition {}

  /// Compares a number, a duration in seconds, or a number of bytes. False without the label; a
  /// label that is no such number keeps the line and marks it as an error.
  record Quantity(String label, Stage.Conversion conversion, Sign sign, double value)
      implements LabelCondition {}

  /// Tests whether a label has an address: `addr = ip("10.0.0.0/8")`. False without the label; a
  /// line that is marked as an error is kept.
  record Address(String label, boolean negated, IpRange address) implements LabelCondition {}

  /// The comparisons of numbers.
  enum Sign {
    EQUAL("=="),
    NOT_EQUAL("!="),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    GREATER(">"),
    GREATER_OR_EQUAL(">=");

    /// As it is written.
    public final String text;

    Sign(String text) {
      this.text = text;
    }

    public boolean holds(double left, double right) {
      return switch (this) {
        case EQUAL -> left == right;
        case NOT_EQUAL -> left != right;
        case LESS -> left < right;
        case LESS_OR_EQUAL -> left <= right;
        case GREATER -> left > right;
        case GREATER_OR_EQUAL -> left >= right;
      };
    }
  }
}
