package io.widerow.ingest;

import com.linecorp.armeria.common.HttpData;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/// Native memory that the pieces of one answer take turns in: one is filled while the other is on
/// its way into the socket. The allocator would take memory from the system for each piece of this
/// size, clear it and give it back, which was 7 % of what a long answer costs.
///
/// - Threads: one. The event loop releases pieces.
/// - Memory: owns the buffers; a piece that is still on its way at [#close] keeps its own.
final class PieceBuffers implements AutoCloseable {
  private final ByteBufAllocator allocator;
  private final @Nullable ByteBuf[] buffers = new ByteBuf[2];

  PieceBuffers(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /// A copy that the socket takes as it is.
  HttpData copyOf(byte[] bytes, int length) {
    return HttpData.wrap(free(length).clear().writeBytes(bytes, 0, length).retainedDuplicate());
  }

  /// A buffer that no piece is in.
  private ByteBuf free(int length) {
    int place = isFree(0) ? 0 : 1;
    ByteBuf buffer = buffers[place];
    if (buffer != null) {
      if (isFree(place) && buffer.capacity() >= length) {
        return buffer;
      }
      buffers[place] = null; // there may be no memory for another
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
