package io.widerow.storage.cassandra.migrate;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.event.RetentionPolicy;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.StoreLock;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.manifest.RetentionSection;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.segment.SegmentOrigin;
import io.widerow.storage.segment.SegmentSummary;
import io.widerow.storage.segment.SegmentWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A directory that becomes a store: segments are written and listed in its manifest, a bucket at a
/// time. Its file FORMAT comes last, so that no daemon takes half a store for a whole one.
///
/// - Threads: several may write segments at once.
final class DirectoryTarget implements AutoCloseable {
  private final Disk disk;
  private final Path directory;
  private final Disk.Lock lock;
  private final Manifest manifest; // guarded by this
  private final SegmentFiles files;
  private final Consumer<Path> written;
  private DirectoryRecord record;

  private DirectoryTarget(
      Disk disk,
      Path directory,
      Disk.Lock lock,
      DirectoryRecord record,
      Manifest manifest,
      Consumer<Path> written) {
    this.written = written;
    this.disk = disk;
    this.directory = directory;
    this.lock = lock;
    this.record = record;
    this.manifest = manifest;
    this.files = new SegmentFiles(disk, directory, record.storeId());
  }

  /// Opens a directory that is empty, or that this cluster was copied into before; makes it when it
  /// is absent.
  ///
  /// @param cluster id of the cluster's store
  /// @param written called with the file of each new segment that is listed; it may delete the file
  /// @throws StorageException.Incompatible when it is something else
  /// @throws StorageException.ReadOnly when a daemon has taken it over since
  static DirectoryTarget open(Disk disk, Path directory, UUID cluster, Consumer<Path> written) {
    disk.createDirectory(directory);
    Disk.Lock lock = StoreLock.take(disk, directory);
    Manifest manifest = null;
    try {
      DirectoryRecord record = record(disk, directory, cluster);
      manifest = Manifest.read(disk, directory, record.storeId());
      if (manifest.journals() > 0) {
        throw new StorageException.ReadOnly(
            "%s: a daemon has it as its store since the last migration; copy into a new directory"
                .formatted(directory));
      }
      DirectoryTarget target =
          new DirectoryTarget(disk, directory, lock, record, manifest, written);
      manifest.rewrite();
      target.files.createDirectory();
      target.files.deleteUnfinished();
      target.files.deleteOrphans(manifest.segments());
      return target;
    } catch (Throwable failure) {
      if (manifest != null) {
        manifest.close();
      }
      StoreLock.giveBack(directory, lock);
      throw failure;
    }
  }

  private static DirectoryRecord record(Disk disk, Path directory, UUID cluster) {
    DirectoryRecord known = DirectoryRecord.read(disk, directory);
    if (known == null) {
      List<String> found =
          disk.list(directory).stream()
              .map(path -> path.getFileName().toString())
              .filter(name -> !name.equals(StoreLock.NAME) && !name.endsWith(".tmp"))
              .toList();
      if (!found.isEmpty()) {
        throw new StorageException.Incompatible(
            directory,
            "a migration needs a directory that is empty or that it began itself; it contains "
                + found.getFirst());
      }
      DirectoryRecord begun = new DirectoryRecord(cluster, UUID.randomUUID(), null, List.of());
      begun.write(disk, directory);
      return begun;
    }
    if (!known.cluster().equals(cluster)) {
      throw new StorageException.Incompatible(
          directory,
          "another cluster was copied into it, with the store id %s; this one is %s"
              .formatted(known.cluster(), cluster));
    }
    return known;
  }

  DirectoryRecord record() {
    return record;
  }

  private void write(DirectoryRecord next) {
    next.write(disk, directory);
    record = next;
  }

  /// Begins an attempt; returns the version of events with clients' ids that it writes, which is
  /// above those of all before.
  synchronized long begin(ClusterArrivals to) {
    write(record.with(new DirectoryRecord.Attempt(manifest.segmentIdNext(), to)));
    return Math.max(1, manifest.counterLimit());
  }

