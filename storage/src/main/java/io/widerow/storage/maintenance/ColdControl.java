package io.widerow.storage.maintenance;

import io.widerow.event.Bucket;
import io.widerow.storage.cold.ColdFile;
import io.widerow.storage.cold.ColdPlace;
import io.widerow.storage.cold.ColdStub;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentSet;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.segment.Segment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The cold segments of a store: which ones should move, the step that puts a stub in place of a
/// file whose object was verified, and the way back. Its owner puts and reads the objects.
///
/// ```
///   next -> put, read back -> moved: stub durable -> readers see it -> file deleted
/// ```
///
/// A crash leaves the file, or the file and the stub, or the stub alone. With both the file counts,
/// and the segment is moved again.
///
/// - Threads: any.
public final class ColdControl {
  /// So long a segment that was fetched back stays, unless the store is opened again.
  private static final long RECALLED_NANOS = Duration.ofDays(1).toNanos();

  private static final String CACHE = "cold-cache";
  private static final int CACHE_SHARE = 2; // of the free space

  private final StoreContents contents;
  private final SegmentFiles files;
  private final Disk disk;
  private final Path directory;
  private final Merger merger;
  private final ReentrantLock deciding = new ReentrantLock();
  private final Map<Long, Long> recalledUntil = new ConcurrentHashMap<>(); // by segment

  /// @param directory of the store
  public ColdControl(
      StoreContents contents, SegmentFiles files, Disk disk, Path directory, Merger merger) {
    this.contents = contents;
    this.files = files;
    this.disk = disk;
    this.directory = directory;
    this.merger = merger;
  }

  /// Which segments move.
  public interface Choice {
    /// Age, from the end of the bucket, at which events of a type move; null for never.
    @Nullable Duration after(String type);

    /// Segments of fewer bytes stay.
    long bytesMin();
  }

  /// A cold segment.
  ///
  /// @param object its name in the place
  public record Cold(
      long id,
      List<String> types,
      long fromNanos,
      long untilNanos,
      long events,
      long bytes,
      String place,
      String object,
      String sha256) {
    public Cold {
      types = List.copyOf(types);
    }
  }

  /// A segment with a lease on its file, until it is closed.
  public final class Held implements AutoCloseable {
    private final LiveSegment live;
    private final Segment file;

    private Held(LiveSegment live, Segment file) {
      this.live = live;
      this.file = file;
    }

    public long id() {
      return live.entry().id();
    }

    /// The file, or the stub of a cold one.
    public Path path() {
      return file.path();
    }

    public long bytes() {
      return live.entry().bytes();
    }

    /// Name of the object of the segment.
    public String object(String sha256) {
      String name = live.entry().fileName();
      return ColdStub.object(name.substring(0, name.lastIndexOf('.')), sha256);
    }

    /// Reads the whole file and checks it.
    ///
    /// @throws io.widerow.storage.StorageException.Corrupt when it is damaged
    public void verify() {
      file.verify();
    }

    /// Puts the stub in place of the file. The object is there and was read back.
    ///
    /// @return false when the segment has gone meanwhile
    /// @throws InterruptedException when the thread was interrupted while it waited
    public boolean moved(String place, String sha256) throws InterruptedException {
      StoreFormat.addCold(disk, directory);
      return merger.rewrite(
          new ColdSwap(
              live, now -> files.cool(now, place, sha256), () -> files.deleteFile(live.entry())));
    }

    /// Where the fetched file of a cold segment is written to.
    public Path temporary() {
      return files.temporary(id());
    }

    /// Puts the fetched file in place of the stub.
    ///
    /// @return false when the segment has gone meanwhile
    /// @throws InterruptedException when the thread was interrupted while it waited
    public boolean recalled() throws InterruptedException {
      recalledUntil.put(id(), now() + RECALLED_NANOS);
      return merger.rewrite(
          new ColdSwap(
              live, _ -> files.recall(live.entry()), () -> files.deleteStub(live.entry())));
    }

    @Override
    public void close() {
      file.release();
    }
  }

  /// Reads cold segments from this place from now on; null for none.
  public void readFrom(@Nullable ColdPlace place) {
    files.pieces().from(place);
  }

