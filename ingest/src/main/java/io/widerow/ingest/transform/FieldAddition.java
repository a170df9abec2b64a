package io.widerow.ingest.transform;

import io.widerow.event.AddedFields;
import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.FieldMerge;
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
  private final ValueList values = new ValueList();
  private final FieldMerge merge = new FieldMerge();
  private final RecordView view = new RecordView();
  private final AttributeValue value = new AttributeValue();

  Outcome parse(Action.Parse rule, MemorySegment records, long at, RecordEdit edit, int bytesMax) {
    view.show(records, at);
    if (!view.find(rule.source(), value) || value.kind() != AttributeKind.STRING) {
      return Outcome.SAME;
    }
    text.begin(value);
    return rule.format().parse(text)
        ? merged(text, rule.overwrites(), records, at, edit, bytesMax)
        : Outcome.FAILED;
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
    values.clear();
    for (int i = 0; i < row.size(); i++) {
      if (row.get(i).utf8().byteSize() > 0) {
        row.get(i).read(values.add(rule.table().names().get(i)));
      }
    }
    return merged(values, rule.overwrites(), records, at, edit, bytesMax);
  }

  Outcome set(Action.SetValue rule, MemorySegment records, long at, RecordEdit edit, int bytesMax) {
    values.clear();
    rule.value().read(values.add(rule.name()));
    return merged(values, true, records, at, edit, bytesMax);
  }

  /// @param free the name of the copy, which the event does not have
  Outcome copy(
      AttributeName from,
      AttributeName free,
      MemorySegment records,
      long at,
      RecordEdit edit,
      int bytesMax) {
    values.clear();
    return view.show(records, at).find(from, values.add(free))
        ? merged(values, false, records, at, edit, bytesMax)
        : Outcome.SAME;
  }

  private Outcome merged(
      AddedFields fields,
      boolean overwrites,
      MemorySegment records,
      long at,
      RecordEdit edit,
      int bytesMax) {
    if (!merge.merge(records, at, fields, overwrites)) {
      return Outcome.SAME;
    }
    if (merge.attributes() > EventLayout.ATTRIBUTES_MAX || merge.length() > bytesMax) {
      return Outcome.FAILED;
    }
    edit.take(merge, records, at);
    return Outcome.CHANGED;
  }

  /// Changes the type, to one that is not that of the event.
  static Outcome retype(
      byte[] type, MemorySegment records, long at, RecordEdit edit, int bytesMax) {
    edit.begin(records, at);
    edit.retype(type);
    while (edit.next()) {
      edit.keep();
    }
    boolean changed = edit.end();
    assert changed : "the type is the same";
    return EventLayout.length(edit.memory(), 0) > bytesMax ? Outcome.FAILED : Outcome.CHANGED;
  }
}
