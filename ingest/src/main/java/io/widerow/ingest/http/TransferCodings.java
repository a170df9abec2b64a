package io.widerow.ingest.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.util.List;
import java.util.function.Predicate;

/// Refuses requests of HTTP/1.1 whose body would be read differently than its sender means: the
/// only supported transfer coding is `chunked`. Netty reads a request with another one as a request
/// without a body, and the bytes of its body as the next request (RFC 9112, section 6.3).
///
/// - Threads: the event loop of the connection.
final class TransferCodings extends ChannelInboundHandlerAdapter {
  private static final DecoderResult UNKNOWN =
      DecoderResult.failure(new IllegalArgumentException("Transfer-Encoding must be chunked"));

  private final Predicate<ChannelPipeline> http2;
  private boolean upgraded;

  /// @param http2 guards a connection that has changed to HTTP/2; false for any other
  TransferCodings(Predicate<ChannelPipeline> http2) {
    this.http2 = http2;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request && request.decoderResult().isSuccess()) {
      List<String> codings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
      if (!codings.isEmpty() && !isChunked(codings)) {
        request.setDecoderResult(UNKNOWN); // answered with 400, and the connection is closed
      }
    }
    context.fireChannelRead(message);
  }

  private static boolean isChunked(List<String> codings) {
    return codings.size() == 1 && codings.getFirst().strip().equalsIgnoreCase("chunked");
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    upgraded = upgraded || http2.test(context.pipeline());
    context.fireUserEventTriggered(event);
  }
}
