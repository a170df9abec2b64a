package io.widerow.query.logql;

import com.google.re2j.Pattern;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One stage of a pipeline. A closed set.
///
/// - Threads: any; stages are immutable.
public sealed interface Stage {
  /// Adds the names of the labels that the stage looks at.
  default void addNames(Set<String> names) {
    switch (this) {
      case LabelFilter(var condition) -> condition.addNames(names);
      case LabelFormat(var assignments) -> assignments.forEach(one -> one.addNames(names));
      case LineFormat(var template) -> names.addAll(template.fields());
      default -> {}
    }
  }

  /// Keeps lines by their text: `|= "a" or "b"`, `!~ "x|y"`.
  ///
  /// @param negated keeps the lines in which no part is found
  /// @param parts a line is found by any of them
  record LineFilter(boolean negated, List<LinePart> parts) implements Stage {
    public LineFilter {
      parts = List.copyOf(parts);
    }

    /// True when it keeps every line: what query builders write.
    public boolean keepsAll() {
      return !negated && parts.stream().anyMatch(part -> part.isText() && part.text().isEmpty());
    }
  }

  /// A text, an expression, an address or a pattern that is looked for in a line.
  ///
  /// @param regex the compiled text; null for another test
  /// @param address the addresses that the text names; null for another test
  /// @param pattern the pattern that the text is; null for another test
  record LinePart(
      String text,
      @Nullable Pattern regex,
      @Nullable IpRange address,
      @Nullable LinePattern pattern) {
    /// A text.
    static LinePart of(String text) {
      return new LinePart(text, null, null, null);
    }

    /// True when the text itself, or its expression, is looked for.
    public boolean isText() {
      return address == null && pattern == null;
    }
  }

  /// Makes labels of a JSON object.
  ///
  /// @param wanted which values and their labels; empty for all
  record Json(List<Extraction> wanted) implements Stage {
    public Json {
      wanted = List.copyOf(wanted);
    }
  }

  /// Makes labels of `key=value` pairs.
  ///
  /// @param strict a line that is not wholly of this form is an error
  /// @param keepsEmpty keys without a value make labels too
  /// @param wanted which keys and their labels; empty for all
  record Logfmt(boolean strict, boolean keepsEmpty, List<Extraction> wanted) implements Stage {
    public Logfmt {
      wanted = List.copyOf(wanted);
    }
  }

  /// One value to extract.
  ///
  /// @param label its label
  /// @param from as it was written
  /// @param path the names and indexes that lead to it
  record Extraction(String label, String from, List<Object> path) {
    public Extraction {
      path = List.copyOf(path);
    }
  }

  /// Makes labels of the named groups of an expression.
  record Regexp(Pattern regex, List<String> groups) implements Stage {
    public Regexp {
      groups = List.copyOf(groups);
    }
  }

  /// Makes labels of the captures of a pattern: `<ip> - - <_> "<method> <path>`.
  record PatternParser(List<Piece> pieces) implements Stage {
    public PatternParser {
      pieces = List.copyOf(pieces);
    }
  }

  /// A part of a pattern: literal text, or the name of a label.
  ///
  /// @param text the literal, or the name
  /// @param isName false for a literal; the name `_` captures nothing
  record Piece(String text, boolean isName) {}

  /// Undoes what an agent packed: labels of a JSON object, and the line of its `_entry`.
  record Unpack() implements Stage {}

  /// Keeps lines by their labels.
  record LabelFilter(LabelCondition condition) implements Stage {}

  /// Replaces the line.
  record LineFormat(Template template) implements Stage {}

  /// Renames labels, or makes them from templates.
  record LabelFormat(List<Assignment> assignments) implements Stage {
    public LabelFormat {
      assignments = List.copyOf(assignments);
    }
  }

  /// One label to set.
  ///
  /// @param from the label that is renamed; null for a template
  /// @param template null when a label is renamed
  record Assignment(String label, @Nullable String from, @Nullable Template template) {
    private void addNames(Set<String> names) {
      if (from != null) {
        names.add(from);
      }
      if (template != null) {
        names.addAll(template.fields());
      }
    }
  }

  /// Removes labels.
  record Drop(List<NameTest> names) implements Stage {
    public Drop {
      names = List.copyOf(names);
    }
  }

  /// Removes all other labels.
  record Keep(List<NameTest> names) implements Stage {
    public Keep {
      names = List.copyOf(names);
    }
  }

  /// A label, perhaps only with certain values.
  record NameTest(String name, @Nullable Matcher matcher) {}

  /// Removes the escape sequences of terminals from the line.
  record Decolorize() implements Stage {}

  /// Takes the number of a label as the sample.
  ///
  /// @param conversion of the label's text
  record Unwrap(String label, Conversion conversion) implements Stage {}

  /// The conversion of a text to a number.
  enum Conversion {
    NUMBER,
    /// To seconds.
    DURATION,
    BYTES
  }
}
