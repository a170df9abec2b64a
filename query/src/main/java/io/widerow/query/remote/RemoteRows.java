package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.output.TextWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A table that a daemon sends: JSON lines with the same members in each. Members are found by
/// their names: a newer daemon may send more of them, which are ignored, and an older one fewer,
/// whose cells are empty.
///
/// @param heads names of the members; the expected names when there are no rows
public record RemoteRows(List<String> heads, List<List<Cell>> rows) {
  /// Asks for a table.
  ///
  /// @param heads the members of a line, in the order of the cells
  /// @throws QueryException.Remote when a line has none of them
  public static RemoteRows ask(DaemonAddress daemon, String path, List<String> heads) {
    try (RemoteResponse answer = RemoteResponse.open(daemon, path, Map.of())) {
      return of(answer, heads);
    }
  }

  /// Asks for lines, as they are.
  public static List<String> lines(DaemonAddress daemon, String path) {
    List<String> lines = new ArrayList<>();
    try (RemoteResponse answer = RemoteResponse.open(daemon, path, Map.of())) {
      for (String line = answer.readLine(); line != null; line = answer.readLine()) {
        lines.add(line);
      }
    }
    return lines;
  }

  /// Asks for a change, which a table answers.
  ///
  /// @param method such as `PUT`
  /// @throws QueryException when the daemon refuses it, or answers something else
  public static RemoteRows change(
      DaemonAddress daemon,
      String method,
      String path,
      Map<String, List<String>> parameters,
      List<String> heads) {
    try (RemoteResponse answer = RemoteResponse.open(daemon, method, path, parameters)) {
      return of(answer, heads);
    }
  }

  private static RemoteRows of(RemoteResponse answer, List<String> heads) {
    List<List<Cell>> rows = new ArrayList<>();
    for (String line = answer.readLine(); line != null; line = answer.readLine()) {
      rows.add(row(line, heads));
    }
    return new RemoteRows(heads, rows);
  }

  private static List<Cell> row(String line, List<String> heads) {
    return row(JsonLine.cells(line), heads, line);
  }

  /// The cells of a line in the order of `heads`. A name may occur more than once in them.
  ///
  /// @throws QueryException.Remote when the line has none of them, or is an error, with that error
  static List<Cell> row(List<Map.Entry<String, Cell>> members, List<String> heads, String line) {
    List<Map.Entry<String, Cell>> left = new ArrayList<>(members);
    List<Cell> row = new ArrayList<>();
    for (String head : heads) {
      int at = 0;
      while (at < left.size() && !left.get(at).getKey().equals(head)) {
        at++;
      }
      row.add(at < left.size() ? left.remove(at).getValue() : Cell.MISSING);
    }
    boolean isError = members.size() == 1 && heads.size() > 1 && isError(members.getFirst());
    if (isError || left.size() == members.size()) {
      throw members.stream()
          .filter(RemoteRows::isError)
          .findFirst()
          .map(error ->
              "the daemon ended its response: " + TextWriter.escaped(error.getValue().text()))
          .map(QueryException.Remote::new)
          .orElseGet(() ->
              new QueryException.Remote(
                  "the response of the daemon has none of the expected members: "
                      + TextWriter.escaped(line)));
    }
    return row;
  }

  private static boolean isError(Map.Entry<String, Cell> member) {
    return member.getKey().equals("error");
  }

  /// A table and its sums, a table of one line.
  public record Summed(RemoteRows rows, RemoteRows sums) {}

  /// Asks for a table whose last line has the sums.
  ///
  /// @param sumHeads the members of that line
  /// @throws QueryException.Remote when a line has others, or there is none
  public static Summed askSummed(
      DaemonAddress daemon, String path, List<String> heads, List<String> sumHeads) {
    return changeSummed(daemon, "GET", path, Map.of(), heads, sumHeads);
  }

  /// The same with another method, such as `POST`.
  public static Summed changeSummed(
      DaemonAddress daemon,
      String method,
      String path,
      Map<String, List<String>> parameters,
      List<String> heads,
      List<String> sumHeads) {
    List<String> lines = new ArrayList<>();
    try (RemoteResponse answer = RemoteResponse.open(daemon, method, path, parameters)) {
      for (String line = answer.readLine(); line != null; line = answer.readLine()) {
        lines.add(line);
      }
    }
    if (lines.isEmpty()) {
      throw new QueryException.Remote("the response of the daemon is empty");
    }
    List<Cell> sums = row(lines.removeLast(), sumHeads);
    return new Summed(
        new RemoteRows(heads, lines.stream().map(line -> row(line, heads)).toList()),
        new RemoteRows(sumHeads, List.of(sums)));
  }
}
