package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.TypeInfo;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A daemon's answer to `GET /v1/types`.
public final class RemoteTypes {
  /// Members of a line of a type, and of the line of an error. A line with none of them is of a
  /// kind that only a newer daemon sends.
  private static final List<String> KINDS = List.of("type", "first", "last", "events", "error");

  private RemoteTypes() {}

  /// @param globs which types are asked for; empty for all
  public static List<TypeInfo> ask(DaemonAddress daemon, List<String> globs) {
    List<TypeInfo> types = new ArrayList<>();
    String unknown = null;
    try (RemoteResponse answer =
        RemoteResponse.open(
            daemon, "/v1/types", globs.isEmpty() ? Map.of() : Map.of("type", globs))) {
      for (String line = answer.readLine(); line != null; line = answer.readLine()) {
        Map<String, Cell> members = new HashMap<>();
        JsonLine.cells(line).forEach(member -> members.put(member.getKey(), member.getValue()));
        if (KINDS.stream().anyMatch(members::containsKey)) {
          types.add(type(members, line));
        } else {
          unknown = line;
        }
      }
      answer.requireDaemon(types.size(), unknown);
    }
    return types;
  }

  /// A type without its name or a time of an event is none; anything else may be missing.
  private static TypeInfo type(Map<String, Cell> line, String text) {
    try {
      Cell events = line.getOrDefault("events", Cell.MISSING);
      Cell bytes = line.getOrDefault("bytes", Cell.MISSING);
      return new TypeInfo(
          cell(line, "type").text(),
          events.kind() == Cell.Kind.MISSING
              ? PartitionInfo.EVENTS_UNKNOWN
              : Long.parseLong(events.text()),
          bytes.kind() == Cell.Kind.MISSING ? 0 : Long.parseLong(bytes.text()),
          nanos(cell(line, "first").text()),
          nanos(cell(line, "last").text()));
    } catch (NumberFormatException | DateTimeException notOurs) {
      throw new QueryException.Remote(
          "the response of the daemon has a line that is no type: " + TextWriter.escaped(text));
    }
  }

  private static Cell cell(Map<String, Cell> line, String name) {
    Cell cell = line.get(name);
    if (cell == null) {
      throw new NumberFormatException("without " + name);
    }
    return cell;
  }

  private static long nanos(String text) {
    Instant time = Instant.parse(text);
    return time.getEpochSecond() * 1_000_000_000L + time.getNano();
  }
}
