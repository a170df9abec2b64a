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
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A keep-alive HTTP/1.1 connection over a blocking channel: one gathering write for the request,
/// one read for the usual answer, no allocation for the batch.
final class HttpConnection extends ChannelConnection<SocketChannel> {
  private static final int ANSWER_BYTES_MAX = 1 << 20;
  private static final String LENGTH = "\r\ncontent-length:";
  private static final String LEVEL = "\r\nwiderow-durability:";

  private final Target target;
  private byte[] answer = new byte[1 << 14];
  private int offset;
  private int limit;
  private boolean last;

  /// @param target whose answers it reads
  HttpConnection(InetSocketAddress address, Target target) throws IOException {
    super(connected(address));
    this.target = target;
  }

  @Override
  public Reply exchange(ByteBuffer head, ByteBuffer body, int events) throws IOException {
    if (last) {
      throw new EOFException("the target ended the connection with its last response");
    }
    write(channel, head.clear(), body.clear());
    int status;
    Answer parsed;
    do {
      parsed = readAnswer();
      status = parsed.status();
    } while (status == 100);
    return Reply.of(target, status, parsed.body(), events).atLevel(parsed.level());
  }

  static void write(SocketChannel channel, ByteBuffer head, ByteBuffer body) throws IOException {
    ByteBuffer[] both = {head, body};
    while (body.hasRemaining() || head.hasRemaining()) {
      channel.write(both);
    }
  }

  /// A status and a text.
  ///
  /// @param level below the one that was asked for, which the response names then; otherwise null
  private record Answer(int status, @Nullable String level, String body) {}

  private Answer readAnswer() throws IOException {
    offset = 0;
    limit = 0;
    int headLimit = readHead();
    String head =
        new String(answer, 0, headLimit, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    if (!head.startsWith("http/1.1 ")) {
      throw new ProtocolException(
          "not an HTTP/1.1 response: " + head.lines().findFirst().orElse(""));
    }
    int status = Integer.parseInt(head.substring(9, 12));
    last = head.contains("\r\nconnection: close");
    offset = headLimit;
    if (status == 204 || status == 304 || status < 200) {
      return new Answer(status, value(head, LEVEL), "");
    }
    return new Answer(
        status,
        value(head, LEVEL),
        head.contains("\r\ntransfer-encoding: chunked") ? chunks() : sized(head));
  }

  private int readHead() throws IOException {
    int seen = 0;
    while (true) {
      for (; seen + 4 <= limit; seen++) {
        if (answer[seen] == '\r'
            && answer[seen + 1] == '\n'
            && answer[seen + 2] == '\r'
            && answer[seen + 3] == '\n') {
          return seen + 4;
        }
      }
      fill();
    }
  }

  private String sized(String head) throws IOException {
    String length = value(head, LENGTH);
    if (length == null) {
      throw new ProtocolException("the response has no length");
    }
    return take(Integer.parseInt(length));
  }

  /// @param name after a line break, before a colon
  private static @Nullable String value(String head, String name) {
    int found = head.indexOf(name);
    int end = head.indexOf('\r', found + 2);
    return found < 0 ? null : head.substring(found + name.length(), end).strip();
  }

  private String chunks() throws IOException {
    StringBuilder text = new StringBuilder();
    while (true) {
      String line = line();
      int semicolon = line.indexOf(';');
      int bytes = Integer.parseInt(semicolon < 0 ? line : line.substring(0, semicolon), 16);
      text.append(take(bytes));
      line();
      if (bytes == 0) {
        return text.toString();
      }
    }
  }

  private String line() throws IOException {
    for (int i = offset; ; i++) {
      while (i + 1 >= limit) {
        fill();
      }
      if (answer[i] == '\r' && answer[i + 1] == '\n') {
        String line = new String(answer, offset, i - offset, StandardCharsets.ISO_8859_1);
        offset = i + 2;
        return line.strip();
      }
    }
  }

  private String take(int bytes) throws IOException {
    while (limit - offset < bytes) {
      fill();
    }
    String text = new String(answer, offset, bytes, Reply.charset(target));
    offset += bytes;
    return text;
  }

  private void fill() throws IOException {
    if (limit == answer.length) {
      if (limit >= ANSWER_BYTES_MAX) {
        throw new ProtocolException("a response of more than " + ANSWER_BYTES_MAX + " bytes");
      }
      answer = Arrays.copyOf(answer, limit * 2);
    }
    int read = channel.read(ByteBuffer.wrap(answer, limit, answer.length - limit));
    if (read < 0) {
      throw new EOFException("the target closed the connection");
    }
    limit += read;
  }
}
