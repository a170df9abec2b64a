package io.widerow.storage.cold;

import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/// A segment of which only the [ColdStub] is here. Its other bytes are read by range, in pieces. A
/// reader that goes on where it was, in either direction, gets more of them at a time:
///
/// ```
///   miss       miss next to it       ...           up to 4 MiB
///   |--|       |----|                |----------------|
/// ```
///
/// - Threads: any; one fetches at a time, others that miss wait for it.
public final class ColdFile implements DiskFile {
  private static final int PIECES_MAX = (4 << 20) / ColdPieces.PIECE_BYTES;

  private final DiskFile file; // the stub
  private final ColdStub stub;
  private final ColdPieces pieces;
  private final String span;
  private final ReentrantLock fetching = new ReentrantLock();
  private long fetchedFrom = -1; // numbers of the last pieces that were fetched; under the lock
  private long fetchedUntil = -1;
  private int ahead = 1; // pieces that the last request had
  private volatile long expectedFrom; // a stretch that a reader has announced
  private volatile long expectedUntil;

  private ColdFile(DiskFile file, ColdStub stub, ColdPieces pieces, String span) {
    this.file = file;
    this.stub = stub;
    this.pieces = pieces;
    this.span = span;
  }

  /// Opens the segment of a stub.
  ///
  /// @param span time of the segment, for errors
  /// @throws StorageException.Corrupt when the stub is damaged
  public static ColdFile open(Disk disk, Path path, ColdPieces pieces, String span) {
    DiskFile file = disk.open(path);
    try {
      return new ColdFile(file, ColdStub.read(file), pieces, span);
    } catch (Throwable failure) {
      file.close();
      throw failure;
    }
  }

  public ColdStub stub() {
    return stub;
  }

  /// The path of the stub.
  @Override
  public Path path() {
    return file.path();
  }

  @Override
  public long size() {
    return stub.bytes();
  }

  @Override
  public boolean isHere() {
    return false;
  }

  @Override
  public void expect(long offset, long bytes) {
    expectedFrom = offset;
    expectedUntil = offset + bytes;
  }

  @Override
  public long read(MemorySegment target, long offset) {
    return read(target, offset, new StoreView.Fetches());
  }

  @Override
  public long read(MemorySegment target, long offset, StoreView.Fetches fetches) {
    long end = Math.min(stub.bytes(), offset + target.byteSize());
    long at = offset;
    while (at < end) {
      long limit = limitOfPart(at, end);
      MemorySegment part = target.asSlice(at - offset, limit - at);
      if (at < ColdStub.HEADER_BYTES) {
        readHere(part, at);
      } else if (at >= stub.tailOffset()) {
        readHere(part, ColdStub.HEADER_BYTES + at - stub.tailOffset());
      } else {
        readPiece(part, at, end, fetches);
      }
      at = limit;
    }
    return Math.max(0, at - offset);
  }

  /// Where a part ends that is read at once: of the stub, or of a piece.
  private long limitOfPart(long at, long end) {
    if (at < ColdStub.HEADER_BYTES) {
      return Math.min(end, ColdStub.HEADER_BYTES);
    }
    if (at >= stub.tailOffset()) {
      return end;
    }
    long piece = (at / ColdPieces.PIECE_BYTES + 1) * ColdPieces.PIECE_BYTES;
    return Math.min(Math.min(end, stub.tailOffset()), piece);
  }

  private void readHere(MemorySegment target, long offset) {
    long got = file.read(target, offset);
    if (got != target.byteSize()) {
      throw new StorageException.Corrupt(file.path(), offset + got, "the stub ends early");
    }
  }

  private void readPiece(MemorySegment target, long at, long end, StoreView.Fetches fetches) {
    long number = at / ColdPieces.PIECE_BYTES;
    int from = (int) (at % ColdPieces.PIECE_BYTES);
    while (!pieces.copy(stub, number, from, target)) {
      fetching.lock();
      try {
        if (!pieces.has(stub, number) && !pieces.load(stub, number)) {
          fetch(at, Math.min(end, stub.tailOffset()), fetches);
        }
      } finally {
        fetching.unlock();
      }
    }
  }

  /// Fetches the pieces of a stretch, what a reader has announced there, and more for a reader that
  /// goes on.
  private void fetch(long at, long end, StoreView.Fetches fetches) {
    boolean expected = at >= expectedFrom && at < expectedUntil;
    long until = Math.min(stub.tailOffset(), expected ? Math.max(end, expectedUntil) : end);
    long first = at / ColdPieces.PIECE_BYTES;
    long limit = (until - 1) / ColdPieces.PIECE_BYTES + 1;
    long last = (stub.tailOffset() - 1) / ColdPieces.PIECE_BYTES + 1;
    int wanted = (int) Math.min(PIECES_MAX, limit - first);
    if (first == fetchedUntil) {
      ahead = Math.min(PIECES_MAX, Math.max(wanted, 2 * ahead));
      limit = Math.min(last, first + ahead);
    } else if (limit == fetchedFrom) {
      ahead = Math.min(PIECES_MAX, Math.max(wanted, 2 * ahead));
      first = Math.max(0, Math.min(first, limit - ahead));
    } else {
      ahead = wanted;
      limit = first + wanted;
    }
    int count = (int) Math.min(PIECES_MAX, limit - first);
    while (count > 1 && pieces.isHere(stub, first + count - 1)) {
      count--;
    }
    pieces.fetch(stub, first, count, span, fetches);
    fetchedFrom = first;
    fetchedUntil = first + count;
  }

  /// Requests by which a reader gets a stretch, when nothing of it is here.
  public static long requests(long bytes) {
    long requests = 0;
    long pieces = 2; // a block is about this
    for (long left = bytes; left > 0; left -= pieces * ColdPieces.PIECE_BYTES) {
      pieces = requests == 0 ? pieces : Math.min(PIECES_MAX, 2 * pieces);
      requests++;
    }
    return requests;
  }

  @Override
  public boolean mayWait() {
    return true;
  }

  @Override
  public boolean isResident(long offset, long bytes) {
    long end = Math.min(stub.tailOffset(), offset + bytes);
    for (long at = Math.max(offset, ColdStub.HEADER_BYTES); at < end; ) {
      if (!pieces.has(stub, at / ColdPieces.PIECE_BYTES)) {
        return false;
      }
      at = limitOfPart(at, end);
    }
    return true; // the rest is in the stub, which is small
  }

  @Override
  public void write(MemorySegment source, long offset) {
    throw new UnsupportedOperationException(file.path() + " is open for reading");
  }

  @Override
  public void force() {
    throw new UnsupportedOperationException(file.path() + " is open for reading");
  }

  @Override
  public void truncate(long size) {
    throw new UnsupportedOperationException(file.path() + " is open for reading");
  }

  @Override
  public void close() {
    pieces.forget(stub);
    file.close();
  }
}
