package io.widerow.query.forward;

import io.widerow.query.QueryException;
import io.widerow.query.Token;

/// Where events are sent.
///
/// - Threads: one; any may call [#stop].
public interface ForwardTarget extends AutoCloseable {
  /// Hands an event over. It may wait for room, and keeps the order of events of one type.
  ///
  /// @param token of the event: equal when the event is sent again
  /// @param json the event, a line without its end
  /// @throws QueryException.Remote when the target does not take events; then nothing is known of
  ///   those handed over since the last [#flush]
  void send(String type, Token token, byte[] json);

  /// Waits until all events that were handed over are acknowledged.
  ///
  /// @throws QueryException.Remote when they are not
  void flush();

  /// Ends a wait for acknowledgements, which then fails.
  void stop();

  /// Drops what is not acknowledged.
  @Override
  void close();
}
