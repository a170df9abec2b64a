package io.widerow.query.export;

import io.widerow.event.EventView;
import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.RemoteCursor;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The events of a daemon's export, streamed, each with all stored attributes. When a result
/// breaks, as when the daemon is started again, it asks for the rest, a few times.
///
/// - Threads: one.
/// - Memory: one line.
public final class RemoteExport implements EventCursor {
  /// Headers of the result: the end of its range (RFC 3339, exclusive), and how many events there
  /// are at most (0 when the daemon does not know).
  public static final String UNTIL = "widerow-export-to";

  public static final String EXPECTED = "widerow-export-events";

  private static final int ATTEMPTS = 6; // without an event
  private static final long WAIT_MILLIS = 100; // then twice as long, and so on

  private final DaemonAddress daemon;
  private final Map<String, List<String>> parameters;
  private RemoteCursor answer;
  private final String until;
  private final long eventsExpected;
  private @Nullable EventView last;
  private long events;
  private int failures; // since the last event

  /// @param parameters of `GET /v1/export`, without a format
  public RemoteExport(DaemonAddress daemon, Map<String, List<String>> parameters) {
    this.daemon = daemon;
    this.parameters = new LinkedHashMap<>(parameters);
    this.answer = RemoteCursor.ofExport(daemon, parameters);
    try {
      until = text(answer, UNTIL);
      eventsExpected = number(answer, EXPECTED);
    } catch (QueryException failure) {
      answer.close();
      throw failure;
    }
    this.parameters.put("to", List.of(until));
  }

  private static String text(RemoteCursor answer, String header) {
    String text = answer.header(header);
    if (text == null) {
      throw new QueryException.Remote("the daemon's response has no header " + header);
    }
    return text;
  }

  private static long number(RemoteCursor answer, String header) {
    String text = text(answer, header);
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException no) {
      throw new QueryException.Remote("%s: must be a number, got %s".formatted(header, text));
    }
  }

  /// End of the range, exclusive, RFC 3339.
  public String until() {
    return until;
  }

  /// An upper bound of the number of events; 0 when it is unknown.
  public long eventsExpected() {
    return eventsExpected;
  }

  @Override
  public Step next() {
    while (true) {
      try {
        Step step = answer.next();
        if (step == Step.EVENT) {
          last = answer.event();
          events++;
          failures = 0;
        }
        return step;
      } catch (QueryException.Remote broken) {
        goOn(broken);
      }
    }
  }

  private void goOn(QueryException.Remote broken) {
    answer.close();
    EventView position = last;
    if (position != null) {
      parameters.put("after", List.of(Token.of(position).toString()));
    }
    QueryException.Remote why = broken;
    while (failures < ATTEMPTS) {
      pause(WAIT_MILLIS << failures);
      failures++;
      try {
        answer = RemoteCursor.ofExport(daemon, parameters);
        return;
      } catch (QueryException.Remote again) {
        why = again;
      }
    }
    throw why;
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new QueryException.Stopped("interrupted while waiting for the daemon");
    }
  }

  @Override
  public EventView event() {
    return answer.event();
  }

  @Override
  public ScanStatistics statistics() {
    return new ScanStatistics(0, 0, 0, events, events);
  }

  @Override
  public void close() {
    answer.close();
  }
}
