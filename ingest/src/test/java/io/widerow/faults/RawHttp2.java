package io.widerow.faults;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

/// One HTTP/2 connection on which a test sends arbitrary frames, which no client would send.
///
/// ```
///   frame: length(3) type(1) flags(1) stream(4) payload
/// ```
public final class RawHttp2 implements AutoCloseable {
  public static final int DATA = 0;
  static final int HEADERS = 1;
  static final int PRIORITY = 2;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  public static final int PING = 6;
  static final int GOAWAY = 7;
  public static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;
  public static final int END_STREAM = 1;
  public static final int END_HEADERS = 4;
  public static final int ENHANCE_YOUR_CALM = 11;
  public static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  private static final int PATIENCE_MILLIS = 20_000;
  private static final int HEADER_BYTES = 9;
  private static final int PIECE_BYTES = 16 << 10;

  private final Socket socket;
  private final OutputStream out;
  private final InputStream in;
  private byte[] received = new byte[1 << 20];
  private int receivedBytes;
  private int answers; // frames of headers
  private int streamAnswered; // the last
  private int acknowledged; // pings
  private int resets; // of streams
  private int goAwayCode = -1;

  /// Connects without TLS and sends the preface.
  public RawHttp2(int port) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port), PREFACE);
  }

  /// @param socket connected
  /// @param first bytes sent before the first frame
  public RawHttp2(Socket socket, String first) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
    out = socket.getOutputStream();
    in = socket.getInputStream();
    out.write(first.getBytes(StandardCharsets.US_ASCII));
    send(frame(SETTINGS, 0, 0));
  }

  public static byte[] frame(int type, int flags, int stream, byte... payload) {
    return ByteBuffer.allocate(HEADER_BYTES + payload.length)
        .putInt((payload.length << 8) | type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  public static byte[] number(int value) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
  }

  /// The n-th stream of a client.
  public static int stream(int n) {
    return 2 * n + 1;
  }

  /// `GET` or, without `END_STREAM`, the start of `POST`.
  public static byte[] request(int stream, String path, int flags) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.write((flags & END_STREAM) != 0 ? 0x82 : 0x83); // :method, of the static table of HPACK
    block.write(0x86); // :scheme http
    literal(block, 4, path);
    literal(block, 1, "127.0.0.1");
    return frame(HEADERS, flags, stream, block.toByteArray());
  }

  private static void literal(ByteArrayOutputStream block, int name, String value) {
    block.write(name);
    block.write(value.length());
    block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
  }

  public void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /// Sends until the server ends the connection, and a request at last.
  ///
  /// @param frames the bytes of the n-th round
  /// @param reads whether what the server sends is read meanwhile
  /// @return false when the last request is answered
  public boolean floodUntilEnded(IntFunction<byte[]> frames, int most, boolean reads) {
    ByteArrayOutputStream piece = new ByteArrayOutputStream();
    try {
      for (int n = 0; n < most; n++) {
        piece.writeBytes(frames.apply(n));
        if (piece.size() >= PIECE_BYTES) {
          send(piece.toByteArray());
          piece.reset();
          if (reads && (!readWhatIsThere() || goAwayCode >= 0)) {
            return isClosed();
          }
        }
      }
      send(piece.toByteArray());
      send(request(stream(most), "/ready", END_STREAM | END_HEADERS));
      while (streamAnswered < stream(most)) {
        if (!readMore()) {
          return true;
        }
      }
      return false;
    } catch (SocketTimeoutException open) {
      return false;
    } catch (IOException ended) {
      return true;
    }
  }

  private boolean readWhatIsThere() throws IOException {
    while (in.available() > 0) {
      if (!readMore()) {
        return false;
      }
    }
    return true;
  }

  private boolean readMore() throws IOException {
    int count = in.read(received, receivedBytes, received.length - receivedBytes);
    if (count < 0) {
      return false;
    }
    receivedBytes += count;
    ByteBuffer frames = ByteBuffer.wrap(received, 0, receivedBytes);
    while (frames.remaining() >= HEADER_BYTES
        && frames.remaining() >= HEADER_BYTES + (frames.getInt(frames.position()) >>> 8)) {
      take(frames);
    }
    receivedBytes = frames.remaining();
    System.arraycopy(received, frames.position(), received, 0, receivedBytes);
    return true;
  }

  private void take(ByteBuffer frames) {
    int start = frames.position();
    int header = frames.getInt();
    int type = header & 0xff;
    int flags = frames.get();
    if (type == GOAWAY) {
      goAwayCode = frames.getInt(start + HEADER_BYTES + Integer.BYTES);
    }
    if (type == HEADERS) {
      answers++;
      streamAnswered =
          Math.max(streamAnswered, frames.getInt(start + HEADER_BYTES - Integer.BYTES));
    }
    resets += type == RST_STREAM ? 1 : 0;
    acknowledged += type == PING && (flags & 1) != 0 ? 1 : 0;
    frames.position(start + HEADER_BYTES + (header >>> 8));
  }

  /// Reads until there are so many answers. False when the connection ends before.
  public boolean awaitAnswers(int wanted) throws IOException {
    while (answers < wanted) {
      if (goAwayCode >= 0 || !readMore()) {
        return false;
      }
    }
    return true;
  }

  /// Reads until this stream, the last one, is answered. False when the connection ends before.
  public boolean awaitAnswerOf(int stream) throws IOException {
    while (streamAnswered < stream) {
      if (goAwayCode >= 0 || !readMore()) {
        return false;
      }
    }
    return true;
  }

  /// Reads until there are so many acknowledged pings. False when the connection ends before.
  public boolean awaitPings(int wanted) throws IOException {
    while (acknowledged < wanted) {
      if (goAwayCode >= 0 || !readMore()) {
        return false;
      }
    }
    return true;
  }

  /// Reads until the server closes the connection.
  public boolean isClosed() {
    try {
      while (readMore()) {
        assert receivedBytes < received.length : "a frame is too long";
      }
      return true;
    } catch (SocketTimeoutException open) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  /// The error code of GOAWAY; -1 without one.
  public int goAwayCode() {
    return goAwayCode;
  }

  /// Streams that the server has reset.
  public int resets() {
    return resets;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
