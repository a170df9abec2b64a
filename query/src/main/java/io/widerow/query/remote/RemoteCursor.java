package io.widerow.query.remote;

import io.widerow.event.EventView;
import io.widerow.query.QueryException;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The events of a daemon's answer to `GET /v1/query`, streamed. A response that has events but no
/// final token line was cut off, and is an error.
///
/// - Threads: one.
/// - Memory: one line.
public final class RemoteCursor implements EventCursor {
  /// A line has one of these members: that of an event, or that of the last line.
  private static final List<String> ENDS_OR_EVENT = List.of("id", "error", "token");

  private final RemoteResponse answer;
  private final boolean alwaysEnds; // with a final line
  private final boolean explains; // with a line of the read statistics after it
  private @Nullable LineEvent event;
  private @Nullable String unknown; // a line of a kind that only a newer daemon sends
  private boolean ended;
  private @Nullable String explain;
  private long events;

  private RemoteCursor(RemoteResponse answer, boolean alwaysEnds, boolean explains) {
    this.answer = answer;
    this.alwaysEnds = alwaysEnds;
    this.explains = explains;
  }

  public static RemoteCursor open(DaemonAddress daemon, Map<String, List<String>> parameters) {
    return new RemoteCursor(
        RemoteResponse.open(daemon, parameters), false, parameters.containsKey("explain"));
  }

  /// The events of `GET /v1/export`, whose response has a final token line also without events.
  public static RemoteCursor ofExport(DaemonAddress daemon, Map<String, List<String>> parameters) {
    return new RemoteCursor(RemoteResponse.open(daemon, "/v1/export", parameters), true, false);
  }

  /// A header of the response; null when the daemon does not send it.
  public @Nullable String header(String name) {
    return answer.header(name);
  }

  /// The line with the read statistics, after the last event; null when there is none.
  public @Nullable String explain() {
    return explain;
  }

  /// The response's position in the order of arrival; null when the daemon does not send it.
  public @Nullable String arrived() {
    return answer.arrived();
  }

  @Override
  public Step next() {
    if (ended) {
      return Step.END;
    }
    Map<String, Object> line = null;
    String text = answer.readLine();
    for (; text != null; text = answer.readLine()) {
      line = JsonLine.parse(text);
      if (ENDS_OR_EVENT.stream().anyMatch(line::containsKey)) {
        break;
      }
      unknown = text;
    }
    if (text == null || line == null) {
      ended = true;
      if (events > 0 || alwaysEnds) {
        throw new QueryException.Remote("the response of the daemon was cut off");
      }
      answer.requireDaemon(events, unknown);
      return Step.END;
    }
    if (!line.containsKey("id") && line.containsKey("error")) {
      ended = true;
      throw new QueryException.Remote(
          "the daemon ended its response: " + TextWriter.escaped("" + line.get("error")));
    }
    if (!line.containsKey("id") && line.containsKey("token")) {
      ended = true;
      explain = explains ? answer.explain() : null;
      return Step.END;
    }
    event = new LineEvent(line);
    events++;
    return Step.EVENT;
  }

  @Override
  public EventView event() {
    LineEvent current = event;
    if (current == null) {
      throw new IllegalStateException("no current event");
    }
    return current;
  }

  @Override
  public ScanStatistics statistics() {
    return new ScanStatistics(0, 0, 0, events, events);
  }

  @Override
  public void close() {
    ended = true;
    answer.close();
  }
}
