package io.widerow.ingest.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslClientHelloHandler;
import java.util.Map;
import java.util.function.Predicate;

/// Waits until a connection shows its protocol, and then adds the guard of that protocol: a given
/// one for HTTP/2, [TransferCodings] for HTTP/1.1.
///
/// ```
///   TLS:    ConnectionGuard  SslHandler  *  ...  codec      asked before the first decrypted bytes
///   plain:  ConnectionGuard  *  ...  codec                  asked after the first 4 bytes
/// ```
///
/// Armeria picks the codec by the protocol that TLS agreed on, or by the first 4 bytes. A plain
/// connection may still change to HTTP/2 (`Upgrade: h2c`); [TransferCodings] notices that.
///
/// - Threads: the event loop of the connection.
final class ProtocolWatch extends ChannelInboundHandlerAdapter {
  private static final int DECIDING_BYTES = 4;
  private static final String HTTP1_DECODER = "Http1RequestDecoder"; // of Armeria, not public

  private final boolean tls;
  private final Predicate<ChannelPipeline> http2;
  private int seen; // of a plain connection, as many as decide

  /// @param http2 guards a connection that speaks HTTP/2, and returns false for any other
  private ProtocolWatch(boolean tls, Predicate<ChannelPipeline> http2) {
    this.tls = tls;
    this.http2 = http2;
  }

  /// Adds itself to the pipeline of a new connection.
  ///
  /// @param after name of the handler that it follows on a plain connection
  static void watch(
      ChannelPipeline pipeline, String after, boolean tls, Predicate<ChannelPipeline> http2) {
    ChannelHandlerContext hello =
        tls ? pipeline.context(SslClientHelloHandler.class) : null; // SslHandler replaces it
    String before = hello == null ? after : hello.name();
    pipeline.addAfter(before, null, new ProtocolWatch(tls, http2));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!(message instanceof ByteBuf bytes) || (tls && isSettled(context.pipeline()))) {
      context.fireChannelRead(message);
      return;
    }
    int missing = tls ? 0 : Math.clamp(DECIDING_BYTES - seen, 0, bytes.readableBytes());
    if (missing > 0) {
      seen += missing;
      context.fireChannelRead(bytes.readRetainedSlice(missing));
      boolean _ = isSettled(context.pipeline());
    }
    context.fireChannelRead(bytes);
  }

  private boolean isSettled(ChannelPipeline pipeline) {
    boolean settled = http2.test(pipeline) || isHttp1(pipeline);
    if (settled) {
      pipeline.remove(this);
    }
    return settled;
  }

  private boolean isHttp1(ChannelPipeline pipeline) {
    for (Map.Entry<String, ChannelHandler> each : pipeline) {
      if (each.getValue().getClass().getSimpleName().equals(HTTP1_DECODER)) {
        pipeline.addBefore(each.getKey(), null, new TransferCodings(http2));
        return true;
      }
    }
    return false;
  }
}
