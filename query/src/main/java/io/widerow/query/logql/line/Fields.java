package io.widerow.query.logql.line;

import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.line.Line.Category;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The fields that the parsers of JSON and logfmt find in a line without given names.
public final class Fields {
  private static final Stage JSON = new Stage.Json(List.of());
  private static final Stage LOGFMT = new Stage.Logfmt(false, false, List.of());

  private Fields() {}

  /// Receives the fields found.
  @FunctionalInterface
  public interface Found {
    /// @param parser `json` or `logfmt`
    void field(String label, String value, String parser);
  }

  /// True when a line is parsed as JSON, and not as logfmt.
  public static boolean isJson(String line) {
    int at = 0;
    while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
      at++;
    }
    return at < line.length() && line.charAt(at) == '{';
  }

  /// Reads a line.
  ///
  /// @param memory for the fields found
  public static void read(String line, LineMemory memory, Found found) {
    boolean json = isJson(line);
    memory.begin();
    Line parsed = new Line(memory);
    parsed.setText(line);
    boolean _ = Pipeline.run(json ? JSON : LOGFMT, parsed);
    parsed
        .labels(Category.PARSED)
        .forEach((label, value) -> {
          if (!label.equals(LogqlNames.ERROR) && !label.equals(LogqlNames.ERROR_DETAILS)) {
            found.field(label, value, json ? "json" : "logfmt");
          }
        });
  }

  /// The names of the members that lead to the value of a label in a line of JSON; empty when there
  /// is none.
  public static List<String> jsonPath(String line, String label) {
    LineJson json = new LineJson(line, LineMemory.unlimited());
    List<String> path = new ArrayList<>();
    json.members((name, value) -> leads("", name, value, json, label, path));
    return path;
  }

  /// Ends the search when it has found the label.
  private static @Nullable String leads(
      String prefix,
      String name,
      LineJson.Value value,
      LineJson json,
      String label,
      List<String> path) {
    String shown = LogqlNames.shown(prefix + name);
    path.add(name);
    String found =
        value.kind() == LineJson.Kind.OBJECT
            ? json.members(value, (inner, of) -> leads(shown + "_", inner, of, json, label, path))
            : value.isScalar() && shown.equals(label) ? label : null;
    if (found == null) {
      path.removeLast();
    }
    return found;
  }
}
