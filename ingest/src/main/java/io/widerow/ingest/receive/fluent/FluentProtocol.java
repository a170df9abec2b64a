package io.widerow.ingest.receive.fluent;

import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.socket.SocketProtocol;
import org.jspecify.annotations.Nullable;

/// Fluent Forward, version 1, over TCP and TLS. A message with a chunk is acknowledged when it is
/// as durable as the receiver says.
public final class FluentProtocol {
  private FluentProtocol() {}

  /// @param sharedKey that senders must know; null for none
  public static SocketProtocol of(Intake intake, byte @Nullable [] sharedKey) {
    return new SocketProtocol("fluent", () -> new FluentStream(intake, sharedKey), null);
  }
}
