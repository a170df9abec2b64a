package io.widerow.cql.events;

import io.widerow.cql.schema.RequestPrincipal;
import java.util.List;

/// The way of events into the store.
///
/// - Threads: any; the caller waits.
public interface EventIntake {
  /// Takes events in, and returns when they are stored as durably as the daemon promises.
  ///
  /// @throws io.widerow.cql.CqlException when they are refused, or there is no room now
  void take(List<NewEvent> events, RequestPrincipal asker);
}
