package io.widerow.loadgen.wire;

import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A connection that retries as careful senders do: it sends a batch whose response was lost again,
/// byte for byte, over a new connection, until there is a response or the time is over.
///
/// - Threads: one; another may call [#close], which ends the retries.
final class RetryingConnection implements Connection {
  private static final long PAUSE_NANOS = 20 * Quantity.MILLI;

  private final Endpoint endpoint;
  private final long patienceNanos;
  private volatile boolean closed;
  private volatile @Nullable Connection current;

  /// @param endpoint that the connections lead to
  RetryingConnection(Endpoint endpoint, long patienceNanos) {
    this.endpoint = endpoint;
    this.patienceNanos = patienceNanos;
  }

  @Override
  public Reply exchange(ByteBuffer head, ByteBuffer body, int events) throws IOException {
    long beganNanos = System.nanoTime();
    while (true) {
      try {
        Connection open = current;
        if (open == null) {
          open = endpoint.connect();
          current = open;
        }
        Reply reply = open.exchange(head, body, events);
        if (reply.failure() != Failure.OVERLOADED || isOver(beganNanos)) {
          return reply;
        }
      } catch (IOException lost) {
        disconnect();
        if (isOver(beganNanos)) {
          throw lost;
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private boolean isOver(long beganNanos) {
    return closed || System.nanoTime() - beganNanos > patienceNanos;
  }

  private void disconnect() {
    Connection open = current;
    if (open != null) {
      current = null;
      open.close();
    }
  }

  @Override
  public void close() {
    closed = true;
    disconnect();
  }
}
