package io.widerow.loadgen.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/// Syslog and StatsD over UDP: one datagram for each frame of the batch; a frame is a length, a
/// blank and so many bytes. It counts as acknowledged when the kernel has taken it. Only a
/// read-back shows later losses.
final class DatagramConnection extends ChannelConnection<DatagramChannel> {
  DatagramConnection(InetSocketAddress address) throws IOException {
    super(DatagramChannel.open());
    try {
      channel.connect(address);
    } catch (Throwable failure) {
      channel.close();
      throw failure;
    }
  }

  @Override
  public Reply exchange(ByteBuffer head, ByteBuffer body, int events) throws IOException {
    body.clear();
    while (body.hasRemaining()) {
      int bytes = 0;
      for (byte digit = body.get(); digit != ' '; digit = body.get()) {
        bytes = bytes * 10 + (digit - '0');
      }
      int limit = body.position() + bytes;
      channel.write(body.limit(limit));
      body.limit(body.capacity()).position(limit);
    }
    return Reply.accepted(events);
  }
}
