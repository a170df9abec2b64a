package io.widerow.storage.cold;

import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The pieces of cold segments that were read last, in memory and in a [ColdCache], and the place
/// that has the rest. After a failure of the place nothing asks it for some seconds: readers that
/// wait for each other fail together, and not one after the other.
///
/// - Threads: any.
/// - Memory: 32 MiB of the heap, or a sixteenth of it if that is less, once something was read.
public final class ColdPieces {
  /// Bytes of a piece: half of a usual block.
  static final int PIECE_BYTES = 1 << 16;

  private static final long MEMORY_BYTES_MAX = 32 << 20;
  private static final int HEAP_SHARE = 16;

  /// A reader that has fetched more than this share of the cache keeps nothing there.
  private static final int SCAN_SHARE = 4;

  private static final long REST_NANOS = 5_000_000_000L;
  private static final long REASON_NANOS = 25_000_000_000L;

  private final LongSupplier monotonicNanos;
  private final int most;
  private final Map<Key, byte[]> pieces = new LinkedHashMap<>(16, 0.75f, true); // guarded by this
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong bytesRead = new AtomicLong();
  private final AtomicLong hits = new AtomicLong();
  private final AtomicLong cacheHits = new AtomicLong();
  private volatile @Nullable ColdCache cache;
  private volatile long cacheBytesMax;
  private volatile @Nullable ColdPlace place;
  private volatile @Nullable Away away;

  /// @param number of the piece in its segment
  private record Key(String object, long number) {}

  /// The last failure of the place.
  private record Away(String reason, Throwable cause, long untilNanos) {}

  /// @param monotonicNanos monotonic clock
  public ColdPieces(LongSupplier monotonicNanos) {
    this(
        monotonicNanos,
        (int)
            (Math.min(MEMORY_BYTES_MAX, Runtime.getRuntime().maxMemory() / HEAP_SHARE)
                / PIECE_BYTES));
  }

  /// @param most number of pieces that are kept
  ColdPieces(LongSupplier monotonicNanos, int most) {
    this.monotonicNanos = monotonicNanos;
    this.most = most;
  }

  /// Reads from this place from now on.
  public void from(@Nullable ColdPlace newPlace) {
    place = newPlace;
    away = null;
  }

  /// Keeps pieces in a directory from now on.
  ///
  /// @param bytesMax size of the cache; 0 deletes the files of an earlier one and keeps no piece
  public void cacheIn(Disk disk, Path directory, long bytesMax) {
    if (bytesMax == 0) {
      ColdCache.delete(disk, directory);
    } else {
      cacheBytesMax = bytesMax;
      cache = ColdCache.open(disk, directory, bytesMax);
    }
  }

  /// Closes the files of the cache, which stay for the next start.
  public void closeCache() {
    ColdCache open = cache;
    if (open != null) {
      open.close();
    }
  }

  /// Bytes of the pieces on the disk.
  public long cacheBytes() {
    ColdCache open = cache;
    return open == null ? 0 : open.bytes();
  }

  /// Why no piece is kept on the disk although there is a cache; null when they are.
  public @Nullable String cacheFailure() {
    ColdCache open = cache;
    return open == null ? null : open.failure();
  }

  /// Pieces that were on the disk when a reader wanted them.
  public long cacheHits() {
    return cacheHits.get();
  }

  /// Requests to the place so far.
  public long requests() {
    return requests.get();
  }

  /// Bytes that it sent.
  public long bytesRead() {
    return bytesRead.get();
  }

  /// Pieces that were here when a reader wanted them.
  public long hits() {
    return hits.get();
  }

  /// Why the place could not be read in the last half minute; null when it could.
  public @Nullable String reason() {
    Away last = away;
    return last == null || monotonicNanos.getAsLong() - last.untilNanos > REASON_NANOS
        ? null
        : last.reason;
  }

  boolean has(ColdStub stub, long number) {
    synchronized (pieces) {
      return pieces.containsKey(new Key(stub.object(), number));
    }
  }

  /// True when a piece is in memory or on the disk.
  boolean isHere(ColdStub stub, long number) {
    ColdCache open = cache;
    return has(stub, number) || (open != null && open.has(stub, number));
  }

