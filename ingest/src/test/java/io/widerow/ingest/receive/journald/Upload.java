package io.widerow.ingest.receive.journald;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;

/// For tests: a chunked upload that is sent piece by piece, as `systemd-journal-upload` does.
public final class Upload implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;
  private static final String LENGTH = "content-length: ";

  private final Socket socket;
  private final OutputStream out;
  private final InputStream in;

  public Upload(int port, String path, String... headers) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    out = socket.getOutputStream();
    in = new BufferedInputStream(socket.getInputStream());
    StringBuilder head =
        new StringBuilder("POST %s HTTP/1.1\r\nhost: 127.0.0.1\r\n".formatted(path))
            .append("content-type: application/vnd.fdo.journal\r\n")
            .append("transfer-encoding: chunked\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    out.write(head.append("\r\n").toString().getBytes(ISO_8859_1));
  }

  /// Sends one chunk, each character a byte.
  public Upload send(String piece) throws IOException {
    return send(piece.getBytes(ISO_8859_1));
  }

  public Upload send(byte[] piece) throws IOException {
    byte[] size = (Integer.toHexString(piece.length) + "\r\n").getBytes(ISO_8859_1);
    byte[] chunk = new byte[size.length + piece.length + 2];
    System.arraycopy(size, 0, chunk, 0, size.length);
    System.arraycopy(piece, 0, chunk, size.length, piece.length);
    chunk[chunk.length - 2] = '\r';
    chunk[chunk.length - 1] = '\n';
    out.write(chunk);
    return this;
  }

  /// Ends the body.
  ///
  /// @return the status of the answer, a space, and its body
  public String end() throws IOException {
    out.write("0\r\n\r\n".getBytes(ISO_8859_1));
    return answer();
  }

  /// The same of an answer to a body that has not ended; empty when the connection ends instead.
  public String answer() throws IOException {
    String status = line();
    while (status.endsWith(" 100 Continue")) {
      status = line().isEmpty() ? line() : status;
    }
    int length = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      if (header.startsWith(LENGTH)) {
        length = Integer.parseInt(header.substring(LENGTH.length()));
      }
    }
    String body = new String(in.readNBytes(length), ISO_8859_1);
    return status.isEmpty() ? "" : status.split(" ", -1)[1] + " " + body;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      line.append((char) next);
    }
    return line.toString().stripTrailing();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
