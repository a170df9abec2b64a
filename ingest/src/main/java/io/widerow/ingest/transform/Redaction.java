package io.widerow.ingest.transform;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.event.RecordEdit;
import io.widerow.event.Text;
import io.widerow.event.Utf8;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Replaces values, or the matches of an expression in them, for one rule.
///
/// - Threads: one.
/// - Memory: keeps the longest text so far. A value that is searched costs its copy, and what the
///   expression takes.
final class Redaction {
  private final Action.Redact rule;
  private final @Nullable Matcher matcher;
  private final @Nullable Text required; // a text that each match has
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  Redaction(Action.Redact rule) {
    this.rule = rule;
    Pattern pattern = rule.pattern();
    matcher = pattern == null ? null : pattern.matcher("");
    int b = pattern == null ? RequiredByte.NONE : RequiredByte.of(pattern.pattern());
    required = b < 0 ? null : Text.of(Character.toString(b));
  }

  /// Keeps or changes the attribute at hand.
  ///
  /// @param value scratch, overwritten
  void apply(RecordEdit edit, AttributeValue value) {
    if (!rule.names().has(edit)) {
      edit.keep();
      return;
    }
    edit.value(value);
    Matcher searching = matcher;
    if (searching == null) {
      byte[] whole = rule.replacement().whole();
      edit.putText(AttributeKind.STRING, whole, whole.length);
      return;
    }
    if (lacksRequired(value) || !replace(searching, ValueText.of(value))) {
      edit.keep();
      return;
    }
    byte[] text = out.toByteArray();
    AttributeKind kind = ValueText.kind(value);
    boolean cut = kind == AttributeKind.STRING && !Utf8.isValid(text, 0, text.length);
    edit.putText(cut ? AttributeKind.BYTES : kind, text, text.length);
  }

  private boolean lacksRequired(AttributeValue value) {
    return required != null
        && value.kind().isText()
        && !required.isIn(value.memory(), value.offset(), value.length());
  }

  /// Replaces matches in a reason before it is reported or stored.
  String scrub(String reason) {
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    return matcher != null && replace(matcher, text)
        ? out.toString(StandardCharsets.UTF_8)
        : reason;
  }

  /// Writes the text with each match replaced; a match of nothing stays. False when there is none.
  private boolean replace(Matcher searching, byte[] text) {
    searching.reset(text);
    int from = 0;
    boolean found = false;
    while (searching.find()) {
      int start = searching.start();
      int end = searching.end();
      if (end > start) {
        if (!found) {
          found = true;
          out.reset();
        }
        out.write(text, from, start - from);
        rule.replacement().write(searching, text, out);
        from = end;
      }
    }
    if (found) {
      out.write(text, from, text.length - from);
    }
    return found;
  }
}
