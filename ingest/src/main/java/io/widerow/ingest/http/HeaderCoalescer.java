package io.widerow.ingest.http;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;

/// Lets the headers of an HTTP/1 response leave with the first bytes of its body. Armeria asks for
/// the body when the headers are written, and thus flushed: two system calls, and a client that
/// wakes up twice, for each answer to a small batch. Here the headers count as written as soon as
/// they are queued, and their flush waits for the body, at most until the event loop has done what
/// it is about to do.
///
/// ```
///   Armeria    headers | flush ... written | body | flush
///   with this  headers | body | flush
/// ```
///
/// Headers that are queued and cannot be sent later fail nothing here: the connection fails, and
/// what follows them on it.
///
/// - Threads: the connection's event loop.
public final class HeaderCoalescer extends ChannelOutboundHandlerAdapter {
  private boolean headAlone; // headers are queued, and nothing after them
  private boolean flushLater; // a task will flush

  private HeaderCoalescer() {}

  /// Adds the handler with the first request of a connection that speaks HTTP/1: when the
  /// connection opens, TLS may have to decide that first. On the connection's event loop.
  public static void begin(ServiceRequestContext context) {
    Channel channel = context.log().partial().channel();
    if (channel != null
        && !context.sessionProtocol().isMultiplex()
        && channel.pipeline().get(HeaderCoalescer.class) == null) {
      add(channel.pipeline());
    }
  }

  /// Adds the handler between Armeria's last one, which writes responses and flushes, and the
  /// handlers that encode them.
  static void add(ChannelPipeline pipeline) {
    pipeline.addBefore(pipeline.lastContext().name(), null, new HeaderCoalescer());
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    headAlone = isHead(message);
    if (!headAlone) {
      var _ = context.write(message, promise); // the promise has the outcome
      return;
    }
    ChannelFuture queued = context.write(message);
    if (queued.cause() == null) {
      promise.trySuccess();
    } else {
      promise.tryFailure(queued.cause());
    }
  }

  private static boolean isHead(Object message) {
    return message instanceof HttpResponse response
        && !(message instanceof LastHttpContent)
        && response.status().codeClass() != HttpStatusClass.INFORMATIONAL;
  }

  @Override
  public void flush(ChannelHandlerContext context) {
    if (!headAlone) {
      context.flush();
    } else if (!flushLater) {
      flushLater = true;
      context
          .executor()
          .execute(() -> {
            flushLater = false;
            if (headAlone) {
              headAlone = false;
              context.flush();
            }
          });
    }
  }
}
