package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import io.widerow.query.output.TextWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Parses one line of a response: a JSON object of strings, numbers, booleans and, of exports,
/// objects of one string. A number with a fraction or an exponent is a Double, any other a Long.
/// Another value, which only a newer daemon sends, is kept as its text.
public final class JsonLine {
  /// A value that no line of this version has.
  ///
  /// @param text as it is written; empty for `null`
  record Other(String text) {
    static final Other NULL = new Other("");

    @Override
    public String toString() {
      return text;
    }
  }

  private JsonLine() {}

  /// @throws QueryException.Remote when the line is anything else
  public static Map<String, Object> parse(String text) {
    Map<String, Object> members = new LinkedHashMap<>();
    try {
      JsonNode.members(text, (name, node) -> members.put(name, value(node)));
    } catch (JsonException wrong) {
      throw wrong(text, wrong.position());
    } catch (NumberFormatException _) {
      throw wrong(text, 0);
    }
    return members;
  }

  /// Parses a line into its members in order: numbers as they are written.
  ///
  /// @throws QueryException.Remote when the line is anything else
  static List<Map.Entry<String, Cell>> cells(String text) {
    List<Map.Entry<String, Cell>> members = new ArrayList<>();
    try {
      JsonNode.members(text, (name, node) -> members.add(Map.entry(name, cell(node))));
    } catch (JsonException wrong) {
      throw wrong(text, wrong.position());
    }
    return members;
  }

  /// The array of a name in a text, in the outermost object or deeper.
  ///
  /// @return null when there is none
  /// @throws QueryException.Remote when the text is not JSON
  static @Nullable List<JsonNode> array(String text, String name) {
    try {
      return array(JsonNode.parse(text, JsonNode.DEPTH_MAX, _ -> {}), name);
    } catch (JsonException wrong) {
      throw wrong(text, wrong.position());
    }
  }

  private static @Nullable List<JsonNode> array(JsonNode node, String name) {
    Map<String, JsonNode> members = node.members() == null ? Map.of() : node.members();
    JsonNode named = members.get(name);
    List<JsonNode> found = named == null ? null : named.items();
    for (JsonNode member : members.values()) {
      found = found == null ? array(member, name) : found;
    }
    return found;
  }

  /// The members of an object by name; none of anything else.
  static Map<String, Cell> cells(JsonNode object) {
    Map<String, Cell> members = new LinkedHashMap<>();
    if (object.members() != null) {
      object.members().forEach((name, node) -> members.put(name, cell(node)));
    }
    return members;
  }

  private static QueryException.Remote wrong(String text, int position) {
    return new QueryException.Remote(
        "the response of the daemon is not JSON lines, at character %d: %s"
            .formatted(
                position + 1, TextWriter.escaped(text.substring(0, Math.min(200, text.length())))));
  }

  private static Object value(JsonNode node) {
    String text = node.toString();
    return switch (node.kind()) {
      case VALUE_STRING -> text;
      case VALUE_TRUE, VALUE_FALSE -> Boolean.valueOf(text);
      case VALUE_NULL -> Other.NULL;
      case VALUE_NUMBER_INT -> Long.parseLong(text);
      case VALUE_NUMBER_FLOAT -> Double.parseDouble(text);
      default -> isExactValue(node) ? strings(node) : new Other(text);
    };
  }

  private static Cell cell(JsonNode node) {
    String text = node.toString();
    return switch (node.kind()) {
      case VALUE_NULL -> Cell.MISSING;
      case VALUE_TRUE, VALUE_FALSE -> Cell.of(Boolean.parseBoolean(text));
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> Cell.ofNumber(text);
      default -> Cell.ofText(text);
    };
  }

  /// True for an object of strings whose first name begins with `$`, see `ExactJson`.
  private static boolean isExactValue(JsonNode node) {
    Map<String, JsonNode> members = node.members();
    return members != null
        && !members.isEmpty()
        && members.keySet().iterator().next().startsWith("$")
        && members.values().stream().allMatch(JsonNode::isText);
  }

  private static Map<String, String> strings(JsonNode node) {
    Map<String, String> strings = new LinkedHashMap<>();
    cells(node).forEach((name, cell) -> strings.put(name, cell.text()));
    return strings;
  }
}
