package io.widerow.loadgen.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SocketChannel;

/// A connection over one channel, which it closes.
abstract class ChannelConnection<C extends NetworkChannel> implements Connection {
  final C channel;

  ChannelConnection(C channel) {
    this.channel = channel;
  }

  /// A connected channel that sends each write at once.
  static SocketChannel connected(InetSocketAddress address) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.connect(address);
      return channel;
    } catch (Throwable failure) {
      channel.close();
      throw failure;
    }
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
