package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.json.JsonNode;
import io.widerow.query.output.TextWriter;
import java.util.List;
import java.util.Map;

/// A daemon's response that is one line of JSON with arrays of flat objects in it.
///
/// @param text the line, without its end
public record RemoteDocument(String text) {
  private static final int SHOWN_CHARS = 200;

  /// Asks for it.
  ///
  /// @throws QueryException.Remote when there is no response, or none with one line
  public static RemoteDocument ask(DaemonAddress daemon, String path) {
    return ask(daemon, "GET", path);
  }

  /// The same with another method, such as `POST`.
  public static RemoteDocument ask(DaemonAddress daemon, String method, String path) {
    try (RemoteResponse answer = RemoteResponse.open(daemon, method, path, Map.of())) {
      String line = answer.readLine();
      if (line == null || answer.readLine() != null) {
        throw new QueryException.Remote("the response of the daemon is not one line");
      }
      return new RemoteDocument(line);
    }
  }

  /// The objects of an array, each with the cells of the given members: empty for one that the
  /// object lacks.
  ///
  /// @param name of the array, which is in no other object
  /// @throws QueryException.Remote when there is no such array, or an object has none of the
  ///   members
  public List<List<Cell>> rows(String name, List<String> members) {
    List<JsonNode> objects = JsonLine.array(text, name);
    if (objects == null) {
      throw wrong(name);
    }
    return objects.stream()
        .map(JsonLine::cells)
        .map(object -> {
          if (members.stream().noneMatch(object::containsKey)) {
            throw wrong(name);
          }
          return members.stream().map(member -> object.getOrDefault(member, Cell.MISSING)).toList();
        })
        .toList();
  }

  /// A member of the outermost object, as text.
  ///
  /// @throws QueryException.Remote when there is none
  public String member(String name) {
    Object value = JsonLine.parse(text).get(name);
    if (value == null) {
      throw wrong(name);
    }
    return value.toString();
  }

  private QueryException.Remote wrong(String name) {
    return new QueryException.Remote(
        "the response of the daemon has no %s: %s"
            .formatted(
                name, TextWriter.escaped(text.substring(0, Math.min(SHOWN_CHARS, text.length())))));
  }
}
