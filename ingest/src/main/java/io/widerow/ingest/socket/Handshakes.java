package io.widerow.ingest.socket;

import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The connections of a receiver with a handshake in progress, of TLS or of the protocol. Each has
/// its time, and when there are [#PENDING_MAX], the one that has waited longest gives way to a new
/// one. So connections on which nothing comes do not keep good senders out.
///
/// - Threads: the receiver's event loop.
public final class Handshakes {
  static final int PENDING_MAX = 64;

  private final int seconds;
  private final Map<Channel, Pending> pending = new LinkedHashMap<>();

  private record Pending(Consumer<String> refuse, ScheduledFuture<?> late) {}

  /// @param seconds that a handshake may take
  public Handshakes(int seconds) {
    this.seconds = seconds;
  }

  /// @param refuse closes the connection, with a reason; called at most once, and not after [#end]
  public void begin(Channel channel, Consumer<String> refuse) {
    if (pending.size() == PENDING_MAX) {
      refuse(
          pending.keySet().iterator().next(),
          "gave way: %d handshakes are in progress".formatted(PENDING_MAX));
    }
    ScheduledFuture<?> late =
        channel
            .eventLoop()
            .schedule(
                () -> refuse(channel, "the handshake is not done after %d s".formatted(seconds)),
                seconds,
                TimeUnit.SECONDS);
    pending.put(channel, new Pending(refuse, late));
  }

  private void refuse(Channel channel, String reason) {
    Pending refused = pending.remove(channel);
    if (refused != null) {
      boolean _ = refused.late.cancel(false);
      refused.refuse.accept(reason);
    }
  }

  /// The handshake is done, or the connection is over.
  public void end(Channel channel) {
    Pending done = pending.remove(channel);
    if (done != null) {
      boolean _ = done.late.cancel(false);
    }
  }
}
