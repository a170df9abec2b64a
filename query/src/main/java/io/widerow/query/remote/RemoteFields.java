package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.UnreadText;
import io.widerow.query.json.JsonNode;
import io.widerow.storage.ScanWatch;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A daemon's response about fields: a summary line, then a line for each field.
///
/// @param lines as the daemon wrote them
/// @param exact whether all was read
/// @param fields the fields, in the order of the response
/// @param unread the damaged parts that the daemon has passed over
public record RemoteFields(
    List<String> lines, boolean exact, List<Field> fields, List<ScanWatch.Unread> unread) {
  private static final String VALUES = "values";

  /// One field.
  ///
  /// @param told name, kind and numbers of the field by their names
  /// @param values its values: each `value` and `count`, and `picked` where some are picked
  public record Field(Map<String, Object> told, List<Map<String, Cell>> values) {
    public String text(String member) {
      Object value = told.get(member);
      return value == null ? "" : value.toString();
    }
  }

  /// Asks for them.
  ///
  /// @throws QueryException.Remote when the response is none of fields
  public static RemoteFields ask(DaemonAddress daemon, String path) {
    List<String> lines = RemoteSurvey.lines(daemon, path);
    boolean exact = Boolean.TRUE.equals(JsonLine.parse(lines.getFirst()).get("exact"));
    List<Field> fields =
        lines.stream()
            .skip(1)
            .filter(line -> !UnreadText.isLine(line))
            .map(RemoteFields::field)
            .filter(Objects::nonNull)
            .toList();
    return new RemoteFields(lines, exact, fields, RemoteSurvey.unread(lines));
  }

  /// The field of a line; null for a line of another kind, which only a newer daemon sends.
  private static @Nullable Field field(String line) {
    Map<String, Object> told = JsonLine.parse(line);
    List<JsonNode> values = told.remove(VALUES) == null ? null : JsonLine.array(line, VALUES);
    if (values == null && !told.containsKey("field")) {
      return null;
    }
    return new Field(
        told, values == null ? List.of() : values.stream().map(JsonLine::cells).toList());
  }
}
