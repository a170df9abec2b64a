package io.widerow.storage.objects;

import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.BackupCut;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The backup of a store on a cluster. Of its daemons the one with a lease makes the checkpoints:
/// it copies what is new since the last one, whichever daemon made that, into segments, and puts
/// them.
///
/// ```
///   lease -> owner, epoch -> what is new, a segment a bucket -> object -> files of the state
///         -> owner is still this one -> a cut without frames -> checkpoint -> head
/// ```
///
/// The mark of the owner is the id of the store on the cluster. A daemon that takes the lease takes
/// the next epoch too: another that still works on a checkpoint finds itself fenced, and puts none.
///
/// There are no frames: the moments that can be restored are those of checkpoints. Each has the cut
/// of its own moment, in an object of frames.
///
/// - Threads: as [RunningBackup]. A checkpoint may take long; [#close] does not wait for it.
/// - Disk: the copy needs room for one bucket, and for the manifest.
public final class CopyBackup implements RunningBackup {
  private static final long SECOND = 1_000_000_000L;
  private static final long LEASE_NANOS = 20 * SECOND;

  /// No lane: the one that an object of frames must have has no frame, and there are no tables.
  private static final List<Long> SEALED = List.of(0L, BackupCut.NONE);

  private final EventStore.Copier copier;
  private final BooleanSupplier lease;
  private final Disk disk = new RealDisk();
  private final Path directory;
  private final ObjectStore objects;
  private final BackupOptions options;
  private final LongSupplier wall;
  private final LongSupplier monotonic;
  private final Object files = new Object(); // held by who makes a checkpoint
  private final Retry leaseRetry;
  private final Retry filesRetry;
  private final Retry retentionRetry;
  private volatile boolean leased;
  private volatile boolean closed;
  private volatile @Nullable Run run;
  private volatile @Nullable String refused; // why another owns the place
  private volatile @Nullable Checkpoint last;
  private volatile long restorableAt; // monotonic: what was applied then can be restored
  private final AtomicLong sentBytes = new AtomicLong(); // of earlier epochs
  private volatile BackupRetention.@Nullable Found retained;
  private long leasedAt;
  private long checkpointAt; // of the files
  private long retainedAt;

  /// One epoch.
  private static final class Run {
    private final Owner owner;
    private final CopiedFiles copy;
    private final Set<String> made = new HashSet<>();
    private long seq;
    private int crc; // of the last object of frames
    private long nanos; // of the last checkpoint

    Run(Owner owner, CopiedFiles copy, long nanos) {
      this.owner = owner;
      this.copy = copy;
      this.nanos = nanos;
    }
  }

  /// @param lease takes or renews the lease for a minute; true when this daemon has it
  /// @param directory of the daemon; files are in `backup` in it
  /// @param wall the wall clock, nanoseconds since the Unix epoch
  /// @param monotonic the monotonic clock
  public CopyBackup(
      EventStore.Copier copier,
      BooleanSupplier lease,
      Path directory,
      ObjectStore objects,
      BackupOptions options,
      LongSupplier wall,
      LongSupplier monotonic) {
    this.copier = copier;
    this.lease = lease;
    this.directory = directory.resolve(BackupMark.DIRECTORY);
    this.objects = objects;
    this.options = options;
    this.wall = wall;
    this.monotonic = monotonic;
    this.leaseRetry = new Retry(monotonic);
    this.filesRetry = new Retry(monotonic);
    this.retentionRetry = new Retry(monotonic);
    long now = monotonic.getAsLong();
    this.leasedAt = now - LEASE_NANOS;
    this.restorableAt = now;
    this.checkpointAt = now - options.checkpoint().toNanos();
    this.retainedAt = now - options.retention().every().toNanos();
  }

  /// Takes or renews the lease, if it is time to.
  @Override
  public void step() {
    long now = monotonic.getAsLong();
    if (closed || now - leasedAt < LEASE_NANOS || !leaseRetry.isDue(now)) {
      return;
    }
    try {
      leased = lease.getAsBoolean();
      refused = leased ? refused : null;
      leasedAt = now;
      leaseRetry.succeeded();
    } catch (StorageException failure) {
      leased = false;
      leaseRetry.failed(failure);
    }
  }

  @Override
  public void checkpoint() {
    synchronized (files) {
      long now = monotonic.getAsLong();
      if (closed || !filesRetry.isDue(now)) {
        return;
      }
      if (!leased) {
        end();
        return;
      }
      try {
        if (now - checkpointAt >= options.checkpoint().toNanos()) {
          var _ = write();
        }
        retain();
      } catch (ObjectsException | StorageException failure) {
        filesRetry.failed(failure);
      }
    }
  }

