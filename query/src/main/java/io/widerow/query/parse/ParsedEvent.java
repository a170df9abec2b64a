package io.widerow.query.parse;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.WrappedEvent;
import io.widerow.query.DerivedFields;
import io.widerow.storage.FilterEvaluation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An event with the fields that the steps of a query find in its texts. Of a name that occurs
/// several times one value is shown, in this order: that of the last step that overwrites, that of
/// the event, that of the first step.
///
/// - Threads: one.
final class ParsedEvent extends WrappedEvent implements DerivedFields.Making {
  private static final ParsedText NONE = new ParsedText();

  private final ParseStep[] steps;
  private final ParsedTexts[] parsers; // of the steps that parse, in order
  private final ParsedText[] texts; // of the event, of the same
  private final boolean[] overwrites; // of the same
  private int active; // so many of them have parsed
  private final AttributeValue scratch = new AttributeValue();
  private final AttributeValue shown = new AttributeValue();
  private int[] order = new int[32]; // fields by name, while they are visited
  private int ordered;

  ParsedEvent(ParseSteps steps) {
    this.steps = steps.steps().toArray(ParseStep[]::new);
    int parses = 0;
    boolean[] overwriting = new boolean[this.steps.length];
    List<ParsedTexts> all = new ArrayList<>();
    for (ParseStep step : this.steps) {
      if (step instanceof ParseStep.Parse parse) {
        overwriting[parses++] = parse.overwrites();
        all.add(new ParsedTexts(parse.format()));
      }
    }
    this.overwrites = Arrays.copyOf(overwriting, parses);
    this.texts = new ParsedText[parses];
    this.parsers = all.toArray(ParsedTexts[]::new);
  }

  @Override
  public @Nullable EventView of(EventView event) {
    wrap(event);
    active = 0;
    for (ParseStep step : steps) { // an array: no garbage
      switch (step) {
        case ParseStep.Parse(AttributeName source, _, _) -> parse(source);
        case ParseStep.Where(var filter) -> {
          if (!FilterEvaluation.keeps(filter, this, scratch)) {
            return null;
          }
        }
      }
    }
    return this;
  }

  private void parse(AttributeName source) {
    boolean isText = find(source, scratch) && scratch.kind() == AttributeKind.STRING;
    texts[active] = isText ? parsers[active].of(scratch) : NONE;
    active++;
  }

  @Override
  public boolean find(AttributeName name, AttributeValue out) {
    for (int i = active - 1; i >= 0; i--) {
      if (overwrites[i] && isIn(i, name, out)) {
        return true;
      }
    }
    if (super.find(name, out)) {
      return true;
    }
    for (int i = 0; i < active; i++) {
      if (!overwrites[i] && isIn(i, name, out)) {
        return true;
      }
    }
    return false;
  }

  private boolean isIn(int parse, AttributeName name, AttributeValue out) {
    int field = texts[parse].find(name);
    if (field >= 0) {
      texts[parse].value(field, out);
    }
    return field >= 0;
  }

  @Override
  public long weight() {
    return event().weight();
  }

  /// The bytes of the event as it is stored.
  @Override
  public long plainBytes(AttributeValue value) {
    return event().plainBytes(value);
  }

  @Override
  public void forEach(AttributeValue value, AttributeVisitor visitor) {
    sort();
    int[] next = {0};
    super.forEach(
        value,
        (name, own) -> {
          next[0] = visitBefore(name, next[0], visitor);
          boolean hidden = next[0] < ordered && name(order[next[0]]).equals(name);
          boolean replaced = hidden && overwrites[order[next[0]] / ParsedText.FIELDS_MAX];
          if (replaced) {
            next[0] = visit(next[0], visitor);
          } else {
            visitor.visit(name, own);
            next[0] += hidden ? 1 : 0;
          }
        });
    while (next[0] < ordered) {
      next[0] = visit(next[0], visitor);
    }
  }

  private int visitBefore(AttributeName name, int from, AttributeVisitor visitor) {
    int next = from;
    while (next < ordered && name(order[next]).compareTo(name) < 0) {
      next = visit(next, visitor);
    }
    return next;
  }

  private int visit(int place, AttributeVisitor visitor) {
    int field = order[place];
    texts[field / ParsedText.FIELDS_MAX].value(field % ParsedText.FIELDS_MAX, shown);
    visitor.visit(name(field), shown);
    return place + 1;
  }

  private AttributeName name(int field) {
    return texts[field / ParsedText.FIELDS_MAX].name(field % ParsedText.FIELDS_MAX);
  }

  /// Puts the fields in the order of names, of each name the one that wins.
  private void sort() {
    ordered = 0;
    for (int parse = 0; parse < active; parse++) {
      for (int i = 0; i < texts[parse].count(); i++) {
        insert(parse, parse * ParsedText.FIELDS_MAX + i);
      }
    }
  }

  private void insert(int parse, int field) {
    AttributeName name = name(field);
    int at = ordered;
    int compared = -1;
    while (at > 0 && (compared = name(order[at - 1]).compareTo(name)) > 0) {
      at--;
    }
    if (at > 0 && compared == 0) {
      order[at - 1] = overwrites[parse] ? field : order[at - 1]; // the last of these wins
      return;
    }
    if (ordered == order.length) {
      order = Arrays.copyOf(order, 2 * ordered);
    }
    System.arraycopy(order, at, order, at + 1, ordered - at);
    order[at] = field;
    ordered++;
  }
}
