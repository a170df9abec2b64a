package io.widerow.ingest.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.intake.Body;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.Outcome;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One TCP connection of a sender. It reads, decodes the whole frames and hands them to the lanes.
/// It reads on only when these are stored and there is credit for more: a slow disk slows the
/// sender down, and a full one stops it.
///
/// ```
///   read --> rest + piece --> whole frames --> lanes --stored--> keep the rest, wait
///    ^                             ^             | |             for credit
///    |                             +-- 100 ms ---+ +--failed--> close        |
///    |                            ring or disk full                          |
///    +-----------------------------------------------------------------------+
/// ```
///
/// A batch that found no room is decoded and tried again, because the sender will not send it
/// again. When writing has ended the connection is closed, so that the sender keeps what it has.
///
/// - Threads: the connection's event loop.
final class StreamConnection extends ChannelInboundHandlerAdapter {
  /// Bytes claimed before each read; more than the loop reads at a time.
  private static final int READ_BYTES_MAX = 64 << 10;

  private static final long CREDIT_RETRY_MILLIS = 5;
  private static final long ROOM_RETRY_MILLIS = 100;

  private final SocketReceiver receiver;
  private final StreamDecoder decoder;
  private @Nullable Body rest; // the beginning of a frame
  private boolean busy; // a batch is with the lanes, and its body still in use
  private boolean left; // the sender is gone

  StreamConnection(SocketReceiver receiver, StreamDecoder decoder) {
    this.receiver = receiver;
    this.decoder = decoder;
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

  /// Hands over the whole frames of a body, and keeps the body until they are stored.
  ///
  /// @param last whether the sender has left, and no more bytes come
  private void decode(ChannelHandlerContext context, Body body, boolean last) {
    Intake intake = receiver.intake();
    IncomingBatch batch = intake.lanes().begin(intake.epochNanos());
    int at = 0;
    int next = decoder.decode(body.bytes(), 0, body.length(), batch);
    while (next >= 0) {
      at = next;
      next = decoder.decode(body.bytes(), at, body.length(), batch);
    }
    if (last && at < body.length()) {
      decoder.decodeLast(body.bytes(), at, body.length(), batch);
      at = body.length();
    }
    int whole = at;
    boolean broken = next == StreamDecoder.BROKEN;
    intake.lanes().applyRules(batch);
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

  /// Decodes what the sender sent last, unless our own stop cut it off in the middle of a frame.
  private void decodeRest(ChannelHandlerContext context) {
    Body body = rest;
    rest = null;
    if (body != null && receiver.isClosing()) {
      body.give();
    } else if (body != null) {
      decode(context, body, true);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    var _ = context.close();
  }
}
