package io.widerow.loadgen.wire;

import io.widerow.loadgen.workload.Target;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Unary calls of OTLP over gRPC: HTTP/2 without TLS, with prior knowledge, one stream at a time.
///
/// ```
///  frame:  length (3 bytes), type, flags, stream (4 bytes), content
///  call:   HEADERS, DATA ... DATA + END_STREAM   ->   HEADERS, DATA, HEADERS + END_STREAM
/// ```
///
/// Sources: RFC 9113, gRPC's `PROTOCOL-HTTP2.md`. A body leaves in as few writes as the target's
/// windows allow, without a copy.
final class GrpcConnection extends ChannelConnection<SocketChannel> {
  private static final String PATH = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int FRAME_HEAD = 9;
  private static final int FRAME_MAX = 1 << 14; // every server takes so much
  private static final int WINDOW = 65_535; // before settings
  private static final int MESSAGE_HEAD = 5; // gRPC's flag and length

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RESET = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int CONTINUATION = 9;

  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int PADDED = 8;
  private static final int PRIORITY = 32;

  private final ByteBuffer in = ByteBuffer.allocate(1 << 16).limit(0);
  private final Map<String, String> headers = new HashMap<>(); // of the response
  private byte[] data = {}; // of the response
  private int stream = -1;
  private boolean ended;
  private long window = WINDOW; // what may be sent on the connection
  private long streamWindow;
  private int streamWindowFirst = WINDOW;
  private int unacknowledged; // bytes received of which the target's window does not know

  GrpcConnection(InetSocketAddress address) throws IOException {
    super(connected(address));
    try {
      // No dynamic table of headers, no pushes.
      ByteBuffer settings = frame(12, SETTINGS, 0, 0).putShort((short) 1).putInt(0);
      settings.putShort((short) 2).putInt(0);
      write(ByteBuffer.wrap(PREFACE), settings.flip());
    } catch (Throwable failure) {
      channel.close();
      throw failure;
    }
  }

  /// The header block of a call.
  static byte[] head(String host, @Nullable String durability) {
    String[] call = {
      ":method",
      "POST",
      ":scheme",
      "http",
      ":path",
      PATH,
      ":authority",
      host,
      "content-type",
      "application/grpc",
      "te",
      "trailers"
    };
    if (durability == null) {
      return HeaderBlock.write(call);
    }
    String[] more = Arrays.copyOf(call, call.length + 2);
    more[call.length] = "widerow-durability";
    more[call.length + 1] = durability;
    return HeaderBlock.write(more);
  }

  @Override
  public Reply exchange(ByteBuffer head, ByteBuffer body, int events) throws IOException {
    stream += 2;
    ended = false;
    streamWindow = streamWindowFirst;
    headers.clear();
    data = new byte[0];
    head.clear();
    write(frame(head.remaining(), HEADERS, END_HEADERS, stream).flip(), head);
    body.clear();
    while (body.hasRemaining() && !ended) {
      long allowed = Math.min(Math.min(window, streamWindow), body.remaining());
      if (allowed > 0) {
        send(body, (int) allowed);
      } else {
        readFrame();
      }
    }
    boolean whole = !body.hasRemaining();
    while (!ended) {
      readFrame();
    }
    if (!whole) {
      write(frame(4, RESET, 0, stream).putInt(8).flip()); // it answered early: cancel
    }
    return reply(events);
  }

  private void send(ByteBuffer body, int bytes) throws IOException {
    int frames = Math.ceilDiv(bytes, FRAME_MAX);
    ByteBuffer[] out = new ByteBuffer[frames * 2];
    int limit = body.position() + bytes;
    for (int i = 0; i < frames; i++) {
      int length = Math.min(FRAME_MAX, limit - body.position());
      boolean last = body.position() + length == body.capacity();
      out[2 * i] = frame(length, DATA, last ? END_STREAM : 0, stream).flip();
      out[2 * i + 1] = body.slice(body.position(), length);
      body.position(body.position() + length);
    }
    window -= bytes;
    streamWindow -= bytes;
    write(out);
  }

  private void write(ByteBuffer... out) throws IOException {
    while (out[out.length - 1].hasRemaining()) {
      channel.write(out);
    }
  }

  /// A frame without its content, with room for some.
  private static ByteBuffer frame(int length, int type, int flags, int stream) {
    ByteBuffer frame = ByteBuffer.allocate(FRAME_HEAD + Math.min(length, 16));
    frame.put((byte) (length >> 16)).putShort((short) length);
    return frame.put((byte) type).put((byte) flags).putInt(stream);
  }

