package io.widerow.ingest;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.ZoneId;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One TCP connection of a syslog sender. It reads, decodes what is whole, hands it over, and reads
/// on only when that is written and there is credit for more: a slow disk slows the sender down.
///
/// - Threads: the connection's event loop.
final class SyslogConnection extends ChannelInboundHandlerAdapter {
  /// Bytes claimed before each read; more than the loop reads at a time.
  private static final int READ_BYTES_MAX = 64 << 10;

  private static final long RETRY_MILLIS = 5;

  private final SyslogReceiver receiver;
  private final SyslogDecoder decoder;
  private final SyslogFramer framer = new SyslogFramer(SyslogReceiver.FRAME_BYTES_MAX);
  private @Nullable Body rest; // the beginning of a frame

  SyslogConnection(SyslogReceiver receiver, ZoneId zone) {
    this.receiver = receiver;
    this.decoder = new SyslogDecoder(zone);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    readOn(context);
  }

  private void readOn(ChannelHandlerContext context) {
    if (receiver.intake().credit().bytesFree() >= READ_BYTES_MAX) {
      context.read();
    } else if (context.channel().isActive()) {
      var _ =
          context.executor().schedule(() -> readOn(context), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    Body body = rest != null ? rest : Body.take();
    rest = null;
    int length = bytes.readableBytes();
    int offset = body.reserve(length);
    bytes.readBytes(body.bytes(), offset, length);
    bytes.release();
    body.wrote(length);
    decode(context, body, false);
  }

  private void decode(ChannelHandlerContext context, Body body, boolean last) {
    Intake intake = receiver.intake();
    IncomingBatch batch = intake.lanes().begin(intake.epochNanos());
    int at = 0;
    int next = framer.next(body.bytes(), 0, body.length());
    while (next >= 0) {
      decoder.decode(body.bytes(), framer.offset, framer.limit, batch);
      at = next;
      next = framer.next(body.bytes(), at, body.length());
    }
    if (last && at < body.length()) { // the sender left without a last newline
      decoder.decode(body.bytes(), at, body.length(), batch);
      at = body.length();
    }
    keepRest(body, at);
    long held = batch.events.memory().byteSize();
    intake.credit().claimInDebt(held);
    if (next == SyslogFramer.BROKEN) {
      receiver.write(batch, held, () -> {});
      var _ = context.close();
    } else {
      receiver.write(batch, held, () -> context.executor().execute(() -> readOn(context)));
    }
  }

  private void keepRest(Body body, int at) {
    int left = body.length() - at;
    if (left > 0) {
      Body kept = Body.take();
      int offset = kept.reserve(left);
      System.arraycopy(body.bytes(), at, kept.bytes(), offset, left);
      kept.wrote(left);
      rest = kept;
    }
    body.give();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    Body left = rest;
    rest = null;
    if (left != null) {
      decode(context, left, true);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    var _ = context.close();
  }
}
