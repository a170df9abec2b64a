package io.widerow.ingest;

import com.linecorp.armeria.common.Flags;
import com.linecorp.armeria.common.util.TransportType;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// The event loop on which an HTTP server takes connections. It ends at once when the server has
/// closed its address. One that the server makes waits two seconds for more tasks, by
/// [io.netty.util.concurrent.EventExecutorGroup#shutdownGracefully()], and so would whoever
/// restarts a daemon.
///
/// - Threads: any.
/// - Memory: the server that it is given to ends it.
final class AcceptLoop extends MultiThreadIoEventLoopGroup {
  private static final int END_SECONDS_MAX = 1;

  /// @param name of its thread until the server names it
  AcceptLoop(String name) {
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
