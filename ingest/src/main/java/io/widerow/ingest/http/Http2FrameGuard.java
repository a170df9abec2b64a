package io.widerow.ingest.http;

import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Ends an HTTP/2 connection with GOAWAY (`ENHANCE_YOUR_CALM`) whose client causes work without a
/// request: floods of PING, SETTINGS, PRIORITY, WINDOW_UPDATE, empty DATA and unknown frames,
/// frames for which the daemon must reset a stream (CVE-2025-8671), and requests that the client
/// resets at once (CVE-2023-44487).
///
/// ```
///   credit:  framesMax at first, +framesMax every 10 s
///            +4 for each HEADERS from the client and each DATA sent to it, up to 4 * framesMax
///            -1 for each control frame from the client
///   resets:  200 at first, +200 every 30 s
///            -1 for each reset for a fault of the client on a stream without a request
///   faults:  20 at first, +20 every 30 s; -1 for each such reset that cancels a request
///   cancels: 100 at first, +100 every 15 s; +1 for each complete answer, up to 400
///            -1 for each stream that the client resets
/// ```
///
/// The request of a stream that is reset for a fault of the client is cancelled at once, as Armeria
/// does it for streams that the client resets; so are all requests of a connection that is ended.
///
/// A client at work never runs out: it sends at most two WINDOW_UPDATE and one PING (gRPC measures
/// the round trip) for each DATA frame that it gets, and one frame or two for each request. An idle
/// one sends a PING every few seconds. Armeria builds its codec without the limits that Netty has
/// for outgoing resets and acknowledgements; those for resets by the client (400 in 60 s), for
/// empty DATA and for CONTINUATION are in force.
///
/// - Threads: the event loop of the connection.
final class Http2FrameGuard extends Http2FrameListenerDecorator {
  private static final int EARNED = 4;
  private static final int WINDOW_SECONDS = 10;
  private static final int RESETS_MAX = 200;
  private static final int RESETS_SECONDS = 30;
  private static final int FAULTS_MAX = 20;
  private static final int CANCELS_MAX = 100;
  private static final int CANCELS_SECONDS = 15;
  private static final int HEADER_BYTES = 9;
  private static final int RESET_BYTES = HEADER_BYTES + Integer.BYTES;
  private static final int TYPE_AT = 3;
  private static final int FLAGS_AT = 4;
  private static final int STREAM_AT = 5;
  private static final int END_STREAM = 1;

  private final Http2ConnectionHandler codec;
  private final Runnable flooded;
  private final Allowance frames;
  private final Allowance resets;
  private final Allowance faults;
  private final Allowance cancels;
  private final IntObjectMap<ServiceRequestContext> requests =
      new IntObjectHashMap<>(); // by stream
  private int opening; // the stream whose HEADERS are being read; 0 for none
  private boolean over;

  private Http2FrameGuard(
      Http2ConnectionHandler codec,
      Http2FrameListener listener,
      int framesMax,
      LongSupplier nanoTime,
      Runnable flooded) {
    super(listener);
    this.codec = codec;
    this.flooded = flooded;
    frames = new Allowance(framesMax, WINDOW_SECONDS, nanoTime);
    resets = new Allowance(RESETS_MAX, RESETS_SECONDS, nanoTime);
    faults = new Allowance(FAULTS_MAX, RESETS_SECONDS, nanoTime);
    cancels = new Allowance(CANCELS_MAX, CANCELS_SECONDS, nanoTime);
  }

  /// Guards a connection once it speaks HTTP/2.
  ///
  /// @param framesMax control frames in ten seconds that need no request
  /// @param flooded called once, when the connection is ended
  /// @return null when it speaks something else, or has not begun to
  static @Nullable Http2FrameGuard guard(
      ChannelPipeline pipeline, int framesMax, LongSupplier nanoTime, Runnable flooded) {
    Http2ConnectionHandler codec = pipeline.get(Http2ConnectionHandler.class);
    if (codec == null) {
      return null;
    }
    Http2FrameGuard guard =
        new Http2FrameGuard(codec, codec.decoder().frameListener(), framesMax, nanoTime, flooded);
    codec.decoder().frameListener(guard);
    codec.connection().addListener(guard.new Streams());
    pipeline.addBefore(pipeline.context(codec).name(), null, guard.new Sent());
    return guard;
  }

  /// Notifies the guard that the stream whose HEADERS are being read has become a request.
  void begin(ServiceRequestContext request) {
    if (opening != 0) {
      requests.put(opening, request);
    }
  }

  private void control() throws Http2Exception {
    if (!frames.spend()) {
      throw end("too many control frames");
    }
  }

