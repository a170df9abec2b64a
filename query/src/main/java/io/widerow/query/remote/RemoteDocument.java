package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.figures.Cell;
import io.widerow.query.output.TextWriter;
import java.util.List;
import java.util.Map;

/// A daemon's answer that is one line of JSON with arrays of flat objects in it.
///
/// @param text the line, without its end
public record RemoteDocument(String text) {
  private static final int SHOWN_CHARS = 200;

  /// Asks for it.
  ///
  /// @throws QueryException.Remote when there is no answer, or none with one line
  public static RemoteDocument ask(DaemonAddress daemon, String path) {
    return ask(daemon, "GET", path);
  }

  /// The same with another method, such as `POST`.
  public static RemoteDocument ask(DaemonAddress daemon, String method, String path) {
    try (RemoteAnswer answer = RemoteAnswer.open(daemon, method, path, Map.of())) {
      String line = answer.readLine();
      if (line == null || answer.readLine() != null) {
        throw new QueryException.Remote("the daemon did not answer with one line");
      }
      return new RemoteDocument(line);
    }
  }

  /// The objects of an array, each with the same members.
  ///
  /// @param name of the array, which is in no other object
  /// @param members that each object has
  /// @throws QueryException.Remote when there is none, or an object has others
  public List<List<Cell>> rows(String name, List<String> members) {
    String head = "\"" + name + "\":"; // inside a text of JSON the quotes would be escaped
    int at = text.indexOf(head);
    if (at < 0) {
      throw wrong(name);
    }
    return JsonLine.array(text, at + head.length()).stream()
        .map(object -> {
          if (!List.copyOf(object.keySet()).equals(members)) {
            throw wrong(name);
          }
          return List.copyOf(object.values());
        })
        .toList();
  }

  private QueryException.Remote wrong(String name) {
    return new QueryException.Remote(
        "the daemon's answer has no %s as expected: %s"
            .formatted(
                name, TextWriter.escaped(text.substring(0, Math.min(SHOWN_CHARS, text.length())))));
  }
}
