package io.widerow.storage.objects;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.disk.StoreLock;
import io.widerow.storage.embedded.BackupCut;
import io.widerow.storage.embedded.BackupFeed;
import io.widerow.storage.manifest.StoreFormat;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The backup of an open store: what its two threads do, and what it reports. It never stops the
/// store: when the place is away, the journals are kept up to a limit, and then a gap begins.
///
/// ```
///   step, once a second         cut, every 2 s: frames         thread of the frames
///   checkpoint, once a second   every hour: files              thread of the files
/// ```
///
/// Each start is an epoch of its own: it begins with a checkpoint of what the store had then, and
/// ships every frame since. A restore needs objects of one epoch only. Another epoch begins in the
/// same process after a gap.
///
/// - Threads: one calls [#step], another one [#checkpoint]; any thread the rest.
public final class Backup implements RunningBackup {
  private static final long SECOND = 1_000_000_000L;
  private static final long OWNER_NANOS = 30 * SECOND;
  private static final long SETTINGS_NANOS = 5 * SECOND;
  private static final long BEHIND_NANOS = 30 * SECOND;
  private static final long LOOK_NANOS = 86_400 * SECOND;
  private static final int FREE_SHARE = 10;

  /// So long a deletion that an earlier owner has asked for may be on its way.
  private static final long TRUST_NANOS = 60 * SECOND;

  private final Supplier<BackupFeed> feeds;
  private final ObjectStore objects;
  private final @Nullable ObjectStore cold;
  private final BackupOptions options;
  private final LongSupplier monotonic;
  private final Object frames = new Object(); // held by who ships
  private final Object files = new Object(); // held by who makes a checkpoint
  private final Retry framesRetry;
  private final Retry filesRetry;
  private final Retry retentionRetry;
  private volatile @Nullable Run run;
  private volatile @Nullable String ended; // why it never goes on
  private volatile long restorableAt; // monotonic: what was committed then can be restored
  private final AtomicLong sentBytes = new AtomicLong(); // of earlier epochs
  private volatile boolean closed;
  private long shippedAt; // monotonic, of the frames
  private long requiredAt;
  private long checkpointAt; // of the files
  private long lookedAt;
  private long retainedAt;
  private volatile BackupRetention.@Nullable Found retained;

  /// One epoch.
  private static final class Run {
    private final Owner owner;
    private final BackupFeed feed;
    private final FrameShipper shipper;
    private final CheckpointWriter writer;
    private final long beginNanos; // monotonic

    Run(
        Owner owner,
        BackupFeed feed,
        FrameShipper shipper,
        CheckpointWriter writer,
        long beginNanos) {
      this.owner = owner;
      this.feed = feed;
      this.shipper = shipper;
      this.writer = writer;
      this.beginNanos = beginNanos;
    }
  }

  /// What a backup is doing.
  ///
  /// @param state `shipping`, `behind`, `away` or `other-owner`; `standby` while another daemon of
  ///   a cluster makes the checkpoints
  /// @param behindNanos time since what was committed could be restored, while something cannot
  /// @param pendingBytes bytes of journals that are kept for it
  /// @param checkpoint name of the last one of this process; empty before it
  /// @param sentBytes bytes of the objects that this process put
  /// @param oldest the moment from which each second can be restored; empty while it is not known
  /// @param gaps in it
  /// @param reason the last failure; null after a success
  public record Status(
      String state,
      String to,
      int epoch,
      long behindNanos,
      long pendingBytes,
      String checkpoint,
      long sentBytes,
      String oldest,
      List<BackupCatalog.Gap> gaps,
      @Nullable String reason) {}

  /// A checkpoint that was made.
  ///
  /// @param at its moment
  public record Made(String checkpoint, String at) {}

  /// @param feeds a feed of the store for each epoch; the one before is closed then
  /// @param monotonic the monotonic clock
  public Backup(
      Supplier<BackupFeed> feeds,
      ObjectStore objects,
      BackupOptions options,
      LongSupplier monotonic) {
    this(feeds, objects, null, options, monotonic);
  }

  /// @param cold where the objects of cold segments are, if that is another place
  public Backup(
      Supplier<BackupFeed> feeds,
      ObjectStore objects,
      @Nullable ObjectStore cold,
      BackupOptions options,
      LongSupplier monotonic) {
    this.feeds = feeds;
    this.objects = objects;
    this.cold = cold;
    this.options = options;
    this.monotonic = monotonic;
    this.framesRetry = new Retry(monotonic);
    this.filesRetry = new Retry(monotonic);
    this.retentionRetry = new Retry(monotonic);
    this.shippedAt = monotonic.getAsLong() - options.every().toNanos();
    this.restorableAt = monotonic.getAsLong();
    this.retainedAt = monotonic.getAsLong() - options.retention().every().toNanos();
  }

