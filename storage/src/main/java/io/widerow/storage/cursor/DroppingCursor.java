package io.widerow.storage.cursor;

import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.concurrent.CompletableFuture;

/// A cursor that shows only some events of another.
///
/// - Threads: one.
/// - Memory: owns its input.
public abstract class DroppingCursor implements EventCursor {
  private final EventCursor input;
  private long dropped;

  protected DroppingCursor(EventCursor input) {
    this.input = input;
  }

  protected abstract boolean isShown(EventView event);

  @Override
  public final Step next() {
    while (true) {
      Step step = input.next();
      if (step != Step.EVENT || isShown(input.event())) {
        return step;
      }
      dropped++;
    }
  }

  @Override
  public final CompletableFuture<Void> ready() {
    return input.ready();
  }

  @Override
  public final EventView event() {
    return input.event();
  }

  @Override
  public final ScanStatistics statistics() {
    ScanStatistics all = input.statistics();
    return new ScanStatistics(
        all.blocksRead(),
        all.blocksSkipped(),
        all.bytesRead(),
        all.eventsScanned(),
        all.eventsKept() - dropped);
  }

  @Override
  public final void close() {
    input.close();
  }
}
