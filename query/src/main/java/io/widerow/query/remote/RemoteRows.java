package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.figures.Cell;
import io.widerow.query.output.TextWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A daemon's answer that is a table: JSON lines with the same members in each.
///
/// @param heads names of the members; those expected when there are no rows
public record RemoteRows(List<String> heads, List<List<Cell>> rows) {
  /// Asks for a table.
  ///
  /// @param heads the members that each line has, in this order
  /// @throws QueryException.Remote when a line has others
  public static RemoteRows ask(DaemonAddress daemon, String path, List<String> heads) {
    List<List<Cell>> rows = new ArrayList<>();
    try (RemoteAnswer answer = RemoteAnswer.open(daemon, path, Map.of())) {
      for (String line = answer.readLine(); line != null; line = answer.readLine()) {
        List<Map.Entry<String, Cell>> members = JsonLine.cells(line);
        if (!members.stream().map(Map.Entry::getKey).toList().equals(heads)) {
          throw new QueryException.Remote(
              "the daemon answered with other members: " + TextWriter.escaped(line));
        }
        rows.add(members.stream().map(Map.Entry::getValue).toList());
      }
    }
    return new RemoteRows(heads, rows);
  }
}
