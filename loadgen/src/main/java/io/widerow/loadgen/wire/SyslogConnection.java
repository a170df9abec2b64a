package io.widerow.loadgen.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// Syslog over TCP: octet-counted frames without answers. A batch counts as acknowledged when the
/// kernel has taken it, so latency is that of the write.
final class SyslogConnection implements Connection {
  private final SocketChannel channel;

  SyslogConnection(InetSocketAddress address) throws IOException {
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
