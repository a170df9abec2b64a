package io.widerow.loadgen.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// Frames over TCP without responses: syslog, StatsD, Graphite. A batch counts as acknowledged when
/// the kernel has taken it, so latency is that of the write.
final class StreamConnection extends ChannelConnection<SocketChannel> {
  StreamConnection(InetSocketAddress address) throws IOException {
    super(SocketChannel.open(address));
  }

  @Override
  public Reply exchange(ByteBuffer head, ByteBuffer body, int events) throws IOException {
    HttpConnection.write(channel, head.clear(), body.clear());
    return Reply.accepted(events);
  }
}
