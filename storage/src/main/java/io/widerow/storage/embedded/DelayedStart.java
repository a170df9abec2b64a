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
import java.util.function.IntToLongFunction;
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
final class DelayedStart implements AutoCloseable {
  /// The steps that write.
  interface Steps {
    void tidy();

    void clear();

    List<EmbeddedLane> begin();
  }

  private final LaneContext shared;
  private final ReplayedRows held;
  private final RowMemory memory;
  private final RecoveredNotes notes;
  private final IntToLongFunction lsnCounted;
  private final Steps steps;
  private final List<LaneWriter> writers;
  private final Object task = new Object();
  private boolean running; // guarded by task
  private boolean closed; // guarded by task
  private boolean cleared; // guarded by this
  private volatile boolean tidied;
  private volatile List<EmbeddedLane> lanes = List.of();
  private volatile StorageException.@Nullable DiskFull full;

  /// @param memory of the held rows
  /// @param notes that no held rows take along
  /// @param lsnCounted by lane, the greatest LSN whose note counts
  DelayedStart(
      LaneContext shared,
      ReplayedRows held,
      RowMemory memory,
      RecoveredNotes notes,
      IntToLongFunction lsnCounted,
      Steps steps) {
    this.shared = shared;
    this.held = held;
    this.memory = memory;
    this.notes = notes;
    this.lsnCounted = lsnCounted;
    this.steps = steps;
    this.writers =
        IntStream.range(0, shared.contents().config().lanes())
            .<LaneWriter>mapToObj(lane -> new DelayedLane(this, lane))
            .toList();
  }

  LaneWriter writer(int lane) {
    return writers.get(lane);
  }

  /// The lanes; none until they take events.
  List<EmbeddedLane> lanes() {
    return lanes;
  }

  @Nullable EmbeddedLane lane(int index) {
    List<EmbeddedLane> now = lanes;
    return now.isEmpty() ? null : now.get(index);
  }

  boolean isDone() {
    return !lanes.isEmpty();
  }

  /// True when the manifest may be edited.
  boolean isTidy() {
    return tidied;
  }

  /// Records why the store waits.
  void wait(StorageException.DiskFull noRoom) {
    full = noRoom;
    shared.contents().backgroundFailed(noRoom);
  }

  /// Why no lane takes events.
  ///
  /// @throws StorageException.Failed when the write side has ended
  StorageException refusal() {
    shared.contents().requireWriting();
    return Objects.requireNonNull(full, "nothing to wait for");
  }

  /// Bytes of the held rows.
  long memoryBytes() {
    return memory.usedBytes();
  }

  /// Tries to continue, on the store's executor, unless a task runs already.
  void goOn() {
    synchronized (task) {
      if (running || closed || isDone() || shared.contents().hasEnded()) {
        return;
      }
      running = true;
    }
    boolean handedOver = false;
    try {
      shared
          .sealer()
          .executor()
          .execute(() -> {
            try {
              goOnHere();
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

  /// Tries to continue, on the calling thread.
  void goOnHere() {
    try {
      steps();
    } catch (StorageException.DiskFull noRoom) {
      wait(noRoom);
    } catch (StorageException failed) {
      var _ = shared.contents().fail("begin to write", failed);
    } catch (RuntimeException bug) {
      var _ = shared.contents().fail("begin to write", bug);
      throw bug;
    }
  }

  private synchronized void steps() {
    if (!tidied) {
      steps.tidy();
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
      steps.clear();
      cleared = true;
    }
    lanes = List.copyOf(steps.begin());
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
    shared.notes().tell(reader, lsnCounted, journaled);
  }

  /// Waits for a running task, and starts no more. Events that are not sealed stay in the journals.
  @Override
  public void close() {
    boolean interrupted = false;
    synchronized (task) {
      closed = true;
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

  /// Frees the held rows. Call it last.
  void free() {
    memory.close();
  }
}
