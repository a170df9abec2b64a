package io.widerow.ingest.http;

import com.linecorp.armeria.common.Flags;
import com.linecorp.armeria.common.util.TransportType;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// The event loop on which an HTTP server accepts connections. It ends at once when the server has
/// closed its port. The server's own loop would wait two seconds for more tasks
/// ([io.netty.util.concurrent.EventExecutorGroup#shutdownGracefully()]), and delay each restart of
/// the daemon by as much.
///
/// - Threads: any.
/// - Memory: owned by the server, which ends it.
public final class AcceptLoop extends MultiThreadIoEventLoopGroup {
  private static final int END_SECONDS_MAX = 1;

  /// @param name of its thread, until the server gives it another
  public AcceptLoop(String name) {
    super(
        1,
        Thread.ofPlatform().name(name).factory(),
        Flags.transportType() == TransportType.EPOLL
            ? EpollIoHandler.newFactory()
            : NioIoHandler.newFactory());
  }

  @Override
  public Future<?> shutdownGracefully() {
    return shutdownGracefully(0, END_SECONDS_MAX, TimeUnit.SECONDS);
  }
}
