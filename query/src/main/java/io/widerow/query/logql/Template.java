package io.widerow.query.logql;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A template of `line_format` or `label_format`: Go's `text/template` over the labels of a line.
///
/// ```
///   {{.method | ToUpper}} {{if eq .status "500"}}failed{{else}}took {{.took}}{{end}}
///   '------- Show --------' '-- Branch ------------------------------------------'
/// ```
///
/// - Threads: any; immutable.
///
/// @param text as it is written
/// @param nodes in order
/// @param defined the templates that it defines, by name
/// @param fields the labels that it names, with `__line__` when it looks at more than labels
public record Template(
    String text, List<Node> nodes, Map<String, List<Node>> defined, Set<String> fields) {
  /// The name that stands for the line itself, and for all labels.
  public static final String LINE = "__line__";

  public Template {
    nodes = List.copyOf(nodes);
    defined = Map.copyOf(defined);
    fields = Set.copyOf(fields);
  }

  /// @throws IllegalArgumentException in Go's words when the text is no template
  static Template parse(String text) {
    return new TemplateParser(text, TemplateFunctions.LIBRARY).template();
  }

  /// A part of a template. A closed set.
  sealed interface Node {
    /// Text as it is.
    record Literal(String text) implements Node {}

    /// The value of a pipeline, unless it only sets a variable.
    record Show(Pipe pipe) implements Node {}

    /// `if` and `with`: the first part when the value is not empty, else the other part.
    record Branch(Pipe pipe, boolean setsDot, List<Node> then, List<Node> otherwise)
        implements Node {
      public Branch {
        then = List.copyOf(then);
        otherwise = List.copyOf(otherwise);
      }
    }

    /// `template`: a defined template, whose `.` and `$` are the value, or `nil` without one.
    record Call(String name, @Nullable Pipe pipe) implements Node {}

    /// `break` or `continue` of a `range`.
    record Jump(boolean ends) implements Node {}

    /// `range`: the part for each item, or the other part without any.
    record Loop(Pipe pipe, List<Node> each, List<Node> otherwise) implements Node {
      public Loop {
        each = List.copyOf(each);
        otherwise = List.copyOf(otherwise);
      }
    }
  }

  /// Commands, each of which gets the value of the one before it as its last argument.
  ///
  /// @param variables that are set, such as `$x`
  /// @param declares true for `:=`, which makes the variables
  record Pipe(List<String> variables, boolean declares, List<Command> commands) {
    public Pipe {
      variables = List.copyOf(variables);
      commands = List.copyOf(commands);
    }
  }

  /// A function with its arguments, or a single value.
  ///
  /// @param place its line and column, as Go counts them
  /// @param text as it is written
  record Command(List<Operand> operands, String place, String text) {
    public Command {
      operands = List.copyOf(operands);
    }
  }

  /// A value in a template. A closed set.
  sealed interface Operand {
    /// `.`, or a field of it.
    record Dot(List<String> path) implements Operand {
      public Dot {
        path = List.copyOf(path);
      }
    }

    /// `$x`, or a field of it. `$` is all labels.
    record Variable(String name, List<String> path) implements Operand {
      public Variable {
        path = List.copyOf(path);
      }
    }

    /// A text, a number, a truth value or `nil`.
    record Constant(@Nullable Object value) implements Operand {}

    /// A function.
    record Function(String name) implements Operand {}

    /// A pipeline in brackets, or a field of it.
    record Nested(Pipe pipe, List<String> path) implements Operand {
      public Nested {
        path = List.copyOf(path);
      }
    }
  }
}
