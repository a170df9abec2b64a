package io.widerow.storage.aggregate;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Grouping;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.segment.Cells;

/// Shows the counts of a [CellPlan]: one event for each step of time that has any, which stands for
/// all that were counted. It has the type and an instant of the step, and no attributes. Where
/// steps start a nanosecond after minutes, the events at the first nanosecond of a minute are in
/// the step that ends there.
///
/// - Threads: one.
/// - Memory: counts the memory of the plan in the watch, until [#close].
final class CellCursor implements EventCursor {
  private final String type;
  private final CellPlan plan;
  private final Grouping fold;
  private final ScanWatch watch;
  private final long bytesRead;
  private final Shown shown = new Shown();
  private final boolean apart; // first nanoseconds are
  private int next;
  private boolean firstShown; // of the next minute
  private long idTime;
  private long weight;
  private long plainBytes;
  private long kept;
  private long held;

  /// @param fold with steps of whole minutes
  /// @param bytesRead of the cells
  CellCursor(String type, CellPlan plan, Grouping fold, ScanWatch watch, long bytesRead) {
    this.type = type;
    this.plan = plan;
    this.fold = fold;
    this.watch = watch;
    this.bytesRead = bytesRead;
    this.apart = fold.startsAfterMinutes();
  }

  @Override
  public Step next() {
    if (held == 0) {
      held = plan.bytes();
      watch.holds(held);
    }
    weight = 0;
    plainBytes = 0;
    long stepLimit = 0;
    while (next < plan.size()) {
      long firsts = apart ? plan.countedFirsts(next) : 0;
      boolean isFirst = apart && !firstShown;
      long events = isFirst ? firsts : plan.counted(next) - firsts;
      if (events > 0) {
        long time = (plan.first() + next) * Cells.MINUTE_TICKS + (firstShown ? 1 : 0);
        if (weight > 0 && TimeUuid.tickNanos(time) >= stepLimit) {
          break;
        }
        if (weight == 0) {
          idTime = time;
          stepLimit = fold.stepLimit(TimeUuid.tickNanos(time));
        }
        weight += events;
        plainBytes += plan.hasBytes() ? plan.plainBytes(next) : 0;
      }
      firstShown = isFirst;
      next += isFirst ? 0 : 1;
    }
    kept += weight;
    return weight > 0 ? Step.EVENT : Step.END;
  }

  @Override
  public EventView event() {
    return shown;
  }

  @Override
  public ScanStatistics statistics() {
    return new ScanStatistics(0, 0, bytesRead, 0, kept);
  }

  @Override
  public void close() {
    next = plan.size();
    watch.holds(-held);
    held = 0;
  }

  private final class Shown implements EventView {
    @Override
    public long idTime() {
      return idTime;
    }

    @Override
    public long idTail() {
      return TimeUuid.tailOf(0, 0, 0);
    }

    @Override
    public long version() {
      return EventLayout.VERSION_ASSIGNED;
    }

    @Override
    public String type() {
      return type;
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      return false;
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {}

    @Override
    public long weight() {
      return weight;
    }

    @Override
    public long plainBytes(AttributeValue scratch) {
      if (!plan.hasBytes()) {
        throw new IllegalStateException("counts without bytes");
      }
      return plainBytes;
    }
  }
}
