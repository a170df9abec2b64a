package io.widerow.ingest.serve.reply;

import com.linecorp.armeria.common.HttpData;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/// Two native buffers for the pieces of one response: one is filled while the other is being
/// written to the socket. Without them, the allocator would get memory from the system for each
/// piece of this size, clear it and free it, 7 % of the cost of a long answer.
///
/// - Threads: one. The event loop releases pieces.
/// - Memory: owns the buffers; a piece that is still being written at [#close] keeps its own.
final class PieceBuffers implements AutoCloseable {
  private final ByteBufAllocator allocator;
  private final @Nullable ByteBuf[] buffers = new ByteBuf[2];

  PieceBuffers(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /// A copy in native memory, which the socket takes without another copy.
  HttpData copyOf(byte[] bytes, int from, int length) {
    return HttpData.wrap(free(length).clear().writeBytes(bytes, from, length).retainedDuplicate());
  }

  /// A buffer without a piece in it.
  private ByteBuf free(int length) {
    int place = isFree(0) ? 0 : 1;
    ByteBuf buffer = buffers[place];
    if (buffer != null) {
      if (isFree(place) && buffer.capacity() >= length) {
        return buffer;
      }
      buffers[place] = null; // first, in case the allocation below fails
      buffer.release();
    }
    ByteBuf larger = allocator.directBuffer(length + length / 8);
    buffers[place] = larger;
    return larger;
  }

  private boolean isFree(int place) {
    ByteBuf buffer = buffers[place];
    return buffer == null || buffer.refCnt() == 1;
  }

  @Override
  public void close() {
    for (int i = 0; i < buffers.length; i++) {
      ByteBuf buffer = buffers[i];
      if (buffer != null) {
        buffers[i] = null;
        buffer.release();
      }
    }
  }
}
