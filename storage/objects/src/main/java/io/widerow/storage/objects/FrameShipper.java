package io.widerow.storage.objects;

import io.widerow.storage.embedded.BackupCut;
import io.widerow.storage.embedded.BackupFeed;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Ships the frames of a store's journals and its cuts, object after object of one epoch.
///
/// ```
///   cuts   c1    c2    c3      a cut is in the object with the last frame before it
///   lane 0 |==1==|==2==|==
///   lane 1 |=====|==3==|       an object ends after some cuts, or when it is large
/// ```
///
/// An object that could not be put is kept and put again as it is: it may be there already. The
/// journals let go of frames only when their object is there.
///
/// - Threads: one; any calls [#shipped], [#journalFrom] and [#begin].
/// - Memory: one object of about [BackupOptions#objectBytes] and one frame more, in arrays that are
///   kept and may be twice as large for each journal.
final class FrameShipper {
  /// At rest a cut is shipped so often, to show that nothing is behind.
  private static final long IDLE_NANOS = 60_000_000_000L;

  /// While more cuts than these wait, one a minute is kept.
  private static final int CUTS_MAX = 50_000;

  private final BackupFeed feed;
  private final ObjectStore objects;
  private final UUID storeId;
  private final int epoch;
  private final int objectBytes;
  private final BackupFeed.@Nullable Tail[] tails;
  private final ArrayDeque<BackupCut> cuts = new ArrayDeque<>();
  private final ArrayDeque<Start> starts = new ArrayDeque<>(); // guarded by this
  private List<Long> lsns; // of the frames that were put into objects
  private long seq;
  private int crcBefore;
  private final FrameObject.Builder builder = new FrameObject.Builder();
  private FrameObject.@Nullable Built waiting;
  private List<Long> waitingLsns = List.of();
  private @Nullable BackupCut lastCut; // that was taken
  private boolean wantsCut;
  private volatile @Nullable BackupCut shipped;
  private final AtomicLong bytes = new AtomicLong();

  /// Before an object.
  private record Start(long seq, List<Long> lsns) {}

  /// @param first where the epoch begins
  FrameShipper(
      BackupFeed feed, ObjectStore objects, int epoch, int objectBytes, BackupFeed.Moment first) {
    this.objectBytes = objectBytes;
    this.feed = feed;
    this.objects = objects;
    this.storeId = feed.storeId();
    this.epoch = epoch;
    this.lsns = first.sealed();
    this.tails = new BackupFeed.@Nullable Tail[lsns.size()];
    begin(first);
    starts.add(new Start(0, lsns));
  }

  /// A moment was taken: the journal of the tables is followed if it is the first that has them.
  synchronized void begin(BackupFeed.Moment moment) {
    for (int i = 0; i < tails.length; i++) {
      long sealed = moment.sealed().get(i);
      if (tails[i] == null && sealed != BackupCut.NONE) {
        tails[i] = feed.follow(i, sealed);
      }
    }
  }

  /// The next cut is shipped even if nothing has changed: a checkpoint needs one after it.
  synchronized void wantCut() {
    wantsCut = true;
  }

  /// Number of the first object that may have a frame after these LSNs. Later calls have none that
  /// are lower.
  synchronized long journalFrom(List<Long> sealed) {
    while (starts.size() > 1) {
      Start first = starts.removeFirst();
      if (!isUpTo(starts.getFirst().lsns(), sealed)) {
        starts.addFirst(first);
        return first.seq();
      }
    }
    return starts.getFirst().seq();
  }

  private static boolean isUpTo(List<Long> lsns, List<Long> limits) {
    for (int i = 0; i < lsns.size(); i++) {
      if (lsns.get(i) > limits.get(i)) {
        return false;
      }
    }
    return true;
  }

  /// Takes a cut, if it tells something new.
  synchronized void cut() {
    BackupCut cut = feed.cut();
    BackupCut last = lastCut;
    if (cut == null
        || cut.lsns().size() != tails.length
        || (cut.lsns().getLast() != BackupCut.NONE && tails[tails.length - 1] == null)) {
      return; // a moment with the tables comes first
    }
    boolean isNew =
        last == null || !cut.lsns().equals(last.lsns()) || cut.changes() != last.changes();
    boolean isLate = last == null || cut.nanos() - last.nanos() >= IDLE_NANOS;
    if (isLate || (cuts.size() < CUTS_MAX && (isNew || wantsCut))) {
      cuts.add(cut);
      lastCut = cut;
      wantsCut = false;
    }
  }

  /// Puts objects until every cut on the disk is shipped.
  ///
  /// @throws ObjectsException.Away when one could not be put; the next call puts it again
  void ship() {
    while (true) {
      FrameObject.Built next = waiting == null ? build() : waiting;
      if (next == null) {
        return;
      }
      waiting = next;
      objects.put(FrameObject.name(epoch, seq), next);
      put(next);
    }
  }

  private void put(FrameObject.Built done) {
    synchronized (this) {
      seq++;
      lsns = waitingLsns;
      starts.add(new Start(seq, lsns));
      crcBefore = done.crc();
      waiting = null;
    }
    bytes.addAndGet(done.bytes());
    if (!done.cuts().isEmpty()) {
      shipped = done.cuts().getLast();
    }
    feed.shipped(lsns);
  }

  /// The next object; null when there is nothing to ship.
  private synchronized FrameObject.@Nullable Built build() {
    FrameObject.Builder object = builder;
    object.begin(begun());
    while (!cuts.isEmpty() && feed.isForced(cuts.getFirst()) && object.bytes() < objectBytes) {
      BackupCut next = cuts.getFirst();
      for (int i = 0; i < tails.length && object.bytes() < objectBytes; i++) {
        read(i, next.lsns().get(i), object);
      }
      if (next.isIn(object.lsns())) {
        object.add(cuts.removeFirst());
      }
    }
    if (object.isEmpty()) {
      return null;
    }
    waitingLsns = object.lsns();
    return object.build(new FrameObject.Key(storeId, epoch, seq), crcBefore);
  }

  /// The last frame of each journal that is in an object, or after which its frames begin.
  private List<Long> begun() {
    Long[] all = lsns.toArray(new Long[0]);
    for (int i = 0; i < all.length; i++) {
      BackupFeed.Tail tail = tails[i];
      if (tail != null && all[i] == BackupCut.NONE) {
        all[i] = tail.lsn();
      }
    }
    return Arrays.asList(all);
  }

  private void read(int journal, long lsnLast, FrameObject.Builder object) {
    BackupFeed.Tail tail = tails[journal];
    if (tail != null) {
      tail.read(
          lsnLast,
          frame -> {
            object.add(journal, frame);
            return object.bytes() < objectBytes;
          });
    }
  }

  /// The last cut that is shipped; null before the first one.
  @Nullable BackupCut shipped() {
    return shipped;
  }

  /// Bytes of all objects that were put.
  long bytes() {
    return bytes.get();
  }

  /// Number of the next object.
  synchronized long seq() {
    return seq;
  }
}