  /// The position up to which earlier runs copied a bucket; null for none.
  synchronized @Nullable ClusterArrivals doneOf(Bucket bucket) {
    ClusterArrivals done = record.done();
    List<DirectoryRecord.Attempt> attempts = record.attempts();
    for (int i = 0; i < attempts.size() - 1; i++) { // the last one is in progress
      long first = attempts.get(i).segmentFirst();
      long limit = attempts.get(i + 1).segmentFirst();
      for (SegmentEntry entry : manifest.segments()) {
        if (entry.id() >= first
            && entry.id() < limit
            && entry.bucketMinutes() == bucket.startMinutes()
            && entry.widthMinutes() == bucket.widthMinutes()) {
          done = attempts.get(i).to();
        }
      }
    }
    return done;
  }

  /// The partitions of a bucket to write.
  interface Content {
    /// Writes partitions in order of keys, events in order of ids.
    ///
    /// @return one more than the greatest arrival counter; 0 when nothing was written
    long writeTo(SegmentWriter writer);
  }

  /// The segments of each bucket.
  synchronized SortedMap<Bucket, List<SegmentEntry>> buckets() {
    SortedMap<Bucket, List<SegmentEntry>> buckets = new TreeMap<>();
    for (SegmentEntry entry : manifest.segments()) {
      Bucket bucket = new Bucket(entry.bucketMinutes(), entry.widthMinutes());
      buckets.computeIfAbsent(bucket, _ -> new ArrayList<>()).add(entry);
    }
    return buckets;
  }

  /// Forgets segments, and deletes those of their files that are here.
  void remove(List<SegmentEntry> old) {
    if (!old.isEmpty()) {
      commit(List.of(), old, 0, 0);
      deleteFiles(old);
    }
  }

  private void deleteFiles(List<SegmentEntry> old) {
    old.stream().filter(entry -> disk.exists(files.named(entry.id()))).forEach(files::deleteFile);
  }

  /// Writes one segment and lists it; nothing when there are no events.
  ///
  /// @return its bytes
  long add(PartitionKey first, Content content) {
    return replace(List.of(), first, content);
  }

  /// Writes one segment and lists it in place of others, at one moment; without events it only
  /// forgets the others.
  ///
  /// @return its bytes
  long replace(List<SegmentEntry> old, PartitionKey first, Content content) {
    long id = takeId();
    long bytes = write(id, old, first, content);
    if (bytes > 0) {
      written.accept(files.named(id));
    }
    return bytes;
  }

  private long write(long id, List<SegmentEntry> old, PartitionKey first, Content content) {
    try (SegmentWriter writer = files.writer(files.temporary(id), id, true)) {
      long counterLimit = content.writeTo(writer);
      long now = StoreClock.system().wallNanos();
      writer.tell(new SegmentOrigin(counterLimit, now, List.of()));
      SegmentSummary summary = writer.finish();
      if (summary.events() == 0) {
        disk.delete(files.temporary(id));
        remove(old);
        return 0;
      }
      try (LiveSegment made = files.adopt(SegmentEntry.of(summary, first, true))) {
        files.forceDirectory();
        commit(List.of(made.entry()), old, counterLimit, now);
      }
      deleteFiles(old);
      return summary.bytes();
    } catch (Throwable failure) {
      files.discard(id, failure);
      throw failure;
    }
  }

  private synchronized long takeId() {
    return manifest.takeSegmentId();
  }

  private synchronized void commit(
      List<SegmentEntry> added, List<SegmentEntry> removed, long counterLimit, long nowNanos) {
    manifest.commit(
        new ManifestEdit(
            manifest.segmentIdNext(),
            Math.max(manifest.counterLimit(), counterLimit),
            Math.max(manifest.clockNanos(), nowNanos),
            added,
            removed.stream().map(SegmentEntry::id).toList(),
            Map.of(),
            0));
  }

  /// Keeps the retention of the cluster, in the place of an earlier one.
  synchronized void retain(List<RetentionPolicy> policies) {
    RetentionSection before = manifest.retention();
    if (before == null ? !policies.isEmpty() : !before.policies().equals(policies)) {
      RetentionSection now = new RetentionSection(policies, List.of());
      manifest.commit(ManifestEdit.ofSections(manifest, now.toSections()));
    }
  }

  /// Everything up to a position is there: the directory is a store from now on.
  synchronized void finish(ClusterArrivals to) {
    if (!disk.exists(directory.resolve(StoreFormat.NAME))) {
      StoreFormat.create(disk, directory, record.storeId());
    }
    write(record.through(to));
  }

  @Override
  public void close() {
    synchronized (this) {
      manifest.close();
    }
    StoreLock.giveBack(directory, lock);
  }
}