  /// Requests by which cold segments were read.
  public long requests() {
    return files.pieces().requests();
  }

  /// Bytes that were read by them.
  public long bytesRead() {
    return files.pieces().bytesRead();
  }

  /// Pieces of cold segments that were here when a reader wanted them.
  public long hits() {
    return files.pieces().hits();
  }

  /// Keeps pieces of them on the disk from now on, in the directory of the store.
  ///
  /// @param bytesMax at most half of the free space is used; 0 for none
  public void cache(long bytesMax) {
    long most = Math.min(bytesMax, disk.usableBytes(directory) / CACHE_SHARE);
    files.pieces().cacheIn(disk, directory.resolve(CACHE), most);
  }

  /// Closes the cache. Its files stay for the next start.
  public void closeCache() {
    files.pieces().closeCache();
  }

  /// Bytes of the pieces on the disk.
  public long cacheBytes() {
    return files.pieces().cacheBytes();
  }

  /// Why no piece is kept on the disk; null when nothing is wrong.
  public @Nullable String cacheFailure() {
    return files.pieces().cacheFailure();
  }

  /// Pieces that were on the disk when a reader wanted them.
  public long cacheHits() {
    return files.pieces().cacheHits();
  }

  /// Why a cold segment could not be read a moment ago; null when one could.
  public @Nullable String reason() {
    return files.pieces().reason();
  }

  /// Held by who decides which objects may go, and by who relies on one.
  public ReentrantLock deciding() {
    return deciding;
  }

  public Disk disk() {
    return disk;
  }

  /// Directory of the store.
  public Path directory() {
    return directory;
  }

  /// The wall clock, nanoseconds since the Unix epoch.
  public long now() {
    return contents.clock().wallNanos();
  }

  /// The cold segments, the oldest time first.
  public List<Cold> all() {
    List<Cold> all = new ArrayList<>();
    for (LiveSegment live : sorted()) {
      Segment file = live.file();
      if (file != null && file.file() instanceof ColdFile cold) {
        Bucket bucket = SegmentSet.bucketOf(live);
        all.add(
            new Cold(
                live.entry().id(),
                live.partitions().types(),
                bucket.fromNanos(),
                bucket.untilNanos(),
                live.entry().events(),
                live.entry().bytes(),
                cold.stub().place(),
                cold.stub().object(),
                cold.stub().sha256()));
      }
    }
    return all;
  }

  private List<LiveSegment> sorted() {
    return contents.state().segments().all().stream()
        .sorted(Comparator.comparing(SegmentSet::bucketOf))
        .toList();
  }

  /// Bytes of the segments that should move.
  public long pendingBytes(Choice choice) {
    return sorted().stream()
        .filter(live -> isDue(live, choice))
        .mapToLong(live -> live.entry().bytes())
        .sum();
  }

  /// The next segment that should move, the oldest one first; null when there is none.
  ///
  /// @param except segments that are left out, by id
  public @Nullable Held next(Choice choice, Predicate<Long> except) {
    return hold(live -> !except.test(live.entry().id()) && isDue(live, choice));
  }

  /// A cold segment; null when it is no longer there.
  public @Nullable Held hold(Cold cold) {
    return hold(live -> live.entry().id() == cold.id() && live.isCold());
  }

  private @Nullable Held hold(Predicate<LiveSegment> wanted) {
    for (LiveSegment live : sorted()) {
      Segment file = live.file();
      if (file != null && wanted.test(live) && file.tryAcquire()) {
        return new Held(live, Objects.requireNonNull(file));
      }
    }
    return null;
  }

  /// A segment in final form moves when all of its types are old enough.
  private boolean isDue(LiveSegment live, Choice choice) {
    if (!live.entry().merged()
        || !live.mayMerge()
        || live.entry().bytes() < choice.bytesMin()
        || contents.isDrained()
        || recalledUntil.getOrDefault(live.entry().id(), Long.MIN_VALUE) > now()) {
      return false;
    }
    long age = contents.clock().retentionNanos() - SegmentSet.bucketOf(live).untilNanos();
    for (String type : live.partitions().types()) {
      Duration after = choice.after(type);
      if (after == null || age < after.toNanos()) {
        return false;
      }
    }
    return true;
  }
}