  private void require(int bytes) throws IOException {
    while (in.remaining() < bytes) {
      in.compact();
      int read = channel.read(in);
      in.flip();
      if (read < 0) {
        throw new EOFException("the target closed the connection");
      }
    }
  }

  private void readFrame() throws IOException {
    require(FRAME_HEAD);
    int length = ((in.get() & 0xff) << 16) | (in.getShort() & 0xffff);
    int type = in.get();
    int flags = in.get();
    int of = in.getInt() & Integer.MAX_VALUE;
    if (length > FRAME_MAX) {
      throw new ProtocolException("a frame of " + length + " bytes");
    }
    require(length);
    ByteBuffer content = in.slice(in.position(), length);
    in.position(in.position() + length);
    switch (type) {
      case DATA -> data(content, flags, of);
      case HEADERS -> headers(content, flags, of);
      case RESET -> {
        if (of == stream && !ended) {
          headers.putIfAbsent("grpc-status", "13");
          headers.putIfAbsent("grpc-message", "the stream was reset: " + content.getInt());
          ended = true;
        }
      }
      case SETTINGS -> {
        if ((flags & ACK) == 0) {
          settings(content);
        }
      }
      case PING -> {
        if ((flags & ACK) == 0) {
          write(frame(8, PING, ACK, 0).put(content).flip());
        }
      }
      case GOAWAY -> throw new EOFException("the target ended the connection");
      case WINDOW_UPDATE -> {
        int more = content.getInt() & Integer.MAX_VALUE;
        if (of == 0) {
          window += more;
        } else if (of == stream) {
          streamWindow += more;
        }
      }
      case CONTINUATION -> throw new ProtocolException("headers of more than one frame");
      default -> {} // frames of other types are to be ignored
    }
  }

  private void data(ByteBuffer content, int flags, int of) throws IOException {
    unacknowledged += content.capacity();
    if (unacknowledged > WINDOW / 2) {
      write(frame(4, WINDOW_UPDATE, 0, 0).putInt(unacknowledged).flip());
      unacknowledged = 0;
    }
    if (of == stream) {
      ByteBuffer text = unpadded(content, flags);
      int from = data.length;
      data = Arrays.copyOf(data, from + text.remaining());
      text.get(data, from, data.length - from);
      ended |= (flags & END_STREAM) != 0;
    }
  }

  private void headers(ByteBuffer content, int flags, int of) throws ProtocolException {
    if ((flags & END_HEADERS) == 0) {
      throw new ProtocolException("headers of more than one frame");
    }
    ByteBuffer block = unpadded(content, flags);
    if ((flags & PRIORITY) != 0) {
      block.position(block.position() + 5);
    }
    if (of == stream) {
      headers.putAll(HeaderBlock.read(block));
      ended |= (flags & END_STREAM) != 0;
    }
  }

  private static ByteBuffer unpadded(ByteBuffer content, int flags) {
    if ((flags & PADDED) != 0) {
      int padding = content.get() & 0xff;
      content.limit(content.limit() - padding);
    }
    return content;
  }

  private void settings(ByteBuffer content) throws IOException {
    while (content.remaining() >= 6) {
      int name = content.getShort();
      int value = content.getInt();
      if (name == 4) { // the first window of each stream
        streamWindow += value - streamWindowFirst;
        streamWindowFirst = value;
      }
    }
    write(frame(0, SETTINGS, ACK, 0).flip());
  }

  private Reply reply(int events) {
    int status = Integer.parseInt(headers.getOrDefault(":status", "0"));
    String code = headers.get("grpc-status");
    String message = headers.getOrDefault("grpc-message", "");
    if (status != 200 || code == null) {
      return Reply.of(Target.OTLP_GRPC, status == 200 ? 0 : status, message, events);
    }
    String said = "grpc-status " + code + ": " + message;
    return switch (code) {
      case "0" -> {
        int skipped = Math.min(MESSAGE_HEAD, data.length);
        String answer =
            new String(data, skipped, data.length - skipped, StandardCharsets.ISO_8859_1);
        yield Reply.of(Target.OTLP_GRPC, status, answer, events)
            .atLevel(headers.get("widerow-durability"));
      }
      case "12" -> Reply.failed(Failure.UNSERVED, said);
      case "8", "14" -> Reply.failed(Failure.OVERLOADED, said);
      default -> Reply.failed(Failure.REFUSED, said);
    };
  }
}
