package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.json.JsonNode;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.ClusterReport.Member;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The state of all daemons, from `cluster` of a daemon's `GET /v1/status`.
public final class RemoteCluster {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private RemoteCluster() {}

  /// All daemons of the cluster that the asked one is of; null when it is of none. Waits two
  /// seconds at most.
  ///
  /// @throws QueryException.Remote when it does not answer, or refuses
  public static @Nullable List<Member> daemons(DaemonAddress daemon) {
    try (HttpClient client = daemon.client()) {
      HttpResponse<String> answer =
          client.send(
              daemon.request("/v1/status").timeout(PATIENCE).GET().build(),
              BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw daemon.refused(answer.statusCode(), answer.body().strip());
      }
      return members(answer.body());
    } catch (IOException unreachable) {
      throw daemon.unreachable(unreachable);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new QueryException.Stopped("interrupted while waiting for " + daemon);
    }
  }

  private static @Nullable List<Member> members(String status) {
    List<JsonNode> daemons = JsonLine.array(status, "daemons");
    if (daemons == null) {
      return null;
    }
    List<Member> members = new ArrayList<>();
    for (Map<String, Cell> one : daemons.stream().map(JsonLine::cells).toList()) {
      try {
        members.add(
            new Member(
                Integer.parseInt(text(one, "daemon")),
                text(one, "host"),
                text(one, "applied"),
                millis(text(one, "oldest")),
                millis(text(one, "seen"))));
      } catch (NumberFormatException | DateTimeException notOurs) {
        throw new QueryException.Remote(
            "the daemon's status has one that is no daemon: " + TextWriter.escaped("" + one));
      }
    }
    return members;
  }

  private static String text(Map<String, Cell> members, String name) {
    return members.getOrDefault(name, Cell.MISSING).text();
  }

  private static long millis(String time) {
    return time.isEmpty() ? 0 : Instant.parse(time).toEpochMilli();
  }
}
