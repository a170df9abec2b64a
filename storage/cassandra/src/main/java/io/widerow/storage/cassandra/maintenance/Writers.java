package io.widerow.storage.cassandra.maintenance;

import io.widerow.storage.cassandra.keyspace.DaemonRow;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The daemons at one moment: how far each has applied, and what may still come.
///
/// @param daemons all that ever registered
/// @param nowMillis when they were read, in milliseconds since the Unix epoch
record Writers(List<DaemonRow> daemons, long nowMillis) {
  /// A daemon that has not been seen for so long is silent: what it has not applied is unknown.
  static final long SILENT_MILLIS = 120_000;

  /// The stamp of the last round that each daemon had applied.
  Map<Integer, Long> stamps() {
    return daemons.stream()
        .collect(Collectors.toMap(DaemonRow::daemon, row -> row.applied().stamp()));
  }

  /// Why events that came before an instant may not be applied yet, for people; null when all are.
  /// A daemon that was released has none.
  ///
  /// @param millis since the Unix epoch
  @Nullable String unappliedBefore(long millis) {
    for (DaemonRow row : daemons) {
      if (row.owner() == null) {
        continue;
      }
      if (row.seenMillis() < nowMillis - SILENT_MILLIS) {
        return "daemon %d (%s) is silent since %s"
            .formatted(row.daemon(), row.host(), Instant.ofEpochMilli(row.seenMillis()));
      }
      if (row.oldestMillis() != 0 && row.oldestMillis() < millis) {
        return "daemon %d (%s) has not applied events of %s yet"
            .formatted(row.daemon(), row.host(), Instant.ofEpochMilli(row.oldestMillis()));
      }
    }
    return null;
  }
}
