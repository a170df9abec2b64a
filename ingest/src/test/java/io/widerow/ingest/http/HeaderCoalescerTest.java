package io.widerow.ingest.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: headers leave with the first bytes of the body, alone when there are none yet, and nothing
/// stays behind. Method: an embedded channel writes as Armeria does, and what comes out is listed.
class HeaderCoalescerTest {
  private final List<String> out = new ArrayList<>();
  private final EmbeddedChannel channel =
      new EmbeddedChannel(new Recorder(), new ChannelInboundHandlerAdapter());
  private final ChannelHandlerContext writer = channel.pipeline().lastContext();

  HeaderCoalescerTest() {
    HeaderCoalescer.add(channel.pipeline());
  }

  /// Where the connection's encoder would be.
  private final class Recorder extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
        throws Exception {
      out.add(
          switch (message) {
            case FullHttpResponse full -> "whole " + full.status().code();
            case HttpResponse head -> "head " + head.status().code();
            case LastHttpContent _ -> "end";
            default -> "piece";
          });
      super.write(context, message, promise);
    }

    @Override
    public void flush(ChannelHandlerContext context) throws Exception {
      out.add("flush");
      super.flush(context);
    }
  }

  @AfterEach
  void close() {
    var _ = channel.finishAndReleaseAll();
  }

  private List<String> taken() {
    List<String> taken = List.copyOf(out);
    out.clear();
    return taken;
  }

  private static HttpResponse head(HttpResponseStatus status) {
    return new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
  }

  private static HttpContent piece() {
    return new DefaultHttpContent(Unpooled.copiedBuffer(new byte[] {1}));
  }

  @Test
  void headersWaitForTheBodyThatTheirWritingAsksFor() {
    ChannelFuture written = writer.write(head(HttpResponseStatus.OK));
    assertTrue(written.isSuccess(), "before anything was flushed");
    writer.flush();
    var _ = writer.write(piece());
    var _ = writer.write(new DefaultLastHttpContent());
    writer.flush();
    assertEquals(List.of("head 200", "piece", "end", "flush"), taken());
    channel.runPendingTasks();
    assertEquals(List.of(), taken(), "the task has nothing to do");
  }

  @Test
  void headersWithoutABodyYetLeaveWhenTheEventLoopIsDone() {
    var _ = writer.write(head(HttpResponseStatus.OK));
    writer.flush();
    writer.flush();
    assertEquals(List.of("head 200"), taken());
    channel.runPendingTasks();
    assertEquals(List.of("flush"), taken(), "once");
    var _ = writer.write(piece());
    writer.flush();
    assertEquals(List.of("piece", "flush"), taken());
  }

  @Test
  void whatNeedsNoBodyLeavesAtOnce() {
    var _ = writer.write(head(HttpResponseStatus.CONTINUE));
    writer.flush();
    assertEquals(List.of("head 100", "flush"), taken());
    var _ =
        writer.write(
            new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT));
    writer.flush();
    assertEquals(List.of("whole 204", "flush"), taken());
  }

  @Test
  void answersToRequestsThatFollowEachOtherKeepTheirOrder() {
    var _ = writer.write(head(HttpResponseStatus.OK));
    writer.flush();
    var _ = writer.write(new DefaultLastHttpContent());
    var _ = writer.write(head(HttpResponseStatus.NOT_FOUND));
    writer.flush();
    assertEquals(List.of("head 200", "end", "head 404"), taken());
    channel.runPendingTasks();
    assertEquals(List.of("flush"), taken(), "which takes both");
  }

  @Test
  void headersOnAClosedConnectionFail() {
    channel.close().syncUninterruptibly();
    ChannelFuture written = writer.write(head(HttpResponseStatus.OK));
    assertTrue(written.cause() instanceof ClosedChannelException, () -> "" + written.cause());
    writer.flush();
    channel.runPendingTasks();
  }
}
