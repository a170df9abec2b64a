package io.widerow.ingest;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.ZoneId;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One TCP connection of a syslog sender. It reads, decodes what is whole, hands it over, and reads
/// on only when that is stored and there is credit for more: a slow disk slows the sender down, and
/// a full one stops it. What found no room is tried again, for the sender will not send it twice.
/// When writing has ended the connection is closed, so that the sender keeps what it has.
///
/// - Threads: the connection's event loop.
final class SyslogConnection extends ChannelInboundHandlerAdapter {
  /// Bytes claimed before each read; more than the loop reads at a time.
  private static final int READ_BYTES_MAX = 64 << 10;

  private static final long CREDIT_RETRY_MILLIS = 5;
  private static final long ROOM_RETRY_MILLIS = 100;

  private final SyslogReceiver receiver;
  private final SyslogDecoder decoder;
  private final SyslogFramer framer = new SyslogFramer(SyslogReceiver.FRAME_BYTES_MAX);
  private @Nullable Body rest; // the beginning of a frame
  private boolean busy; // a piece is with the lanes, and its body not given back
  private boolean left; // the sender is gone

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
          context
              .executor()
              .schedule(() -> readOn(context), CREDIT_RETRY_MILLIS, TimeUnit.MILLISECONDS);
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

  /// Hands over what is whole of a body, and keeps the body until that is stored.
  ///
  /// @param last the sender left, perhaps without a last newline
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
    if (last && at < body.length()) {
      decoder.decode(body.bytes(), at, body.length(), batch);
      at = body.length();
    }
    int whole = at;
    boolean broken = next == SyslogFramer.BROKEN;
    long held = batch.events.memory().byteSize();
    intake.credit().claimInDebt(held);
    busy = true;
    receiver.write(
        batch,
        held,
        outcome ->
            context.executor().execute(() -> written(context, body, whole, last, broken, outcome)));
  }

  private void written(
      ChannelHandlerContext context,
      Body body,
      int whole,
      boolean last,
      boolean broken,
      Outcome outcome) {
    switch (outcome) {
      case Outcome.Stored _ -> {
        busy = false;
        keepRest(body, whole);
        if (left) {
          decodeRest(context);
        } else if (broken) {
          var _ = context.close();
        } else {
          readOn(context);
        }
      }
      case Outcome.Overloaded(), Outcome.DiskFull _ -> {
        if (receiver.isClosing()) {
          body.give();
        } else {
          var _ =
              context
                  .executor()
                  .schedule(
                      () -> decode(context, body, last), ROOM_RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
      }
      case Outcome.Failed _ -> {
        busy = false;
        body.give();
        var _ = context.close();
      }
    }
  }

  private void keepRest(Body body, int at) {
    int count = body.length() - at;
    if (count > 0) {
      Body kept = Body.take();
      int offset = kept.reserve(count);
      System.arraycopy(body.bytes(), at, kept.bytes(), offset, count);
      kept.wrote(count);
      rest = kept;
    }
    body.give();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    left = true;
    if (!busy) {
      decodeRest(context);
    }
  }

  /// The sender's last words, unless it was cut off in the middle of them by our own stop.
  private void decodeRest(ChannelHandlerContext context) {
    Body words = rest;
    rest = null;
    if (words != null && receiver.isClosing()) {
      words.give();
    } else if (words != null) {
      decode(context, words, true);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    var _ = context.close();
  }
}
