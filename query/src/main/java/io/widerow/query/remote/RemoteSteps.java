package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsQuery;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.Rfc3339;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/// One response of a daemon to a continuous query, `GET /v1/tail`. A response without its last line
/// was cut off, and is an error.
///
/// @param rows the rows; the last cell is true when a step is shown again, or is missing
/// @param token the end of the last step that it shows
/// @param arrived its position in the order of arrival
/// @param more true when further steps have ended already
public record RemoteSteps(List<List<Cell>> rows, Token token, String arrived, boolean more) {
  private static final List<String> LAST = List.of("token", "arrived", "more");

  /// @param parameters of the continuous query, with the position
  /// @param zone of the times of the rows
  public static RemoteSteps ask(
      DaemonAddress daemon, Map<String, List<String>> parameters, StatsQuery asked, ZoneId zone) {
    try (RemoteResponse answer = RemoteResponse.open(daemon, "/v1/tail", parameters)) {
      List<String> heads = asked.heads();
      Rfc3339 times = new Rfc3339(zone);
      List<List<Cell>> rows = new ArrayList<>();
      for (String line = answer.readLine(); line != null; line = answer.readLine()) {
        List<Map.Entry<String, Cell>> members = JsonLine.cells(line);
        List<String> names = members.stream().map(Map.Entry::getKey).toList();
        if (names.contains(LAST.getFirst()) && heads.stream().noneMatch(isIn(names))) {
          List<Cell> last = Objects.requireNonNull(RemoteRows.row(members, LAST), "has a token");
          return new RemoteSteps(
              rows,
              Token.parse(last.get(0).text()),
              last.get(1).text(),
              Boolean.parseBoolean(last.get(2).text()));
        }
        List<Cell> sent = RemoteRows.row(members, heads);
        if (sent != null) {
          List<Cell> row = RemoteStats.row(sent, asked, times);
          row.add(revision(members));
          rows.add(row);
        }
      }
      throw new QueryException.Remote("the response of the daemon was cut off");
    }
  }

  /// True for a column of a row: the last line has none of them, except for equal names.
  private static Predicate<String> isIn(List<String> names) {
    return head -> names.contains(head) && !LAST.contains(head);
  }

  /// The flag of a row; missing when it has none.
  private static Cell revision(List<Map.Entry<String, Cell>> members) {
    return members.stream()
        .filter(member -> member.getKey().equals(StatsWriter.REVISION))
        .findFirst()
        .map(Map.Entry::getValue)
        .orElse(Cell.MISSING);
  }
}