  @Override
  public Backup.Made now() {
    if (!leased) {
      throw new ObjectsException.Away(
          leaseRetry.reason() == null
              ? "another daemon of the cluster makes the checkpoints; ask that one"
              : "it is not known which daemon makes the checkpoints: " + leaseRetry.reason());
    }
    synchronized (files) {
      Checkpoint made = write();
      return new Backup.Made(made.name(), made.at());
    }
  }

  /// Makes a checkpoint.
  private Checkpoint write() {
    try {
      Run at = run == null ? begin() : run;
      Checkpoint made = write(at);
      refused = null;
      filesRetry.succeeded();
      return made;
    } catch (ObjectsException.OtherOwner lost) {
      end();
      leased = false; // until the lease is renewed
      refused = String.valueOf(lost.getMessage());
      throw lost;
    } catch (ObjectsException.Damaged lost) {
      end(); // the copy begins with the newest checkpoint again
      throw lost;
    }
  }

  private Run begin() {
    Owner owner =
        Owner.claim(
            objects, Owner.OBJECT, copier.storeId(), options.host(), wall.getAsLong(), false);
    Checkpoint newest = new BackupCatalog(objects).newest();
    Run begun =
        new Run(
            owner,
            CopiedFiles.open(disk, directory, objects, newest),
            newest == null ? Long.MIN_VALUE : newest.nanos());
    run = begun;
    return begun;
  }

  private Checkpoint write(Run at) {
    long began = monotonic.getAsLong();
    long nanos = Math.max(wall.getAsLong(), at.nanos + 1); // epochs follow each other in time
    long _ =
        copier.update(
            at.copy.copy(),
            segment -> {
              if (closed) {
                throw new ObjectsException.Away("the daemon stops; the next start goes on");
              }
              at.copy.put(segment);
            });
    List<Checkpoint.Entry> all = at.copy.putAll();
    long seq = at.seq;
    // Each checkpoint counts a change, so no cut of another one follows it.
    var next = new Checkpoint(at.owner.epoch(), seq, nanos, seq, seq, SEALED, all);
    at.owner.require(objects);
    int crc = putCut(at, nanos);
    objects.put(next.name(), new BytesContent(next.toBytes()));
    at.made.add(next.name());
    String head =
        "{\"epoch\":%d,\"checkpoint\":\"%s\",\"journal\":%d}\n"
            .formatted(at.owner.epoch(), next.name(), seq + 1);
    objects.put(CheckpointWriter.HEAD, new BytesContent(head.getBytes(StandardCharsets.US_ASCII)));
    at.crc = crc;
    at.nanos = nanos;
    at.seq++;
    at.copy.made(next);
    last = next;
    checkpointAt = began;
    restorableAt = began;
    return next;
  }

  private int putCut(Run at, long nanos) {
    var builder = new FrameObject.Builder();
    builder.begin(SEALED);
    builder.add(new BackupCut(nanos, at.seq, SEALED));
    var key = new FrameObject.Key(at.copy.storeId(), at.owner.epoch(), at.seq);
    FrameObject.Built built = builder.build(key, at.crc);
    objects.put(key.object(), built);
    return built.crc();
  }

  private void retain() {
    Run at = run;
    long now = monotonic.getAsLong();
    boolean isDue = now - retainedAt >= options.retention().every().toNanos();
    if (at == null || !isDue || at.made.isEmpty() || !retentionRetry.isDue(now)) {
      return;
    }
    try {
      retained =
          new BackupRetention(objects, at.owner, options.retention())
              .run(wall.getAsLong(), Set.copyOf(at.made), at.copy.inUse());
      retainedAt = now;
      retentionRetry.succeeded();
    } catch (ObjectsException failure) {
      retentionRetry.failed(failure);
    }
  }

  private void end() {
    Run at = run;
    if (at != null) {
      run = null;
      sentBytes.addAndGet(at.copy.bytes());
    }
  }

  @Override
  public Backup.Status status() {
    Run at = run;
    Checkpoint made = last;
    BackupRetention.Found found = retained;
    long behind = leased ? monotonic.getAsLong() - restorableAt : 0;
    String reason =
        Stream.of(refused, leaseRetry.reason(), filesRetry.reason(), retentionRetry.reason())
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    return new Backup.Status(
        state(),
        objects.toString(),
        at == null ? 0 : at.owner.epoch(),
        behind,
        0,
        made == null ? "" : made.name(),
        sentBytes.get() + (at == null ? 0 : at.copy.bytes()),
        found == null ? "" : found.oldest(),
        found == null ? List.of() : found.gaps(),
        reason);
  }

  private String state() {
    if (refused != null) {
      return "other-owner";
    }
    if (leaseRetry.isLong() || filesRetry.isLong()) {
      return "away";
    }
    return leased ? "shipping" : "standby";
  }

  /// Ends it; a checkpoint that is being made ends at its next segment, and goes on at the next
  /// start.
  @Override
  public void close() {
    closed = true;
  }
}
