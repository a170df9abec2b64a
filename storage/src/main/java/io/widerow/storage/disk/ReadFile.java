package io.widerow.storage.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A local file that is only read; nobody changes or deletes it meanwhile. [OpenFiles] or an
/// interrupted reader may close its channel; the next reader opens it again.
///
/// - Threads: as [DiskFile]. A read defers the thread's interruption: Java would close the channel
///   for every thread.
final class ReadFile implements DiskFile, OpenFiles.Reopenable {
  private static final long PIECE_BYTES = 1 << 30; // a buffer cannot be much larger
  private static final String NO_MORE_FILES = "too many open files";

  private final Path path;
  private final OpenFiles pool;
  private final long size;
  private final AtomicReference<@Nullable FileChannel> channel = new AtomicReference<>();
  private volatile boolean read = true; // a new file is not the first to be closed
  private volatile boolean closed;
  private volatile @Nullable ResidentPages pages; // set by the first read with a deadline

  ReadFile(Path path, OpenFiles pool) throws IOException {
    this.path = path;
    this.pool = pool;
    this.size = use(FileChannel::size);
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public long read(MemorySegment target, long offset) {
    read = true;
    long done = 0;
    while (done < target.byteSize()) {
      long piece = Math.min(PIECE_BYTES, target.byteSize() - done);
      int count = readPiece(target.asSlice(done, piece).asByteBuffer(), offset + done);
      if (count < 0) {
        break;
      }
      done += count;
    }
    return done;
  }

  private int readPiece(ByteBuffer target, long offset) {
    try {
      return (int) use(open -> open.read(target, offset));
    } catch (IOException failure) {
      throw RealDisk.failed(path, "read", failure, 0);
    }
  }

  private interface Use {
    long of(FileChannel open) throws IOException;
  }

  /// Runs `use` on the channel, again if another thread closed it, and defers the thread's
  /// interruption.
  private long use(Use use) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        FileChannel current = channel();
        try {
          return use.of(current);
        } catch (ClosedChannelException gone) {
          interrupted |= Thread.interrupted();
          drop(current);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private FileChannel channel() throws IOException {
    while (true) {
      FileChannel current = channel.get();
      if (current != null) {
        return current;
      }
      if (closed) {
        throw new ClosedChannelException();
      }
      FileChannel opened = open();
      if (channel.compareAndSet(null, opened)) {
        pool.opened(this);
        if (closed) {
          setAside(); // close() ran between the two
        }
        return opened;
      }
      opened.close();
    }
  }

  private FileChannel open() throws IOException {
    try {
      return openOnce();
    } catch (FileSystemException failure) {
      String reason = String.valueOf(failure.getReason());
      if (!reason.toLowerCase(Locale.ROOT).contains(NO_MORE_FILES)) {
        throw failure;
      }
      pool.setHalfAside();
      return openOnce();
    }
  }

  private FileChannel openOnce() throws IOException {
    return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
  }

  /// Forgets a closed channel.
  private void drop(FileChannel gone) {
    if (channel.compareAndSet(gone, null)) {
      pool.closed(this);
    }
  }

  @Override
  public boolean mayWait() {
    return true;
  }

  /// A file without an open channel is never known to be resident: opening it may wait too.
  @Override
  public boolean isResident(long offset, long bytes) {
    ResidentPages known = pages == null ? mapPages() : pages;
    return known != null && channel.get() != null && known.has(offset, bytes);
  }

  private synchronized @Nullable ResidentPages mapPages() {
    FileChannel open = channel.get();
    if (pages == null && open != null && !closed) {
      try {
        pages = new ResidentPages(open, size);
      } catch (IOException unknown) { // closed by another thread, or no more mappings
        return null;
      }
    }
    return pages;
  }

  @Override
  public boolean wasRead() {
    boolean was = read;
    read = false;
    return was;
  }

  @Override
  public void setAside() {
    FileChannel open = channel.getAndSet(null);
    if (open != null) {
      try {
        open.close();
      } catch (IOException failure) {
        throw RealDisk.failed(path, "close", failure, 0);
      }
    }
  }

  @Override
  public void write(MemorySegment source, long offset) {
    throw new UnsupportedOperationException(path + " is open for reading");
  }

  @Override
  public void force() {
    throw new UnsupportedOperationException(path + " is open for reading");
  }

  @Override
  public void truncate(long newSize) {
    throw new UnsupportedOperationException(path + " is open for reading");
  }

  @Override
  public void close() {
    closed = true;
    setAside();
    pool.closed(this);
    unmapPages();
  }

  private synchronized void unmapPages() {
    ResidentPages known = pages;
    if (known != null) {
      pages = null;
      known.close();
    }
  }
}
