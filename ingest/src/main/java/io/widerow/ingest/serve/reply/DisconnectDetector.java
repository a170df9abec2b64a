package io.widerow.ingest.serve.reply;

import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.GenericFutureListener;

/// Aborts responses whose client has closed its connection. Armeria does so at once for HTTP/2, but
/// only after a second for HTTP/1 (`HttpServerHandler.cleanup`, 1.40): a page that replaces its
/// query by a newer one would pay a second of computing for each.
public final class DisconnectDetector {
  private DisconnectDetector() {}

  /// Aborts the response as soon as the connection of its request is closed. Does nothing for a
  /// request that shares its connection. Any thread.
  public static void endsAnswer(ServiceRequestContext context, HttpResponse response) {
    Channel channel = context.log().partial().channel();
    if (channel == null || context.sessionProtocol().isMultiplex()) {
      return;
    }
    GenericFutureListener<ChannelFuture> abort = _ -> response.abort(ClosedSessionException.get());
    ChannelFuture closed = channel.closeFuture();
    var _ = closed.addListener(abort);
    // A connection is used for many requests; each takes its listener away again.
    var _ = response.whenComplete().whenComplete((_, _) -> closed.removeListener(abort));
  }
}
