package io.widerow.loadgen.wire;

import io.widerow.loadgen.workload.FluentForm;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/// Fluent Forward over TCP: a message, and its acknowledgement `{"ack": chunk}` in msgpack. The
/// chunk is the end of the message.
final class ForwardConnection extends ChannelConnection<SocketChannel> {
  private static final byte[] ACK_HEAD = head();

  private final ByteBuffer answer = ByteBuffer.allocate(ACK_HEAD.length + FluentForm.CHUNK_BYTES);

  ForwardConnection(InetSocketAddress address) throws IOException {
    super(connected(address));
  }

  /// A map of one, `ack`, and the head of a string of 32 bytes.
  private static byte[] head() {
    assert FluentForm.CHUNK_BYTES == 32 : "a chunk has the length that its head says";
    byte[] text = "..ack..".getBytes(StandardCharsets.US_ASCII);
    text[0] = (byte) 0x81;
    text[1] = (byte) 0xa3;
    text[5] = (byte) 0xd9;
    text[6] = (byte) FluentForm.CHUNK_BYTES;
    return text;
  }

  @Override
  public Reply exchange(ByteBuffer head, ByteBuffer body, int events) throws IOException {
    HttpConnection.write(channel, head.clear(), body.clear());
    answer.clear();
    while (answer.hasRemaining()) {
      if (channel.read(answer) < 0) {
        throw new EOFException("the target closed the connection");
      }
    }
    answer.flip();
    ByteBuffer chunk = body.slice(body.capacity() - FluentForm.CHUNK_BYTES, FluentForm.CHUNK_BYTES);
    if (!answer.slice(0, ACK_HEAD.length).equals(ByteBuffer.wrap(ACK_HEAD))
        || !answer.slice(ACK_HEAD.length, FluentForm.CHUNK_BYTES).equals(chunk)) {
      throw new ProtocolException("not the chunk's acknowledgement");
    }
    return Reply.accepted(events);
  }
}