  /// Makes a stopped store the owner of a place, whichever it belonged to.
  ///
  /// @return its epoch
  /// @throws StorageException when there is no store, or it is in use
  public static int takeOver(ObjectStore objects, Path directory, String host, long nowNanos) {
    Disk disk = new RealDisk();
    StoreFormat.requireStore(disk, directory);
    return StoreLock.holding(
        disk,
        directory,
        () -> {
          UUID mark = BackupMark.of(disk, directory);
          if (Owner.now(objects, Owner.COLD) != null) {
            var _ = Owner.claim(objects, Owner.COLD, mark, host, nowNanos, true);
          }
          return Owner.claim(objects, Owner.OBJECT, mark, host, nowNanos, true).epoch();
        });
  }

  /// Lets go of everything in a place that is from before a time. The daemon that owns the place
  /// deletes it.
  ///
  /// @return the moment from which each second is kept
  /// @throws ObjectsException.NotThere when no checkpoint is of that time or later
  public static String forget(ObjectStore objects, long beforeNanos) {
    var catalog = new BackupCatalog(objects);
    String first = catalog.firstAt(beforeNanos);
    if (first == null) {
      throw new ObjectsException.NotThere(
          "%s: no checkpoint is of that time or later; make one with `widerow backup now`"
              .formatted(objects));
    }
    List<Kept.Point> points =
        catalog.kept().points().stream().filter(point -> point.cutNanos() >= beforeNanos).toList();
    if (objects.putIf(Kept.OBJECT, new Kept(first, points).toBytes(), catalog.keptTag()) == null) {
      throw new ObjectsException.Away(objects + ": another has changed 'kept'; try again");
    }
    return catalog.oldestOf(first);
  }

  /// Takes a cut and ships what is due.
  @Override
  public void step() {
    synchronized (frames) {
      if (ended != null || closed) {
        return;
      }
      long now = monotonic.getAsLong();
      Run at = run;
      try {
        if (at == null && framesRetry.isDue(now)) {
          at = begin();
        }
        if (at != null) {
          requireRoom(at);
          at.shipper.cut();
          if (now - shippedAt >= options.every().toNanos() && framesRetry.isDue(now)) {
            ship(at, now);
          }
        }
      } catch (ObjectsException | StorageException failure) {
        framesRetry.failed(failure);
        if (!(failure instanceof ObjectsException.Away)) {
          end(at, failure);
        }
      }
    }
  }

  private void ship(Run at, long now) {
    if (now - requiredAt >= OWNER_NANOS) {
      at.owner.require(objects);
      requiredAt = now;
    }
    at.shipper.ship();
    shippedAt = now;
    framesRetry.succeeded();
    if (at.writer.last() != null) {
      restorableAt = now;
    }
  }

  private Run begin() {
    BackupFeed feed = feeds.get();
    try {
      Owner owner =
          Owner.claim(
              objects,
              Owner.OBJECT,
              BackupMark.of(feed.disk(), feed.directory()),
              options.host(),
              feed.nowNanos(),
              false);
      BackupFeed.Moment first = CheckpointWriter.first(feed, owner);
      var shipper = new FrameShipper(feed, objects, owner.epoch(), options.objectBytes(), first);
      var writer = new CheckpointWriter(feed, objects, cold, owner, shipper, first, doubtful());
      Run begun = new Run(owner, feed, shipper, writer, monotonic.getAsLong());
      requiredAt = monotonic.getAsLong();
      run = begun;
      return begun;
    } catch (Throwable failure) {
      feed.close();
      throw failure;
    }
  }

  /// Names in the trash of the place. A list that is damaged names nothing, and no owner deletes by
  /// it; it must not hold up the backup.
  private Set<String> doubtful() {
    Set<String> names = new HashSet<>();
    try {
      BackupRetention.trash(objects).forEach(trash -> names.addAll(trash.names()));
    } catch (ObjectsException.Damaged damaged) {
      retentionRetry.failed(damaged);
    }
    return names;
  }

  /// Ends the epoch when the journals have become too long: a gap begins.
  private void requireRoom(Run at) {
    long held = at.feed.heldBytes();
    if (held == 0) {
      return;
    }
    long free = at.feed.disk().usableBytes(at.feed.directory()) + held;
    long most = Math.min(options.spoolBytes(), free / FREE_SHARE);
    if (held > most || at.feed.isFull()) {
      throw new StorageException.ReadOnly(
          "%d bytes of journals wait for the backup, and there is room for %d: a gap begins"
              .formatted(held, most));
    }
  }

