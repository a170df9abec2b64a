package io.widerow.storage.embedded;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalTail;
import io.widerow.storage.live.ChangeCount;
import io.widerow.storage.maintenance.ColdControl;
import io.widerow.storage.maintenance.JournalPin;
import io.widerow.storage.manifest.Manifest;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a backup of an open store takes from it: states of its files, cuts, and the frames of its
/// journals. From the first [#moment] on it holds the journals: no frame goes before [#shipped]
/// names it.
///
/// ```
///   moment    files of the store, and up to which LSNs they have everything
///   cut       committed LSNs of all journals at one moment, once a second
///   read      frames after the moment's LSNs, up to those of a cut
///   shipped   frames that the journals may let go of
/// ```
///
/// - Threads: [#moment] one, the other calls one; both may run at once.
public final class BackupFeed implements AutoCloseable {
  private static final int TRIES_MAX = 3;

  private final EmbeddedStore store;
  private final OpenedFiles files;
  private final JournalPin trims;
  private final Supplier<List<EmbeddedLane>> lanes;
  private final Supplier<StoreExtension> extension;
  private final LongSupplier nowNanos;
  private boolean closed; // guarded by this

  /// The files of a store, in a directory of links, and the LSNs up to which they have all groups.
  ///
  /// @param directory a snapshot of the store; its journals do not count
  /// @param nanos the wall clock just after
  /// @param changes count of the changes in it that no journal has
  /// @param sealed by lane, then of the tables; [BackupCut#NONE] without tables
  public record Moment(Path directory, long nanos, long changes, List<Long> sealed) {
    public Moment {
      sealed = List.copyOf(sealed);
    }

    /// Whether frames can be replayed over it up to a cut.
    public boolean reaches(BackupCut cut) {
      return cut.follows(changes, sealed);
    }
  }

  BackupFeed(
      EmbeddedStore store,
      OpenedFiles files,
      JournalPin trims,
      Supplier<List<EmbeddedLane>> lanes,
      Supplier<StoreExtension> extension) {
    this.store = store;
    this.files = files;
    this.trims = trims;
    this.lanes = lanes;
    this.extension = extension;
    this.nowNanos = files.contents().clock()::wallNanos;
  }

  public UUID storeId() {
    return files.directory().storeId();
  }

  public Disk disk() {
    return files.directory().disk();
  }

  /// Directory of the store.
  public Path directory() {
    return files.directory().path();
  }

  /// Lanes of events; the tables are one more.
  public int lanes() {
    return lanes.get().size();
  }

  public long nowNanos() {
    return nowNanos.getAsLong();
  }

  /// The present cut; null while a change of several steps is being made.
  public @Nullable BackupCut cut() {
    long nanos = nowNanos();
    long changes = files.contents().changes().now();
    List<Long> seen = committed();
    while (true) {
      long nanosAgain = nowNanos();
      long changesAgain = files.contents().changes().now();
      List<Long> again = committed();
      if (changes == changesAgain && seen.equals(again)) {
        return changes == ChangeCount.CHANGING ? null : new BackupCut(nanos, changes, seen);
      }
      nanos = nanosAgain;
      changes = changesAgain;
      seen = again;
    }
  }

  private List<Long> committed() {
    return each(EmbeddedLane::committedLsn, StoreExtension.Lane::committedLsn);
  }

  private List<Long> each(
      Function<EmbeddedLane, Long> ofLane, Function<StoreExtension.Lane, Long> ofTables) {
    List<Long> all = new ArrayList<>();
    lanes.get().forEach(lane -> all.add(ofLane.apply(lane)));
    StoreExtension.Lane tables = extension.get().openLane();
    all.add(tables == null ? BackupCut.NONE : ofTables.apply(tables));
    return all;
  }

  /// Whether everything before a cut is on the disk.
  public boolean isForced(BackupCut cut) {
    return cut.isIn(each(EmbeddedLane::forcedLsn, StoreExtension.Lane::forcedLsn));
  }

