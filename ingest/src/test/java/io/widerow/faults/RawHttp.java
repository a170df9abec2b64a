package io.widerow.faults;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/// One connection on which a test sends arbitrary bytes, which no client would send.
public final class RawHttp implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;

  private static final int RECEIVED_BYTES = 64 << 10;

  private final Socket socket;
  private final OutputStream out;
  private final InputStream in;

  public RawHttp(int port) throws IOException {
    socket = new Socket();
    socket.setReceiveBufferSize(RECEIVED_BYTES); // otherwise the kernel buffers much of an answer
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    out = socket.getOutputStream();
    in = socket.getInputStream();
  }

  /// Sends text as ISO 8859-1.
  public RawHttp send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  public RawHttp send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
    return this;
  }

  /// Sends text on one of too many connections. While more evicted ones still close than the server
  /// has room for, it resets new ones: that is the sender's own doing, and no failure.
  public void sendUnlessReset(String text) throws IOException {
    try {
      send(text);
    } catch (SocketException reset) {
      socket.close();
    }
  }

  /// Closes the sending side.
  public void end() throws IOException {
    socket.shutdownOutput();
  }

  /// The start of a request that sends events, up to the place for further headers.
  public static String post(String type) {
    return "POST /v1/events?type=%s HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: text/plain\r\n"
        .formatted(type);
  }

  /// All that the server sends until it closes the connection; a reset counts as the end.
  ///
  /// @throws SocketTimeoutException when the server does not close it
  public String untilClosed() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] piece = new byte[1 << 14];
    try {
      for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
        all.write(piece, 0, count);
      }
    } catch (SocketTimeoutException open) {
      throw open;
    } catch (IOException reset) {
      all.write(' ');
    }
    return all.toString(StandardCharsets.ISO_8859_1);
  }

  /// What one read returns: bytes that were sent at once, when the server sends no faster than this
  /// is called.
  public String piece() throws IOException {
    byte[] piece = new byte[1 << 14];
    int count = in.read(piece);
    return new String(piece, 0, Math.max(0, count), StandardCharsets.ISO_8859_1);
  }

  /// The status of the next answer; 0 when the connection ends instead.
  public int status() throws IOException {
    StringBuilder line = new StringBuilder();
    try {
      for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
        line.append((char) next);
      }
    } catch (SocketTimeoutException open) {
      throw open;
    } catch (IOException reset) {
      return 0;
    }
    String[] words = line.toString().split(" ", -1);
    return words.length > 1 ? Integer.parseInt(words[1]) : 0;
  }

  /// Sends a piece repeatedly until the server closes the connection or has sent something.
  ///
  /// @return bytes sent
  public long sendUntilEnded(byte[] piece, long bytesMax) {
    long sent = 0;
    try {
      while (sent < bytesMax && in.available() == 0) {
        out.write(piece);
        sent += piece.length;
      }
    } catch (IOException ended) {
      return sent;
    }
    return sent;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
