package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.output.TextWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A table that a daemon sends: JSON lines with the same members in each. Members are found by
/// their names: a newer daemon may send more of them, which are ignored, and an older one fewer,
/// whose cells are empty. A line with none of them is of a kind that only a newer daemon sends, and
/// is ignored as well.
///
/// @param heads names of the members; the expected names when there are no rows
public record RemoteRows(List<String> heads, List<List<Cell>> rows) {
  private static final String ERROR = "error";

  /// Asks for a table.
  ///
  /// @param heads the members of a line, in the order of the cells
  /// @throws QueryException.Remote when no line has any of them and the server is no daemon
  public static RemoteRows ask(DaemonAddress daemon, String path, List<String> heads) {
    try (RemoteResponse answer = RemoteResponse.open(daemon, path, Map.of())) {
      return of(answer, heads);
    }
  }

  /// The first row of a table that has at least one.
  ///
  /// @throws QueryException.Remote when there is none
  public List<Cell> first() {
    if (rows.isEmpty()) {
      throw new QueryException.Remote(
          "the response of the daemon has no row of %s".formatted(heads));
    }
    return rows.getFirst();
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

  /// The same by `POST` with a text.
  public static RemoteRows post(
      DaemonAddress daemon,
      String path,
      Map<String, List<String>> parameters,
      String body,
      List<String> heads) {
    try (RemoteResponse answer = RemoteResponse.post(daemon, path, parameters, body)) {
      return of(answer, heads);
    }
  }

  private static RemoteRows of(RemoteResponse answer, List<String> heads) {
    List<List<Cell>> rows = new ArrayList<>();
    String unknown = null;
    for (String line = answer.readLine(); line != null; line = answer.readLine()) {
      List<Cell> row = row(JsonLine.cells(line), heads);
      if (row == null) {
        unknown = line;
      } else {
        rows.add(row);
      }
    }
    answer.requireDaemon(rows.size(), unknown);
    return new RemoteRows(heads, rows);
  }

  /// The cells of a line in the order of `heads`. A name may occur more than once in them.
  ///
  /// @return null when the line has none of them
  /// @throws QueryException.Remote when the line is an error, with that error
  static @Nullable List<Cell> row(List<Map.Entry<String, Cell>> members, List<String> heads) {
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
    boolean isUnknown = left.size() == members.size();
    if (isError || isUnknown) {
      for (Map.Entry<String, Cell> member : members) {
        requireNoError(member);
      }
    }
    return isUnknown ? null : row;
  }

  private static void requireNoError(Map.Entry<String, Cell> member) {
    if (isError(member)) {
      throw new QueryException.Remote(
          "the daemon ended its response: " + TextWriter.escaped(member.getValue().text()));
    }
  }

  private static boolean isError(Map.Entry<String, Cell> member) {
    return member.getKey().equals(ERROR);
  }

  /// A table and its sums, a table of one line.
  public record Summed(RemoteRows rows, RemoteRows sums) {}

  /// Asks for a table whose last line has the sums.
  ///
  /// @param sumHeads the members of that line
  /// @throws QueryException.Remote when there is no such line
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
    List<List<Map.Entry<String, Cell>>> lines = new ArrayList<>();
    Set<String> known = new HashSet<>(heads);
    known.addAll(sumHeads);
    known.add(ERROR);
    try (RemoteResponse answer = RemoteResponse.open(daemon, method, path, parameters)) {
      for (String line = answer.readLine(); line != null; line = answer.readLine()) {
        List<Map.Entry<String, Cell>> members = JsonLine.cells(line);
        if (members.stream().map(Map.Entry::getKey).anyMatch(known::contains)) {
          lines.add(members);
        }
      }
    }
    List<Cell> sums = lines.isEmpty() ? null : row(lines.removeLast(), sumHeads);
    if (sums == null) {
      throw new QueryException.Remote("the response of the daemon has no line with the sums");
    }
    return new Summed(
        new RemoteRows(
            heads, lines.stream().map(line -> row(line, heads)).filter(Objects::nonNull).toList()),
        new RemoteRows(sumHeads, List.of(sums)));
  }
}
