package io.widerow.storage.maintenance;

import io.widerow.storage.LaneArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.StoreContents;
import java.util.List;
import java.util.concurrent.Executor;

/// Drops the segments of a drained store whose events are all released: one edit of the manifest,
/// then their files are deleted. Rows that are released get no segment in the first place, see
/// [Sealer]. What a failure leaves is dropped by the next [#start].
///
/// - Threads: any calls [#start]; one task runs at a time, on the store's executor.
public final class SpoolTrimmer {
  private final StoreContents contents;
  private final Executor executor;
  private final OneTask task = new OneTask(this::run);

  public SpoolTrimmer(StoreContents contents, Executor executor) {
    this.contents = contents;
    this.executor = executor;
  }

  /// Starts dropping, if there is anything to drop and it is not running already.
  public void start() {
    if (contents.hasEnded() || released().isEmpty()) {
      return;
    }
    task.start(executor);
  }

  /// Waits until the task has ended.
  ///
  /// @throws InterruptedException when the thread is interrupted
  public void drain() throws InterruptedException {
    task.drain();
  }

  /// Segments with nothing in them that is still needed.
  private List<LiveSegment> released() {
    List<LaneArrivals> positions = contents.released().positions();
    return positions.isEmpty()
        ? List.of()
        : contents.state().segments().all().stream()
            .filter(live ->
                positions.stream().anyMatch(to -> contents.segmentArrivals().isOlder(live, to)))
            .toList();
  }

  private void run() {
    try {
      List<LiveSegment> released = released();
      if (!released.isEmpty()) {
        boolean _ = contents.replaced(List.of(), released, () -> true);
      }
    } catch (StorageException failed) {
      contents.backgroundFailed(failed);
    }
  }
}