  private Http2Exception end(String why) {
    if (!over) {
      over = true;
      flooded.run();
      codec.setSingleDecode(true); // frames that were read already are not decoded any more
      List.copyOf(requests.values()).forEach(Http2FrameGuard::cancel);
    }
    return Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, why);
  }

  private static void cancel(ServiceRequestContext request) {
    request.cancel(ClosedStreamException.get());
  }

  @Override
  public void onPingRead(ChannelHandlerContext context, long data) throws Http2Exception {
    control();
    super.onPingRead(context, data);
  }

  @Override
  public void onPingAckRead(ChannelHandlerContext context, long data) throws Http2Exception {
    control();
    super.onPingAckRead(context, data);
  }

  @Override
  public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings)
      throws Http2Exception {
    control();
    super.onSettingsRead(context, settings);
  }

  @Override
  public void onSettingsAckRead(ChannelHandlerContext context) throws Http2Exception {
    control();
    super.onSettingsAckRead(context);
  }

  @Override
  public void onPriorityRead(
      ChannelHandlerContext context, int stream, int parent, short weight, boolean exclusive)
      throws Http2Exception {
    control();
    super.onPriorityRead(context, stream, parent, weight, exclusive);
  }

  @Override
  public void onWindowUpdateRead(ChannelHandlerContext context, int stream, int bytes)
      throws Http2Exception {
    control();
    super.onWindowUpdateRead(context, stream, bytes);
  }

  @Override
  public void onUnknownFrame(
      ChannelHandlerContext context, byte type, int stream, Http2Flags flags, ByteBuf payload)
      throws Http2Exception {
    control();
    super.onUnknownFrame(context, type, stream, flags, payload);
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext context, int stream, ByteBuf data, int padding, boolean last)
      throws Http2Exception {
    if (!last && !data.isReadable()) {
      control();
    }
    return super.onDataRead(context, stream, data, padding, last);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context, int stream, Http2Headers headers, int padding, boolean last)
      throws Http2Exception {
    frames.earn(EARNED);
    opening = stream;
    try {
      super.onHeadersRead(context, stream, headers, padding, last);
    } finally {
      opening = 0;
    }
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context,
      int stream,
      Http2Headers headers,
      int parent,
      short weight,
      boolean exclusive,
      int padding,
      boolean last)
      throws Http2Exception {
    frames.earn(EARNED);
    opening = stream;
    try {
      super.onHeadersRead(context, stream, headers, parent, weight, exclusive, padding, last);
    } finally {
      opening = 0;
    }
  }

  @Override
  public void onRstStreamRead(ChannelHandlerContext context, int stream, long code)
      throws Http2Exception {
    if (!cancels.spend()) {
      throw end("too many streams were reset");
    }
    super.onRstStreamRead(context, stream, code);
  }

  /// Forgets requests whose streams are closed.
  private final class Streams extends Http2ConnectionAdapter {
    @Override
    public void onStreamClosed(Http2Stream stream) {
      requests.remove(stream.id());
    }
  }

  /// Looks at the frames that the codec writes. It writes a RST_STREAM as one buffer, and the
  /// header of a DATA or HEADERS frame as one. Only a payload of as many bytes could look the same,
  /// and none of ours, which are text, begins with a zero byte.
  private final class Sent extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      if (message instanceof ByteBuf bytes) {
        int at = bytes.readerIndex();
        int length = bytes.readableBytes();
        if (length == HEADER_BYTES) {
          header(bytes.getByte(at + TYPE_AT), bytes.getByte(at + FLAGS_AT));
        } else if (length == RESET_BYTES
            && bytes.getInt(at) == ((Integer.BYTES << 8) | Http2FrameTypes.RST_STREAM)) {
          reset(context, bytes.getInt(at + STREAM_AT), bytes.getInt(at + HEADER_BYTES));
        }
      }
      var _ = context.write(message, promise);
    }

    private void header(byte type, byte flags) {
      boolean data = type == Http2FrameTypes.DATA;
      if (data) {
        frames.earn(EARNED);
      }
      if ((data || type == Http2FrameTypes.HEADERS) && (flags & END_STREAM) != 0) {
        cancels.earn(1);
      }
    }

    private void reset(ChannelHandlerContext context, int stream, int code) {
      boolean ofClient =
          code != Http2Error.NO_ERROR.code()
              && code != Http2Error.INTERNAL_ERROR.code()
              && code != Http2Error.CANCEL.code();
      ServiceRequestContext request = ofClient ? requests.get(stream) : null;
      if (request != null) {
        cancel(request);
      }
      if (ofClient && !over && !(request == null ? resets : faults).spend()) {
        Http2Exception why = end("too many streams had to be reset");
        codec.onError(context.pipeline().context(codec), true, why);
      }
    }
  }

  /// A number of things that may happen in a time. It looks at the clock only when it is used up.
  static final class Allowance {
    private final int most;
    private final long nanosOfOne;
    private final LongSupplier nanoTime;
    private long refilledNanos;
    private long left;

    Allowance(int most, int seconds, LongSupplier nanoTime) {
      this.most = most;
      this.nanosOfOne = TimeUnit.SECONDS.toNanos(seconds) / most;
      this.nanoTime = nanoTime;
      this.refilledNanos = nanoTime.getAsLong();
      this.left = most;
    }

    void earn(int count) {
      left = Math.min(left + count, Math.max(left, 4L * most));
    }

    /// False when there is nothing left.
    boolean spend() {
      if (left == 0) {
        long passed = (nanoTime.getAsLong() - refilledNanos) / nanosOfOne;
        left = Math.min(passed, most);
        refilledNanos += passed * nanosOfOne;
      }
      if (left == 0) {
        return false;
      }
      left--;
      return true;
    }
  }
}
