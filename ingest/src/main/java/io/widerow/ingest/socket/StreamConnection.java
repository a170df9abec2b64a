package io.widerow.ingest.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.widerow.ingest.intake.Body;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One TCP connection of a sender. It reads, decodes the whole frames and hands them to the lanes.
/// It responds and continues to read only when these are stored and there is credit for more: a
/// slow disk slows the sender down, and a full one stops it.
///
/// ```
///   read --> rest + piece --> whole frames --> lanes --stored--> answer, keep the rest,
///    ^                             ^             | |             wait for credit
///    |                             +-- 100 ms ---+ +--failed--> close     |
///    |                            ring or disk full                       |
///    +--------------------------------------------------------------------+
/// ```
///
/// A batch that found no room is decoded and tried again, because the sender will not send it
/// again. When writing has ended the connection is closed, so that the sender keeps what it has.
///
/// TLS where none is spoken, plain bytes where TLS is, and a handshake that fails or is never done
/// close the connection, and are counted and logged.
///
/// - Threads: the connection's event loop.
final class StreamConnection extends ChannelInboundHandlerAdapter {
  /// Bytes that must be free before each read; more than the loop reads at a time.
  static final int READ_BYTES_MAX = 64 << 10;

  private static final int TLS_HANDSHAKE = 22;
  private static final int TLS_MAJOR = 3;
  private static final int TLS_MINOR_MAX = 4;
  private static final long CREDIT_RETRY_MILLIS = 5;
  private static final long ROOM_RETRY_MILLIS = 100;

  private final SocketReceiver receiver;
  private final StreamDecoder decoder;
  private final @Nullable SslHandler secret; // null without TLS
  private final FrameCredit frame;
  private String address = "";
  private @Nullable String certificate; // the name in that of the sender
  private boolean secure; // the handshake of TLS is done
  private boolean known; // there is no handshake to wait for any more
  private boolean begun; // the first bytes are not those of TLS
  private boolean refused;
  private @Nullable Body rest; // the beginning of a frame, and what came after it
  private boolean fresh; // some of that was not decoded yet
  private boolean busy; // a group is with the lanes, and its body still in use
  private boolean left; // the sender is gone
  private boolean waitsForReader; // of our answers

  /// @param secret the TLS of the connection; null for none
  StreamConnection(SocketReceiver receiver, StreamDecoder decoder, @Nullable SslHandler secret) {
    this.receiver = receiver;
    this.decoder = decoder;
    this.secret = secret;
    this.begun = secret != null;
    this.frame = new FrameCredit(receiver);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    address = SocketReceiver.address(context.channel());
    known = secret == null && decoder.isSenderKnown();
    if (!known) {
      receiver.handshakes().begin(context.channel(), reason -> refuse(context, reason));
    }
    byte[] greeting = decoder.greeting();
    if (greeting.length > 0) {
      var _ = context.writeAndFlush(Unpooled.wrappedBuffer(greeting));
    }
    readOn(context);
  }

  private void lookWhetherKnown(ChannelHandlerContext context) {
    if (!known && (secret == null || secure) && decoder.isSenderKnown()) {
      known = true;
      receiver.handshakes().end(context.channel());
    }
  }

  /// Returns the name under which the events are counted: the proven one, else the address.
  private String sender() {
    String proven = certificate != null ? certificate : decoder.sender();
    return proven != null ? proven : address;
  }

  /// Closes the connection without taking what has come and was not decoded.
  private void refuse(ChannelHandlerContext context, String reason) {
    if (!refused) {
      refused = true;
      receiver.refuse(sender(), reason);
      Body body = rest;
      rest = null;
      if (body != null) {
        forget(body);
      }
      var _ = context.close();
    }
  }

