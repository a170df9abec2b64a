package io.widerow.loadgen.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// Frames over TCP without answers: syslog, StatsD, Graphite. A batch counts as acknowledged when
/// the kernel has taken it, so latency is that of the write.
final class StreamConnection implements Connection {
  private final SocketChannel channel;

  StreamConnection(InetSocketAddress address) throws IOException {
    channel = SocketChannel.open(address);
  }

  @Override
  public Reply exchange(ByteBuffer head, ByteBuffer body, int events) throws IOException {
    HttpConnection.write(channel, head.clear(), body.clear());
    return Reply.accepted(events);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
