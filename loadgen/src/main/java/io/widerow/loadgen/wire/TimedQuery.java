package io.widerow.loadgen.wire;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A query over HTTP/1.1. The response is counted and discarded as it arrives, so the client costs
/// little more than the kernel's copy, for every server.
///
/// - Threads: one.
/// - Memory: a buffer, and the response when the caller keeps it.
public final class TimedQuery implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 18;
  private static final long KEPT_BYTES_MAX = 64 << 20;

  private final SocketChannel channel;
  private final InetSocketAddress address;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private @Nullable StringBuilder kept;
  private @Nullable LineSink sink;
  private final ByteArrayOutputStream pending = new ByteArrayOutputStream(); // of the sink's line
  private byte lineEnd = '\n'; // for the sink
  private long bytes;
  private long lines;
  private byte last;

  /// Size of a response, and the time to its first byte and to its end.
  ///
  /// @param lines ended by a line feed, plus an unfinished last one
  /// @param body the text when the caller keeps it
  public record Answer(long bytes, long lines, long firstNanos, long nanos, String body) {}

  /// Receives a response line by line, without line ends, as it arrives.
  public interface LineSink {
    void line(String line) throws IOException;
  }

  private TimedQuery(InetSocketAddress address) throws IOException {
    this.address = address;
    channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.connect(address);
      buffer.limit(0);
    } catch (Throwable failure) {
      channel.close();
      throw failure;
    }
  }

  public static TimedQuery open(InetSocketAddress address) throws IOException {
    return new TimedQuery(address);
  }

  /// One query on a new connection.
  public static Answer run(InetSocketAddress address, String path) throws IOException {
    try (TimedQuery query = open(address)) {
      return query.get(path, false);
    }
  }

  /// Hands each line to the sink, which costs more than counting them.
  public Answer get(String path, LineSink lineSink) throws IOException {
    return get(path, '\n', lineSink);
  }

  /// Hands each piece up to a character to the sink, without the character.
  ///
  /// @param end an ASCII character
  public Answer get(String path, char end, LineSink lineSink) throws IOException {
    lineEnd = (byte) end;
    sink = lineSink;
    pending.reset();
    try {
      Answer answer = get(path, false);
      if (pending.size() > 0) {
        lineSink.line(pending.toString(StandardCharsets.UTF_8));
      }
      return answer;
    } finally {
      sink = null;
    }
  }

  /// @param keep whether to return the text
  /// @throws IOException also when the status is not 200 or 204, with the response's text
  public Answer get(String path, boolean keep) throws IOException {
    String request =
        "GET %s HTTP/1.1\r\nHost: %s:%d\r\n\r\n"
            .formatted(path, address.getHostString(), address.getPort());
    bytes = 0;
    lines = 0;
    last = '\n';
    kept = keep ? new StringBuilder() : null;
    long beganNanos = System.nanoTime();
    ByteBuffer out = ByteBuffer.wrap(request.getBytes(StandardCharsets.ISO_8859_1));
    while (out.hasRemaining()) {
      channel.write(out);
    }
    String head = head();
    long firstNanos = System.nanoTime() - beganNanos;
    int status = Integer.parseInt(head.substring(9, 12));
    if (status != 200 && status != 204) {
      kept = new StringBuilder();
      sink = null;
    }
    body(head, status);
    long nanos = System.nanoTime() - beganNanos;
    String text = kept == null ? "" : kept.toString();
    if (status != 200 && status != 204) {
      throw new IOException("%s answered %d: %s".formatted(path, status, text.strip()));
    }
    return new Answer(bytes, last == '\n' ? lines : lines + 1, firstNanos, nanos, text);
  }

  private void body(String head, int status) throws IOException {
    if (head.contains("\r\ntransfer-encoding: chunked")) {
      for (long size = chunk(); size > 0; size = chunk()) {
        take(size);
        line();
      }
      line();
    } else if (status != 204) {
      String name = "\r\ncontent-length:";
      int found = head.indexOf(name);
      if (found < 0) {
        throw new ProtocolException("the response has no length: " + head);
      }
      int from = found + name.length();
      take(Long.parseLong(head.substring(from, head.indexOf('\r', from)).strip()));
    }
  }

  private String head() throws IOException {
    StringBuilder head = new StringBuilder();
    for (String line = line(); !line.isEmpty(); line = line()) {
      head.append(line).append("\r\n");
    }
    return head.toString().toLowerCase(Locale.ROOT);
  }

  private long chunk() throws IOException {
    String line = line();
    int semicolon = line.indexOf(';');
    try {
      return Long.parseLong(semicolon < 0 ? line : line.substring(0, semicolon), 16);
    } catch (NumberFormatException _) {
      throw new ProtocolException(
          "the server broke off its response after %d bytes, got '%s' for the size of a chunk"
              .formatted(bytes, line));
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (char c = next(); c != '\n'; c = next()) {
      if (c != '\r') {
        line.append(c);
      }
    }
    return line.toString();
  }

  private char next() throws IOException {
    if (!buffer.hasRemaining()) {
      fill();
    }
    return (char) (buffer.get() & 0xFF);
  }

  private void take(long size) throws IOException {
    StringBuilder text = kept;
    for (long left = size; left > 0; ) {
      if (!buffer.hasRemaining()) {
        fill();
      }
      int here = (int) Math.min(left, buffer.remaining());
      int from = buffer.arrayOffset() + buffer.position();
      lines += lineFeeds(buffer.array(), from, from + here);
      last = buffer.array()[from + here - 1];
      split(buffer.array(), from, from + here);
      if (text != null && bytes < KEPT_BYTES_MAX) {
        text.append(new String(buffer.array(), from, here, StandardCharsets.ISO_8859_1));
      }
      buffer.position(buffer.position() + here);
      bytes += here;
      left -= here;
    }
  }

  private void split(byte[] from, int offset, int limit) throws IOException {
    LineSink to = sink;
    if (to == null) {
      return;
    }
    int begin = offset;
    for (int i = offset; i < limit; i++) {
      if (from[i] == lineEnd) {
        if (pending.size() == 0) {
          to.line(new String(from, begin, i - begin, StandardCharsets.UTF_8));
        } else {
          pending.write(from, begin, i - begin);
          to.line(pending.toString(StandardCharsets.UTF_8));
          pending.reset();
        }
        begin = i + 1;
      }
    }
    pending.write(from, begin, limit - begin);
  }

  private static long lineFeeds(byte[] from, int offset, int limit) {
    long count = 0;
    for (int i = offset; i < limit; i++) {
      count += from[i] == '\n' ? 1 : 0;
    }
    return count;
  }

  private void fill() throws IOException {
    buffer.clear();
    int read = channel.read(buffer);
    if (read < 0) {
      throw new EOFException("the response ended after " + bytes + " bytes of its body");
    }
    buffer.flip();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