  /// Makes links to the files of the store.
  ///
  /// @param target must not exist; its parent does, on the same file system
  /// @throws StorageException when links cannot be made, or the store changes all the time; nothing
  ///   is left then
  public Moment moment(Path target) {
    for (int left = TRIES_MAX; left > 0; left--) {
      List<Journal> held = hold();
      long changes = files.contents().changes().now();
      if (changes != ChangeCount.CHANGING) {
        var _ = store.snapshot(target);
        if (changes == files.contents().changes().now() && held.equals(hold())) {
          return new Moment(target, nowNanos(), changes, sealed(target));
        }
        deleteAll(disk(), target);
      }
    }
    throw new StorageException.ReadOnly("the store is being changed; a backup tries again later");
  }

  /// Lets no frame go that is there now.
  private synchronized List<Journal> hold() {
    if (closed) {
      throw new StorageException.ReadOnly("the backup has ended");
    }
    List<Journal> all = journals();
    all.forEach(journal -> trims.hold(journal, 0));
    return all;
  }

  private List<Journal> journals() {
    List<Journal> all = new ArrayList<>();
    lanes.get().forEach(lane -> all.add(lane.journal()));
    StoreExtension.Lane tables = extension.get().openLane();
    if (tables != null) {
      all.add(tables.journal());
    }
    return all;
  }

  private List<Long> sealed(Path snapshot) {
    List<Long> sealed = new ArrayList<>();
    Map<Integer, Long> ofLanes = sealedLsns(snapshot);
    for (int lane = 0; lane < lanes(); lane++) {
      sealed.add(ofLanes.getOrDefault(lane, 0L));
    }
    Path tables = snapshot.resolve(StoreExtension.DIRECTORY);
    sealed.add(disk().exists(tables) ? sealedLsns(tables).getOrDefault(0, 0L) : BackupCut.NONE);
    return sealed;
  }

  private Map<Integer, Long> sealedLsns(Path directory) {
    try (Manifest manifest = Manifest.read(disk(), directory, storeId())) {
      return manifest.sealedLsns();
    }
  }

  /// Follows the journal of a lane, or of the tables.
  ///
  /// @param lane number of lanes for the tables
  /// @param lsn the frame after this one is the first
  public Tail follow(int lane, long lsn) {
    boolean ofTables = lane == lanes();
    Journal.Factory journals =
        ofTables
            ? files.journals().at(directory().resolve(StoreExtension.DIRECTORY))
            : files.journals();
    return new Tail(new JournalTail(journals, storeId(), ofTables ? 0 : lane, lsn));
  }

  /// Reader of a journal that goes on where it was.
  public static final class Tail {
    private final JournalTail tail;

    private Tail(JournalTail tail) {
      this.tail = tail;
    }

    /// LSN of the last frame that was read.
    public long lsn() {
      return tail.lsn();
    }

    /// Passes the next frames up to a forced LSN to `frames`, which returns whether to go on.
    ///
    /// @throws StorageException.Corrupt when a frame is missing or damaged
    public void read(long lsnLast, Predicate<MemorySegment> frames) {
      tail.read(lsnLast, frames);
    }
  }

  /// The frames up to these LSNs are no longer needed here.
  ///
  /// @param lsns by lane, then of the tables
  public synchronized void shipped(List<Long> lsns) {
    List<Journal> all = journals();
    for (int i = 0; i < all.size() && !closed; i++) {
      trims.hold(all.get(i), Math.max(0, lsns.get(i)));
    }
  }

  /// Bytes of the journals while they are longer than the store needs; else 0.
  public long heldBytes() {
    return trims.isHolding() ? journals().stream().mapToLong(Journal::bytes).sum() : 0;
  }

  /// Decides which objects of files may go, while no segment becomes cold.
  ///
  /// @param decide gets the objects of the cold segments
  public <T> T deciding(Function<Set<String>, T> decide) {
    ColdControl cold = store.cold();
    cold.deciding().lock();
    try {
      return decide.apply(
          cold.all().stream().map(ColdControl.Cold::object).collect(Collectors.toSet()));
    } finally {
      cold.deciding().unlock();
    }
  }

  /// Whether the disk of the store is full.
  public boolean isFull() {
    return store.full() != null;
  }

  /// Deletes a directory and everything in it.
  public static void deleteAll(Disk disk, Path path) {
    if (disk.isDirectory(path)) {
      disk.list(path).forEach(each -> deleteAll(disk, each));
    }
    disk.delete(path);
  }

  /// Lets the journals go.
  @Override
  public synchronized void close() {
    closed = true;
    journals().forEach(trims::letGo);
  }
}
