package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/// Writes replies as frames, and from a certain one on in segments or compressed.
///
/// - Threads: the event loop of the connection.
public final class FrameWriter extends ChannelOutboundHandlerAdapter {
  private static final int ANSWER = 0x80;

  /// Bodies below it are not worth compressing.
  private static final int COMPRESSED_MIN = 512;

  private @Nullable SegmentCodec segments;
  private @Nullable Lz4 lz4;

  /// From the next reply on frames go in segments.
  ///
  /// @param compressed whether these are compressed
  public void beginSegments(boolean compressed) {
    segments = new SegmentCodec(compressed ? new Lz4() : null);
  }

  /// From the next reply on bodies are compressed.
  public void beginCompression() {
    lz4 = new Lz4();
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    Reply reply = (Reply) message;
    SegmentCodec codec = segments;
    ByteBuf frame = codec == null ? compressed(reply) : plain(reply, 0, reply.body());
    if (codec == null) {
      var _ = context.write(frame, promise);
      return;
    }
    int length = frame.readableBytes();
    int parts = Math.max(1, Math.ceilDiv(length, SegmentCodec.PAYLOAD_BYTES_MAX));
    ByteBuf out = context.alloc().buffer(length + parts * SegmentCodec.bytesMax(0));
    try {
      while (frame.isReadable()) {
        int part = Math.min(frame.readableBytes(), SegmentCodec.PAYLOAD_BYTES_MAX);
        codec.write(frame.readSlice(part), parts == 1, out);
      }
    } finally {
      frame.release();
    }
    var _ = context.write(out, promise);
  }

  private ByteBuf compressed(Reply reply) {
    Lz4 compressing = lz4;
    ByteBuf body = reply.body();
    if (compressing == null || body.readableBytes() < COMPRESSED_MIN) {
      return plain(reply, 0, body);
    }
    ByteBuf block = compressing.compress(body);
    ByteBuf length = Unpooled.buffer(Integer.BYTES).writeInt(body.readableBytes());
    body.release();
    return plain(reply, FrameReader.COMPRESSED, Unpooled.wrappedBuffer(length, block));
  }

  private static ByteBuf plain(Reply reply, int flags, ByteBuf body) {
    ByteBuf header = Unpooled.buffer(FrameReader.HEADER_BYTES);
    header.writeByte(ANSWER | reply.version()).writeByte(flags | reply.flags());
    header.writeShort(reply.stream());
    header.writeByte(reply.opcode().number).writeInt(body.readableBytes());
    return Unpooled.wrappedBuffer(header, body);
  }
}
