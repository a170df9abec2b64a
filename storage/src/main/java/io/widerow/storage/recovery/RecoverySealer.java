package io.widerow.storage.recovery;

import io.widerow.event.EventLayout;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.SealJob;
import io.widerow.storage.maintenance.Sealed;
import io.widerow.storage.maintenance.Sealer;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.rows.RowMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/// Seals what opening replays, several sets of rows at a time. Segments are written in parallel and
/// come into the manifest in the order in which the rows were filled, so that nothing before the
/// last LSN that the manifest knows of a lane is unsealed.
///
/// ```
///   opening thread   replay A | replay B | replay C | replay D | commit A | replay E ...
///   executor                  | write A ........................| write C ....
///   executor                             | write B ......................| write D ...
/// ```
///
/// The memory of open rows is cut into smaller sets than a running store has, so that some can be
/// written while one is filled. No more sets are used than that takes: touching memory for the
/// first time costs more than filling it. When no set is left the opening thread waits for the
/// oldest one, and writes it itself if no other thread has begun: it may be the executor's only
/// thread.
///
/// - Threads: the one that opens the store; it uses the store's executor.
/// - Memory: owns the memory of the rows until [#close], which returns when no other thread reads
///   it.
public final class RecoverySealer implements RowSink {
  /// With fewer sets of rows, the threads that seal would leave none to fill.
  private static final int SETS_MIN = 4;

  /// One is filled, two are sealed, two wait for either.
  private static final int SETS_MAX = 5;

  private static final long SET_BYTES_MAX = 16 << 20;

  /// Any event fits, with its row.
  private static final long SET_BYTES_MIN = 2L * EventLayout.EVENT_BYTES_MAX;

  private final StoreContents contents;
  private final Sealer sealer;
  private final Executor executor;
  private final int setsMax;
  private final RowMemory memory;
  private final ArrayDeque<Writing> writing = new ArrayDeque<>(); // oldest first

  /// Segments of rows with parts of a group that has more: they count only together. Their rows are
  /// closed, for a group may be larger than all sets of rows. Oldest first.
  private final List<Sealed> parts = new ArrayList<>();

  /// Rows whose segments are being or have been written.
  private record Writing(SealJob job, boolean whole, FutureTask<List<LiveSegment>> written) {}

  public RecoverySealer(StoreContents contents, Sealer sealer, Executor executor) {
    this.contents = contents;
    this.sealer = sealer;
    this.executor = executor;
    StoreConfig config = contents.config();
    int running = config.rowsPerLane() * config.lanes(); // sets of a store that is open
    int cuts = cuts(running, config.rowsBytes());
    setsMax = Math.min(SETS_MAX, running * cuts);
    memory = new RowMemory(config.rowsBytes() / cuts & -Long.BYTES, setsMax);
  }

  /// Into how many sets each set of a running store is cut: enough sets, none too large, each with
  /// room for an event.
  private static int cuts(int sets, long setBytes) {
    long roomFor = Math.max(1, setBytes / SET_BYTES_MIN);
    long wanted = Math.max(Math.ceilDiv(SETS_MIN, sets), Math.ceilDiv(setBytes, SET_BYTES_MAX));
    return (int) Math.min(roomFor, wanted);
  }

  /// Opens rows to fill. There is always memory for one set.
  @Override
  public OpenRows openRows(int lane) {
    OpenRows rows = contents.tryOpenRows(lane, 0, memory);
    if (rows == null) {
      throw new IllegalStateException(writing.size() + " sets of rows, and no memory for one more");
    }
    return rows;
  }

  /// Takes rows. Returns when there is memory for the next ones.
  @Override
  public void seal(SealJob job, boolean whole) {
    var task = new FutureTask<>(() -> sealer.write(job));
    writing.add(new Writing(job, whole, task));
    executor.execute(task);
    while (!writing.isEmpty()
        && (writing.size() == setsMax || writing.element().written().isDone())) {
      commitOldest();
    }
  }

  /// Waits until all rows taken are in the manifest.
  @Override
  public void finish() {
    while (!writing.isEmpty()) {
      commitOldest();
    }
  }

  private void commitOldest() {
    Writing oldest = writing.remove();
    parts.add(new Sealed(oldest.job(), result(oldest.written())));
    if (oldest.whole()) {
      List<Sealed> all = List.copyOf(parts);
      parts.clear();
      sealer.commit(all);
    }
    oldest.job().rows().close();
  }

  private static List<LiveSegment> result(FutureTask<List<LiveSegment>> task) {
    task.run(); // does nothing when a thread of the executor has begun
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException wait) {
          interrupted = true; // the rows' memory must outlive the task
        }
      }
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof Error error) {
        throw error;
      }
      if (failed.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new IllegalStateException("writing a segment throws nothing else", failed);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Ends what a failure left unfinished, and deletes its segments.
  ///
  /// @throws IllegalStateException with the other failures
  @Override
  public void close() {
    var failure = new IllegalStateException("segments of an opening that failed");
    try (memory) {
      parts.forEach(part -> sealer.abandon(part.segments(), failure));
      while (!writing.isEmpty()) {
        try {
          sealer.abandon(result(writing.remove().written()), failure);
        } catch (RuntimeException alsoFailed) {
          failure.addSuppressed(alsoFailed);
        }
      }
    }
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