  /// Makes a checkpoint, if one is due.
  @Override
  public void checkpoint() {
    synchronized (files) {
      Run at = run;
      long now = monotonic.getAsLong();
      if (at == null || closed || !filesRetry.isDue(now)) {
        return;
      }
      try {
        if (isDue(at, now)) {
          var _ = write(at, now);
        }
        retain(at, now);
      } catch (ObjectsException | StorageException failure) {
        filesRetry.failed(failure);
        if (failure instanceof ObjectsException.OtherOwner) {
          end(at, failure);
        }
      }
      if (run != at) {
        at.writer.close();
      }
    }
  }

  private boolean isDue(Run at, long now) {
    if (at.writer.isWaiting() || now - checkpointAt >= options.checkpoint().toNanos()) {
      return true;
    }
    BackupCut cut = at.feed.cut();
    return cut != null && !at.writer.newest().reaches(cut) && now - checkpointAt >= SETTINGS_NANOS;
  }

  private Checkpoint write(Run at, long now) {
    if (now - lookedAt >= LOOK_NANOS) {
      at.writer.lookAgain();
      lookedAt = now;
    }
    if (now - at.beginNanos >= TRUST_NANOS) {
      at.writer.trustAll();
    }
    Checkpoint made = at.writer.write();
    checkpointAt = now;
    filesRetry.succeeded();
    return made;
  }

  /// Lets go of what is not kept, if it is time to. A failure does not hold up checkpoints.
  private void retain(Run at, long now) {
    boolean isDue = now - retainedAt >= options.retention().every().toNanos();
    if (!isDue || at.writer.last() == null || !retentionRetry.isDue(now)) {
      return;
    }
    try {
      retained = at.feed.deciding(coldObjects -> retain(at, coldObjects));
      retainedAt = now;
      retentionRetry.succeeded();
    } catch (ObjectsException.OtherOwner lost) {
      throw lost;
    } catch (ObjectsException failure) {
      retentionRetry.failed(failure);
    }
  }

  private BackupRetention.Found retain(Run at, Set<String> coldObjects) {
    Set<String> inUse = new HashSet<>(at.writer.inUse());
    inUse.addAll(coldObjects);
    return new BackupRetention(objects, at.owner, options.retention())
        .run(at.feed.nowNanos(), at.writer.made(), inUse);
  }

  /// Ends an epoch, unless it has ended: another one may begin.
  private void end(@Nullable Run at, RuntimeException why) {
    if (at == run && why instanceof ObjectsException.OtherOwner) {
      ended = String.valueOf(why.getMessage());
    }
    if (at != null && at == run) {
      end(at);
    }
  }

  private void end(Run at) {
    run = null;
    at.feed.close();
    sentBytes.addAndGet(at.shipper.bytes() + at.writer.bytes());
  }

  @Override
  public Made now() {
    Run at = run;
    if (at == null) {
      throw new ObjectsException.Away(
          "nothing is shipped now" + (reason() == null ? "" : ": " + reason()));
    }
    Checkpoint made;
    synchronized (files) {
      made = write(at, monotonic.getAsLong());
    }
    synchronized (frames) {
      at.shipper.cut();
      at.shipper.ship();
    }
    return new Made(made.name(), made.at());
  }

  private @Nullable String reason() {
    return Stream.of(ended, framesRetry.reason(), filesRetry.reason(), retentionRetry.reason())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  @Override
  public Status status() {
    Run at = run;
    long behind = behindNanos(at);
    Checkpoint last = at == null ? null : at.writer.last();
    BackupRetention.Found found = retained;
    return new Status(
        state(behind),
        objects.toString(),
        at == null ? 0 : at.owner.epoch(),
        behind,
        at == null ? 0 : at.feed.heldBytes(),
        last == null ? "" : last.name(),
        sentBytes.get() + (at == null ? 0 : at.shipper.bytes() + at.writer.bytes()),
        found == null ? "" : found.oldest(),
        found == null ? List.of() : found.gaps(),
        reason());
  }

  private String state(long behind) {
    if (ended != null) {
      return "other-owner";
    }
    if (framesRetry.isLong() || filesRetry.isLong()) {
      return "away";
    }
    return behind > BEHIND_NANOS ? "behind" : "shipping";
  }

  private long behindNanos(@Nullable Run at) {
    BackupCut shipped = at == null || at.writer.last() == null ? null : at.shipper.shipped();
    BackupCut cut = at == null ? null : at.feed.cut();
    return shipped != null && cut != null && cut.isIn(shipped.lsns())
        ? 0
        : monotonic.getAsLong() - restorableAt;
  }

  /// Ships the rest, if the place answers, and lets the journals go. The threads have ended.
  @Override
  public void close() {
    synchronized (frames) {
      closed = true;
      Run at = run;
      if (at == null) {
        return;
      }
      try {
        at.shipper.cut();
        at.shipper.ship();
      } catch (ObjectsException | StorageException failure) {
        framesRetry.failed(failure);
      }
      end(at);
      synchronized (files) {
        at.writer.close();
      }
    }
  }
}
