package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.UnreadText;
import io.widerow.storage.ScanWatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A daemon's response to a survey of a range: a summary line, then flat lines.
///
/// @param lines as the daemon wrote them
/// @param whole members of the first line
/// @param rows members of each other line, by name
/// @param unread the damaged parts that the daemon has passed over
public record RemoteSurvey(
    List<String> lines,
    Map<String, Cell> whole,
    List<Map<String, Cell>> rows,
    List<ScanWatch.Unread> unread) {
  private static final Set<String> LISTS = Set.of("ids", "segments");

  /// Asks for it.
  ///
  /// @throws QueryException.Remote when the response is something else
  public static RemoteSurvey ask(DaemonAddress daemon, String path) {
    List<String> lines = lines(daemon, path);
    return new RemoteSurvey(
        lines,
        members(lines.getFirst()),
        lines.stream()
            .skip(1)
            .filter(line -> !UnreadText.isLine(line))
            .map(RemoteSurvey::members)
            .toList(),
        unread(lines));
  }

  /// Asks for lines of several kinds and keeps those of one kind. A list of segments, the last
  /// member of its line, is left out of its row.
  ///
  /// @param kinds members that name the kinds: the first of them in a line is its kind
  public static RemoteSurvey linesOf(
      DaemonAddress daemon, String path, String kind, Set<String> kinds) {
    List<String> lines =
        RemoteRows.lines(daemon, path).stream()
            .filter(line ->
                JsonLine.cells(line).stream()
                    .map(Map.Entry::getKey)
                    .filter(kinds::contains)
                    .findFirst()
                    .filter(kind::equals)
                    .isPresent())
            .toList();
    return new RemoteSurvey(
        lines, Map.of(), lines.stream().map(RemoteSurvey::members).toList(), List.of());
  }

  /// Posts a text, and gets flat lines.
  public static RemoteSurvey post(
      DaemonAddress daemon, String path, Map<String, List<String>> parameters, String body) {
    List<String> lines = new ArrayList<>();
    try (RemoteResponse answer = RemoteResponse.post(daemon, path, parameters, body)) {
      for (String line = answer.readLine(); line != null; line = answer.readLine()) {
        lines.add(line);
      }
    }
    return new RemoteSurvey(
        lines, Map.of(), lines.stream().map(RemoteSurvey::members).toList(), List.of());
  }

  /// The lines of a response that has at least one.
  static List<String> lines(DaemonAddress daemon, String path) {
    List<String> lines = List.copyOf(RemoteRows.lines(daemon, path));
    if (lines.isEmpty()) {
      throw new QueryException.Remote("the response of the daemon is empty");
    }
    return lines;
  }

  /// The damaged parts in lines.
  static List<ScanWatch.Unread> unread(List<String> lines) {
    List<ScanWatch.Unread> unread = new ArrayList<>();
    for (String line : lines) {
      ScanWatch.Unread part =
          UnreadText.isLine(line) ? UnreadText.parse(JsonLine.cells(line)) : null;
      if (part != null) {
        unread.add(part);
      }
    }
    return unread;
  }

  /// The members by name, without lists.
  private static Map<String, Cell> members(String line) {
    Map<String, Cell> members = new LinkedHashMap<>();
    JsonLine.cells(line).forEach(member -> members.put(member.getKey(), member.getValue()));
    members.keySet().removeAll(LISTS);
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