  private void readOn(ChannelHandlerContext context) {
    if (!context.channel().isWritable()) {
      waitsForReader = true;
      frame.excuse();
    } else if (frame.mayRead()) {
      context.read();
    } else if (context.channel().isActive()) {
      var _ =
          context
              .executor()
              .schedule(() -> readOn(context), CREDIT_RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (waitsForReader && context.channel().isWritable()) {
      waitsForReader = false;
      readOn(context);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (refused) {
      bytes.release();
      return;
    }
    Body body = rest != null ? rest : Body.take();
    rest = body;
    fresh = true;
    int length = bytes.readableBytes();
    int offset = body.reserve(length);
    bytes.readBytes(body.bytes(), offset, length);
    bytes.release();
    body.wrote(length);
    frame.received(length);
  }

  /// One read may be several pieces: TLS has records.
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (!busy && fresh) {
      decodeRest(context, false);
    }
  }

  /// Hands over the whole frames of the rest, and keeps their body until they are stored.
  ///
  /// @param last whether the sender has left, and no more bytes come
  private void decodeRest(ChannelHandlerContext context, boolean last) {
    Body body = rest;
    if (body == null) {
      return;
    }
    if (!begun && isTls(body)) {
      refuse(context, "the sender speaks TLS, which is not spoken at this address");
      return;
    }
    rest = null;
    fresh = false;
    busy = true;
    new Decoding(context, body, last).group.begin();
  }

  /// Whether a connection begins as those of TLS do: a record with a handshake.
  private boolean isTls(Body body) {
    byte[] bytes = body.bytes();
    begun = bytes[0] != TLS_HANDSHAKE || body.length() > 2;
    return bytes[0] == TLS_HANDSHAKE
        && body.length() > 2
        && bytes[1] == TLS_MAJOR
        && bytes[2] <= TLS_MINOR_MAX
        && bytes[2] >= 0;
  }

  /// A group on its way to the lanes and back.
  private final class Decoding {
    private final ChannelHandlerContext context;
    private final StreamGroup group;

    Decoding(ChannelHandlerContext context, Body body, boolean last) {
      this.context = context;
      this.group =
          new StreamGroup(
              receiver,
              decoder,
              StreamConnection.this::sender,
              body,
              last,
              context.executor(),
              this::written);
    }

    private void written() {
      switch (group.state()) {
        case STORED -> stored(context, group);
        case NO_ROOM -> {
          frame.excuse();
          if (receiver.isClosing()) {
            forget(group.body());
          } else {
            var _ =
                context.executor().schedule(group::again, ROOM_RETRY_MILLIS, TimeUnit.MILLISECONDS);
          }
        }
        case FAILED -> {
          busy = false;
          forget(group.body());
          var _ = context.close();
        }
      }
    }
  }

  private void stored(ChannelHandlerContext context, StreamGroup group) {
    busy = false;
    lookWhetherKnown(context);
    ByteBuf answers = group.answers();
    if (answers != null && !left) {
      var _ = context.writeAndFlush(answers);
    }
    keepRest(context, group.body(), group.whole());
    if (left) {
      decodeLast(context);
    } else if (group.isBroken()) {
      var _ = // after the responses
          context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    } else if (rest != null && (fresh || group.goesOn())) {
      decodeRest(context, false);
    } else {
      readOn(context);
    }
  }

  /// Keeps what follows the whole frames, before what has arrived since.
  private void keepRest(ChannelHandlerContext context, Body body, int at) {
    int count = body.length() - at;
    Body since = rest;
    if (count > 0) {
      Body kept = Body.take();
      append(kept, body, at);
      if (since != null) {
        append(kept, since, 0);
        since.give();
      }
      rest = kept;
    }
    body.give();
    frame.holds(rest == null ? 0 : rest.length());
    if (frame.beginsPace()) {
      checkPaceLater(context);
    }
  }

  private static void append(Body to, Body from, int at) {
    int count = from.length() - at;
    int offset = to.reserve(count);
    System.arraycopy(from.bytes(), at, to.bytes(), offset, count);
    to.wrote(count);
  }

  private void checkPaceLater(ChannelHandlerContext context) {
    var _ =
        context
            .executor()
            .schedule(
                () -> {
                  if (busy) {
                    frame.excuse();
                  }
                  switch (frame.pace()) {
                    case GOOD -> checkPaceLater(context);
                    case OVER -> {}
                    case TOO_SLOW -> {
                      var _ = context.close();
                    }
                  }
                },
                SocketReceiver.PACE_SECONDS,
                TimeUnit.SECONDS);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    left = true;
    receiver.handshakes().end(context.channel());
    if (!busy) {
      decodeLast(context);
    }
  }

  /// Decodes what the sender sent last, unless our own stop cut it off in the middle of a frame.
  private void decodeLast(ChannelHandlerContext context) {
    Body body = rest;
    if (body != null && (refused || receiver.isClosing())) {
      rest = null;
      forget(body);
    } else {
      decodeRest(context, true);
    }
  }

  private void forget(Body body) {
    body.give();
    frame.holds(0);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
      context.fireUserEventTriggered(event);
    } else if (handshake.isSuccess()) {
      secure = true;
      certificate = secret == null ? null : StreamTls.sender(secret);
      lookWhetherKnown(context);
    } else if (!receiver.isClosing()) {
      refuse(context, reason(handshake.cause()));
    }
  }

  private static String reason(Throwable failure) {
    if (failure instanceof NotSslRecordException) { // its message has all the bytes
      return "plain bytes where TLS is spoken";
    }
    return failure instanceof ClosedChannelException
        ? "the sender left during the handshake of TLS"
        : "no TLS: " + failure.getMessage();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    var _ = context.close();
  }
}
