package io.widerow.query.logql.run;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.logql.LabelCondition;
import io.widerow.query.logql.LabelCondition.Quantity;
import io.widerow.query.logql.LabelCondition.Sign;
import io.widerow.query.logql.Stage.Conversion;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.storage.NumberText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A label filter that only compares numbers, on the values of an event instead of on its line. It
/// is the same where the values are numbers; where one is not, the line decides.
///
/// - Threads: one.
abstract sealed class EventCondition {
  /// The outcome of a condition for an event.
  enum Verdict {
    KEPT,
    DROPPED,
    /// A value is no number: only the line decides.
    UNSURE
  }

  private EventCondition() {}

  abstract Verdict of(EventView event, AttributeValue scratch);

  /// The test of a condition; null when it is not of numbers alone, or when a label of it is not
  /// certain to be one attribute or another.
  static @Nullable EventCondition of(LabelCondition condition, LabelMapping labels) {
    return switch (condition) {
      case LabelCondition.And(var parts) -> several(parts, labels, false);
      case LabelCondition.Or(var parts) -> several(parts, labels, true);
      case LabelCondition.Words _, LabelCondition.Address _ -> null;
      case Quantity(String label, Conversion conversion, Sign sign, double value) -> {
        NumberLabel of = conversion == Conversion.NUMBER ? NumberLabel.of(label, labels) : null;
        yield of == null ? null : new Compared(of, sign, value);
      }
    };
  }

  private static @Nullable EventCondition several(
      List<LabelCondition> parts, LabelMapping labels, boolean any) {
    List<EventCondition> tests = new ArrayList<>();
    for (LabelCondition part : parts) {
      EventCondition test = of(part, labels);
      if (test == null) {
        return null;
      }
      tests.add(test);
    }
    return new Several(tests, any ? Verdict.KEPT : Verdict.DROPPED);
  }

  /// Parts, the first of which that has the deciding verdict, or is not sure, decides.
  private static final class Several extends EventCondition {
    private final List<EventCondition> parts;
    private final Verdict deciding;

    Several(List<EventCondition> parts, Verdict deciding) {
      this.parts = parts;
      this.deciding = deciding;
    }

    @Override
    Verdict of(EventView event, AttributeValue scratch) {
      for (int i = 0; i < parts.size(); i++) {
        Verdict one = parts.get(i).of(event, scratch);
        if (one == deciding || one == Verdict.UNSURE) {
          return one;
        }
      }
      return deciding == Verdict.KEPT ? Verdict.DROPPED : Verdict.KEPT;
    }
  }

  private static final class Compared extends EventCondition {
    private final NumberLabel label;
    private final Sign sign;
    private final double value;

    Compared(NumberLabel label, Sign sign, double value) {
      this.label = label;
      this.sign = sign;
      this.value = value;
    }

    @Override
    Verdict of(EventView event, AttributeValue scratch) {
      if (!label.find(event, scratch)) {
        return Verdict.DROPPED; // it does not have the label
      }
      if (!NumberLabel.isNumber(scratch)) {
        return Verdict.UNSURE;
      }
      return sign.holds(scratch.asDouble(), value) ? Verdict.KEPT : Verdict.DROPPED;
    }
  }

  /// A label that is an attribute of the event, the first one of several that the event has.
  record NumberLabel(List<AttributeName> names) {
    NumberLabel {
      names = List.copyOf(names);
    }

    /// Null when the label is not certain to be that.
    static @Nullable NumberLabel of(String label, LabelMapping labels) {
      List<AttributeName> names = labels.attributes(label);
      boolean isValue =
          names != null
              && !names.isEmpty()
              && !label.equals(LabelMapping.DETECTED_LEVEL)
              && names.stream().allMatch(name -> labels.shown(name).equals(label));
      return names == null || !isValue ? null : new NumberLabel(names);
    }

    /// Fills `out` with the value; false when the event has none.
    boolean find(EventView event, AttributeValue out) {
      for (int i = 0; i < names.size(); i++) {
        if (event.find(names.get(i), out)) {
          return true;
        }
      }
      return false;
    }

    /// True for a number, and for a text that is one, which becomes that number.
    static boolean isNumber(AttributeValue value) {
      return switch (value.kind()) {
        case LONG, DOUBLE -> true;
        case STRING -> NumberText.read(value);
        case BOOLEAN, BYTES -> false;
      };
    }
  }
}
