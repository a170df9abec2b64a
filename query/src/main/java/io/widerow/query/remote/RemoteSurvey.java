package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.figures.Cell;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A daemon's answer about what there is in a range: a line about the whole, then flat lines.
///
/// @param lines as the daemon wrote them
/// @param whole members of the first line
/// @param rows members of each other line, by name
public record RemoteSurvey(
    List<String> lines, Map<String, Cell> whole, List<Map<String, Cell>> rows) {
  private static final String IDS = ",\"ids\":[";

  /// Asks for it.
  ///
  /// @throws QueryException.Remote when the answer is something else
  public static RemoteSurvey ask(DaemonAddress daemon, String path) {
    List<String> lines = lines(daemon, path);
    // The only member that is no scalar stands last, and quotes in texts are escaped.
    String first = lines.getFirst();
    int ids = first.indexOf(IDS);
    return new RemoteSurvey(
        lines,
        members(ids < 0 ? first : first.substring(0, ids) + "}"),
        lines.subList(1, lines.size()).stream().map(RemoteSurvey::members).toList());
  }

  /// The lines of an answer that has at least one.
  static List<String> lines(DaemonAddress daemon, String path) {
    List<String> lines = List.copyOf(RemoteRows.lines(daemon, path));
    if (lines.isEmpty()) {
      throw new QueryException.Remote("the daemon answered with nothing");
    }
    return lines;
  }

  private static Map<String, Cell> members(String line) {
    Map<String, Cell> members = new LinkedHashMap<>();
    JsonLine.cells(line).forEach(member -> members.put(member.getKey(), member.getValue()));
    return members;
  }

  /// A member of the first line; empty when it is not there.
  public String text(String member) {
    return whole.getOrDefault(member, Cell.MISSING).text();
  }

  /// False when not all was read.
  public boolean exact() {
    return text("exact").equals("true");
  }
}
