package io.widerow.loadgen.wire;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// A server that discards every request and answers 204. It shows the load generator's own limit.
///
/// - Threads: `sink`, which accepts, and `sink-<port>` for each connection.
public final class NullSink implements AutoCloseable {
  private static final byte[] THANKS =
      "HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);

  private final ServerSocket server;

  public NullSink() throws IOException {
    this(0);
  }

  /// @param port 0 for one that is free
  public NullSink(int port) throws IOException {
    server = new ServerSocket(port, 256, InetAddress.getLoopbackAddress());
    Thread.ofPlatform().name("sink").daemon().start(this::accept);
  }

  public int port() {
    return server.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        Thread.ofPlatform().name("sink-" + client.getPort()).daemon().start(() -> serve(client));
      }
    } catch (SocketException closed) {
      // The sink was closed.
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void serve(Socket client) {
    try (client) {
      client.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(client.getInputStream(), 1 << 16);
      OutputStream out = client.getOutputStream();
      byte[] discarded = new byte[1 << 18];
      for (long length = bodyLength(in); length >= 0; length = bodyLength(in)) {
        while (length > 0) {
          int read = in.read(discarded, 0, (int) Math.min(length, discarded.length));
          if (read < 0) {
            return;
          }
          length -= read;
        }
        out.write(THANKS);
      }
    } catch (IOException gone) {
      // The client closed its connection.
    }
  }

  /// Reads a request's head; -1 at the end of the stream.
  private static long bodyLength(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder(256);
    while (head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
      int c = in.read();
      if (c < 0) {
        return -1;
      }
      head.append((char) c);
    }
    String name = "\r\ncontent-length:";
    String lower = head.toString().toLowerCase(Locale.ROOT);
    int found = lower.indexOf(name);
    return found < 0
        ? 0
        : Long.parseLong(
            lower.substring(found + name.length(), lower.indexOf('\r', found + 2)).strip());
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
