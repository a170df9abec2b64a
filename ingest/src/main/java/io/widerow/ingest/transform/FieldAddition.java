package io.widerow.ingest.transform;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordEdit;
import io.widerow.event.RecordView;
import io.widerow.query.parse.ParsedText;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Adds attributes to an event: those of a text or of a table, a value, a copy.
///
/// - Threads: one.
/// - Memory: keeps the longest text that was parsed.
final class FieldAddition {
  /// The outcome for an event.
  enum Outcome {
    /// Nothing was to be added.
    SAME,
    /// The edit has ended, and holds the event with the attributes.
    CHANGED,
    /// The text is not of the format, the table lacks the key, or the event would be too large.
    FAILED
  }

  private final ParsedText text = new ParsedText();
  private final RecordView view = new RecordView();
  private final AttributeValue value = new AttributeValue();
  private final AttributeValue other = new AttributeValue();

  Outcome parse(Action.Parse rule, MemorySegment records, long at, RecordEdit edit, int bytesMax) {
    view.show(records, at);
    if (!view.find(rule.source(), value) || value.kind() != AttributeKind.STRING) {
      return Outcome.SAME;
    }
    text.begin(value);
    if (!rule.format().parse(text)) {
      return Outcome.FAILED;
    }
    if (text.count() == 0) {
      return Outcome.SAME;
    }
    edit.begin(records, at);
    while (edit.next()) {
      if (rule.overwrites() && isField(edit)) {
        edit.drop();
      } else {
        edit.keep();
      }
    }
    boolean any = false;
    for (int i = 0; i < text.count(); i++) {
      AttributeName name = text.name(i);
      if (rule.overwrites() || !view.find(name, other)) {
        if (isFull(edit)) {
          return Outcome.FAILED;
        }
        text.value(i, value);
        edit.add(name, value);
        any = true;
      }
    }
    return any ? end(edit, bytesMax) : Outcome.SAME;
  }

  private boolean isField(RecordEdit edit) {
    for (int i = 0; i < text.count(); i++) {
      if (edit.isNamed(text.name(i))) {
        return true;
      }
    }
    return false;
  }

  Outcome lookup(
      Action.Lookup rule, MemorySegment records, long at, RecordEdit edit, int bytesMax) {
    view.show(records, at);
    if (!view.find(rule.by(), value)) {
      return Outcome.SAME;
    }
    List<Literal> row = rule.table().find(value.toString());
    if (row == null) {
      return Outcome.FAILED;
    }
    List<AttributeName> names = rule.table().names();
    edit.begin(records, at);
    while (edit.next()) {
      boolean replaced = false;
      for (int i = 0; rule.overwrites() && i < row.size(); i++) {
        replaced |= !isEmpty(row.get(i)) && edit.isNamed(names.get(i));
      }
      if (replaced) {
        edit.drop();
      } else {
        edit.keep();
      }
    }
    boolean any = false;
    for (int i = 0; i < row.size(); i++) {
      boolean free = rule.overwrites() || !view.find(names.get(i), other);
      if (free && !isEmpty(row.get(i))) {
        if (isFull(edit)) {
          return Outcome.FAILED;
        }
        row.get(i).read(value);
        edit.add(names.get(i), value);
        any = true;
      }
    }
    return any ? end(edit, bytesMax) : Outcome.SAME;
  }

  private static boolean isEmpty(Literal literal) {
    return literal.utf8().byteSize() == 0;
  }

  Outcome set(Action.SetValue rule, MemorySegment records, long at, RecordEdit edit, int bytesMax) {
    edit.begin(records, at);
    while (edit.next()) {
      if (edit.isNamed(rule.name())) {
        edit.drop();
      } else {
        edit.keep();
      }
    }
    if (isFull(edit)) {
      return Outcome.FAILED;
    }
    rule.value().read(value);
    edit.add(rule.name(), value);
    return end(edit, bytesMax);
  }

  /// @param free the name of the copy, which the event does not have
  Outcome copy(
      AttributeName from,
      AttributeName free,
      MemorySegment records,
      long at,
      RecordEdit edit,
      int bytesMax) {
    if (!view.show(records, at).find(from, value)) {
      return Outcome.SAME;
    }
    keepAll(edit, records, at);
    if (isFull(edit)) {
      return Outcome.FAILED;
    }
    edit.add(free, value);
    return end(edit, bytesMax);
  }

  private static void keepAll(RecordEdit edit, MemorySegment records, long at) {
    edit.begin(records, at);
    while (edit.next()) {
      edit.keep();
    }
  }

  /// Changes the type, to one that is not that of the event.
  static Outcome retype(
      byte[] type, MemorySegment records, long at, RecordEdit edit, int bytesMax) {
    edit.begin(records, at);
    edit.retype(type);
    while (edit.next()) {
      edit.keep();
    }
    return end(edit, bytesMax);
  }

  private static boolean isFull(RecordEdit edit) {
    return edit.count() == EventLayout.ATTRIBUTES_MAX;
  }

  private static Outcome end(RecordEdit edit, int bytesMax) {
    if (edit.length() > bytesMax) {
      return Outcome.FAILED;
    }
    return edit.end() ? Outcome.CHANGED : Outcome.SAME;
  }
}
