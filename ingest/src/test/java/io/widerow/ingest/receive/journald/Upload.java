package io.widerow.ingest.receive.journald;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.widerow.faults.RawHttp;
import java.io.IOException;

/// For tests: a chunked upload that is sent piece by piece, as `systemd-journal-upload` does.
public final class Upload implements AutoCloseable {
  private final RawHttp http;

  public Upload(int port, String path, String... headers) throws IOException {
    http = new RawHttp(port);
    StringBuilder head =
        new StringBuilder("POST %s HTTP/1.1\r\nhost: 127.0.0.1\r\n".formatted(path))
            .append("content-type: application/vnd.fdo.journal\r\n")
            .append("transfer-encoding: chunked\r\nconnection: close\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    http.send(head.append("\r\n").toString());
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
    http.send(chunk);
    return this;
  }

  /// Ends the body.
  ///
  /// @return the whole answer
  public String end() throws IOException {
    http.send("0\r\n\r\n");
    return answer();
  }

  /// The whole answer, also to a body that has not ended.
  public String answer() throws IOException {
    return http.untilClosed();
  }

  @Override
  public void close() throws IOException {
    http.close();
  }
}
