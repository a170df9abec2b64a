package io.widerow.storage.embedded;

import io.widerow.storage.LaneWriter;
import io.widerow.storage.StorageException;
import io.widerow.storage.journal.Note;
import io.widerow.storage.maintenance.SealJob;
import io.widerow.storage.maintenance.Sealed;
import io.widerow.storage.maintenance.Sealer;
import io.widerow.storage.recovery.RecoveredNotes;
import io.widerow.storage.recovery.ReplayedRows;
import io.widerow.storage.rows.RowMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The remaining steps of an opening that found no room on the disk. Everything is readable until
/// then: the replayed events are in open rows, and the old journals stay until these rows are
/// sealed. No lane takes events. Each step is retried until there is room for it:
///
/// ```
///   tidy      rewrite the manifest, delete what a crash left     from now on buckets may expire
///   seal      the replayed rows, set by set
///   clear     delete the old journals: what they held is sealed
///   begin     a new journal for each lane                        from now on events are taken
/// ```
///
/// Killed in any of them, the next opening comes to the same state. A failure that is no lack of
/// room ends the write side, as it does in a store that is open.
///
/// - Threads: any calls [#goOn]; one task runs at a time. It works under the lock of this object,
///   which [#tell] waits for.
/// - Memory: owns the memory of the replayed rows, which is freed when they are sealed and no
///   reader uses them.
final class DelayedStart implements OpenedLanes {
  private final LaneContext shared;
  private final OpenedFiles files;
  private final ReplayedRows held;
  private final RowMemory memory;
  private final RecoveredNotes notes;
  private final long lsn;
  private final List<LaneWriter> writers;
  private final Object task = new Object();
  private boolean running; // guarded by task
  private boolean stopped; // guarded by task
  private boolean cleared; // guarded by this
  private volatile boolean tidied;
  private volatile StartedLanes lanes = StartedLanes.NONE;
  private volatile StorageException.@Nullable DiskFull full;

  /// @param memory of the held rows
  /// @param notes that no held rows take along
  /// @param lsn the last one that was used
  DelayedStart(
      LaneContext shared,
      OpenedFiles files,
      ReplayedRows held,
      RowMemory memory,
      RecoveredNotes notes,
      long lsn) {
    this.shared = shared;
    this.files = files;
    this.held = held;
    this.memory = memory;
    this.notes = notes;
    this.lsn = lsn;
    this.writers =
        IntStream.range(0, shared.contents().config().lanes())
            .<LaneWriter>mapToObj(lane -> new DelayedLane(this, lane))
            .toList();
  }

  @Override
  public LaneWriter writer(int lane) {
    return writers.get(lane);
  }

  @Override
  public List<EmbeddedLane> now() {
    return lanes.now();
  }

  /// Null until the lane accepts events.
  @Nullable EmbeddedLane lane(int index) {
    List<EmbeddedLane> now = now();
    return now.isEmpty() ? null : now.get(index);
  }

  @Override
  public boolean isStarted() {
    return !now().isEmpty();
  }

  @Override
  public void requireStarted() {
    if (!isStarted()) {
      throw refusal();
    }
  }

  @Override
  public boolean isTidy() {
    return tidied;
  }

  @Override
  public void requireTidy() {
    if (!tidied) {
      throw refusal();
    }
  }

  @Override
  public @Nullable String full() {
    return isStarted() || shared.contents().hasEnded() ? null : refusal().getMessage();
  }

  /// Why no lane takes events.
  ///
  /// @throws StorageException.Failed when the write side has ended
  StorageException refusal() {
    shared.contents().requireWriting();
    return Objects.requireNonNull(full, "nothing to wait for");
  }

  @Override
  public long heldBytes() {
    return memory.usedBytes();
  }

  /// Does nothing while a task runs already.
  @Override
  public void goOn(Executor executor) {
    synchronized (task) {
      if (running || stopped || isStarted() || shared.contents().hasEnded()) {
        return;
      }
      running = true;
    }
    boolean handedOver = false;
    try {
      executor.execute(() -> {
        try {
          tryAll();
        } finally {
          leave();
        }
      });
      handedOver = true;
    } finally {
      if (!handedOver) {
        leave();
      }
    }
  }

  private void leave() {
    synchronized (task) {
      running = false;
      task.notifyAll();
    }
  }

  private void tryAll() {
    try {
      steps();
    } catch (StorageException.DiskFull noRoom) {
      full = noRoom;
      shared.contents().backgroundFailed(noRoom);
    } catch (StorageException failed) {
      var _ = shared.contents().fail("begin to write", failed);
    } catch (RuntimeException bug) {
      var _ = shared.contents().fail("begin to write", bug);
      throw bug;
    }
  }

  private synchronized void steps() {
    if (!tidied) {
      List<String> _ = files.tidy(OpenPurpose.WRITING);
      tidied = true;
    }
    Sealer sealer = shared.sealer();
    for (List<SealJob> jobs = held.next(); !jobs.isEmpty(); jobs = held.next()) {
      sealer.commit(written(jobs));
      held.sealed();
      jobs.forEach(job -> job.rows().close());
    }
    memory.end();
    if (!cleared) {
      notes.finish();
      shared.contents().recovered(lsn);
      shared.contents().journalsEnded();
      files.deleteJournals(); // so that new ones find room
      cleared = true;
    }
    try {
      lanes = StartedLanes.start(shared, files, lsn);
    } catch (StorageException.DiskFull noRoom) {
      files.deleteJournals(); // journals of some lanes, without frames
      throw noRoom;
    }
  }

  private List<Sealed> written(List<SealJob> jobs) {
    Sealer sealer = shared.sealer();
    List<Sealed> written = new ArrayList<>();
    try {
      jobs.forEach(job -> written.add(new Sealed(job, sealer.write(job))));
      return written;
    } catch (Throwable failed) {
      written.forEach(each -> sealer.abandon(each.segments(), failed));
      throw failed;
    }
  }

  /// Reports the notes that survived the last restart.
  synchronized void tell(LaneWriter.NoteReader reader) {
    List<Note> journaled = new ArrayList<>(notes.left());
    held.jobs().forEach(job -> journaled.addAll(job.notes()));
    shared.notes().tell(reader, files.recovery()::lsnCounted, journaled);
  }

  /// Events that are not sealed stay in the journals.
  @Override
  public void stop() {
    boolean interrupted = false;
    synchronized (task) {
      stopped = true;
      while (running) {
        try {
          task.wait();
        } catch (InterruptedException wait) {
          interrupted = true; // the task uses memory that is freed next
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void free() {
    memory.close();
  }
}
