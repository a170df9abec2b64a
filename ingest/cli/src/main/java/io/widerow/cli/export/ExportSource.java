package io.widerow.cli.export;

import io.widerow.cli.Shell;
import io.widerow.cli.ShownTimes;
import io.widerow.query.QueryMemory;
import io.widerow.query.export.ExportCursor;
import io.widerow.query.export.ExportRequest;
import io.widerow.query.export.RemoteExport;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where the events of an export come from: a daemon, a stopped store or a cluster.
///
/// - Threads: one.
///
/// @param cursor the events, oldest first
/// @param until end of their range, exclusive, RFC 3339
/// @param expected how many there are at most; 0 when that is not known
/// @param store closed with the cursor; null when a daemon is asked
record ExportSource(EventCursor cursor, String until, long expected, @Nullable EventStore store)
    implements AutoCloseable {

  /// @param asked parameters of `GET /v1/export`, with `now`
  static ExportSource open(ExportCommand options, Map<String, List<String>> asked, Shell shell) {
    ExportRequest question = ExportRequest.parse(asked, ShownTimes.nowNanos());
    EventStore store = options.source.open(options.daemon, shell);
    if (store == null) {
      RemoteExport remote = new RemoteExport(options.daemon.address(shell), asked);
      return new ExportSource(remote, remote.until(), remote.eventsExpected(), null);
    }
    try {
      try (StoreView view = store.view()) {
        question.warnings(view).forEach(warning -> shell.err().println("widerow: " + warning));
      }
      ExportCursor cursor =
          new ExportCursor(
              store::view,
              question.query(),
              QueryMemory.unlimited(),
              ShownTimes.nowNanos(),
              ExportCursor.KEPT,
              System::nanoTime);
      String until = Instant.EPOCH.plusNanos(cursor.untilNanos()).toString();
      return new ExportSource(cursor, until, cursor.eventsExpected(), store);
    } catch (Throwable failure) {
      store.close();
      throw failure;
    }
  }

  @Override
  public void close() {
    cursor.close();
    EventStore opened = store;
    if (opened != null) {
      opened.close();
    }
  }
}
