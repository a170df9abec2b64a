package io.widerow.storage.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/// A local file that is written. It is never reopened: a new channel would not report write errors
/// of the old channel's pages.
///
/// - Threads: as [DiskFile].
final class WrittenFile implements DiskFile {
  private static final long PIECE_BYTES = 1 << 30; // a buffer cannot be much larger

  private final Path path;
  private final FileChannel channel;
  private boolean sizeChanged = true;

  WrittenFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public long size() {
    return RealDisk.call(path, "look up the size", channel::size);
  }

  @Override
  public void write(MemorySegment source, long offset) {
    try {
      sizeChanged |= offset + source.byteSize() > channel.size();
      long done = 0;
      while (done < source.byteSize()) {
        done += channel.write(piece(source, done), offset + done);
      }
    } catch (IOException failure) {
      throw RealDisk.failed(path, "write", failure, source.byteSize());
    }
  }

  @Override
  public long read(MemorySegment target, long offset) {
    long done = 0;
    while (done < target.byteSize()) {
      ByteBuffer piece = piece(target, done);
      long at = offset + done;
      int count = RealDisk.call(path, "read", () -> channel.read(piece, at));
      if (count < 0) {
        break;
      }
      done += count;
    }
    return done;
  }

  private static ByteBuffer piece(MemorySegment memory, long from) {
    return memory.asSlice(from, Math.min(PIECE_BYTES, memory.byteSize() - from)).asByteBuffer();
  }

  @Override
  public void force() {
    try {
      channel.force(sizeChanged);
      sizeChanged = false;
    } catch (IOException failure) {
      throw RealDisk.failed(path, "force", failure, 0);
    }
  }

  @Override
  public void truncate(long size) {
    FileChannel _ = RealDisk.call(path, "truncate", () -> channel.truncate(size));
    sizeChanged = true;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException failure) {
      throw RealDisk.failed(path, "close", failure, 0);
    }
  }
}