  /// Brings a piece from the disk into memory; false when it is not there.
  boolean load(ColdStub stub, long number) {
    ColdCache open = cache;
    byte[] piece = open == null ? null : open.get(stub, number);
    if (piece == null) {
      return false;
    }
    cacheHits.incrementAndGet();
    keep(stub, number, piece, most);
    return true;
  }

  /// Copies a part of a piece, if it is here.
  boolean copy(ColdStub stub, long number, int from, MemorySegment target) {
    byte[] piece;
    synchronized (pieces) {
      piece = pieces.get(new Key(stub.object(), number));
    }
    if (piece == null) {
      return false;
    }
    hits.incrementAndGet();
    copy(piece, from, target);
    return true;
  }

  private static void copy(byte[] piece, int from, MemorySegment target) {
    MemorySegment.copy(
        piece, from, target, ValueLayout.JAVA_BYTE, 0, Math.toIntExact(target.byteSize()));
  }

  /// Fetches pieces by one request.
  ///
  /// @param first number of the first one
  /// @param count number of pieces; the last one may be shorter
  /// @param span time of the segment, for errors
  /// @param fetches counts it
  void fetch(ColdStub stub, long first, int count, String span, StoreView.Fetches fetches) {
    long offset = first * PIECE_BYTES;
    int bytes = (int) Math.min((long) count * PIECE_BYTES, stub.tailOffset() - offset);
    byte[] got = request(stub, offset, bytes, span, fetches);
    ColdCache open = fetches.bytes() > cacheBytesMax / SCAN_SHARE ? null : cache;
    for (int at = 0; at < bytes; at += PIECE_BYTES) {
      byte[] piece = Arrays.copyOfRange(got, at, Math.min(at + PIECE_BYTES, bytes));
      long number = first + at / PIECE_BYTES;
      keep(stub, number, piece, Math.max(most, count));
      if (open != null) {
        open.put(stub, number, piece);
      }
    }
  }

  private void keep(ColdStub stub, long number, byte[] piece, int limit) {
    synchronized (pieces) {
      pieces.put(new Key(stub.object(), number), piece);
      var eldest = pieces.keySet().iterator();
      while (pieces.size() > limit) {
        eldest.next();
        eldest.remove();
      }
    }
  }

  private byte[] request(
      ColdStub stub, long offset, int bytes, String span, StoreView.Fetches fetches) {
    ColdPlace from = place;
    if (from == null) {
      throw new StorageException.Unreachable(
          "%s: %s cannot be read: it was moved there, and the key `cold` is not set"
              .formatted(stub.place(), span),
          null);
    }
    Away last = away;
    if (last != null && last.untilNanos - monotonicNanos.getAsLong() > 0) {
      throw unreachable(last.reason, span, last.cause);
    }
    fetches.add(bytes);
    byte[] got;
    try {
      requests.incrementAndGet();
      got = from.read(stub.object(), offset, bytes);
    } catch (StorageException.Unreachable failure) {
      String reason = String.valueOf(failure.getMessage());
      away = new Away(reason, failure, monotonicNanos.getAsLong() + REST_NANOS);
      throw unreachable(reason, span, failure);
    }
    away = null;
    if (got == null && !from.url().equals(stub.place())) {
      throw new StorageException.Unreachable(
          "%s: %s cannot be read: it was moved there, and `cold` is %s"
              .formatted(stub.place(), span, from.url()),
          null);
    }
    if (got == null || got.length != bytes) {
      throw new StorageException.Corrupt(
          stub.path(),
          offset,
          "%s/%s %s"
              .formatted(
                  from.url(),
                  stub.object(),
                  got == null
                      ? "is gone"
                      : "ends at byte %d or before".formatted(offset + got.length)));
    }
    bytesRead.addAndGet(got.length);
    return got;
  }

  private static StorageException.Unreachable unreachable(
      String reason, String span, Throwable cause) {
    return new StorageException.Unreachable(
        "%s; %s cannot be read now".formatted(reason, span), cause);
  }

  /// Forgets the pieces of an object, so that they are read again.
  void forget(ColdStub stub) {
    synchronized (pieces) {
      pieces.keySet().removeIf(key -> key.object.equals(stub.object()));
    }
  }
}
