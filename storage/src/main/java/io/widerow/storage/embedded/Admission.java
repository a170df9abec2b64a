package io.widerow.storage.embedded;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.RecordView;
import io.widerow.event.Rejection;
import io.widerow.event.TimeUuid;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.layout.Layouts;
import io.widerow.storage.live.FilteredRetentions;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.rows.BatchOrder;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides which events of a batch a lane may take. Clocks are read once a batch. Only an event
/// that is older than the shortest retention costs more than comparisons.
///
/// - Threads: the lane's.
final class Admission {
  private final StoreContents contents;
  private final StoreConfig config;
  private final long eventBytesMax;
  private long latest; // as a time of an id
  private long oldest; // as a time of an id; older events need a look at their type
  private Layouts layouts; // of the batch
  private RetentionLookup policy = RetentionLookup.FOREVER; // of the batch
  private long retentionNanos; // the time now, for retention
  private FilteredRetentions.Hidden hidden = FilteredRetentions.Hidden.NONE; // of the batch
  private long oldestOfAll; // as a time of an id; older events may be hidden by a filter
  private final RecordView event = new RecordView();
  private final AttributeValue scratch = new AttributeValue();
  private String type = "";
  private byte[] typeUtf8 = {};

  Admission(StoreContents contents) {
    this.contents = contents;
    this.config = contents.config();
    this.layouts = contents.layouts().now();
    this.eventBytesMax = config.eventBytesMax();
  }

  /// Begins a batch.
  ///
  /// @param now the layouts by which its events are placed
  void begin(Layouts now) {
    layouts = now;
    long latestNanos = contents.clock().latestNanos();
    latest = TimeUuid.timeOfNanos(latestNanos + config.futureMax().toNanos());
    policy = contents.retentions().admitted();
    long shortest = policy.shortestNanos();
    if (shortest == RetentionLookup.KEPT_FOREVER) {
      oldest = Long.MIN_VALUE;
    } else {
      retentionNanos = contents.clock().retentionNanos();
      oldest = TimeUuid.timeOfNanos(Math.max(0, retentionNanos - shortest));
    }
    FilteredRetentions filtered = contents.filteredRetentions();
    List<FilteredRetention> others = policy.filtered(); // of the store that this one is drained to
    hidden = others.isEmpty() ? filtered.now() : filtered.now(others);
    oldestOfAll =
        hidden.policies().stream()
            .mapToLong(each -> TimeUuid.timeOfNanos(each.keptFromNanos(hidden.nowNanos())))
            .max()
            .orElse(Long.MIN_VALUE);
  }

  /// Why an event cannot be taken in any batch; null when it can.
  private @Nullable Rejection refusal(MemorySegment events, long offset) {
    long time = EventLayout.idTime(events, offset);
    if (time > latest) {
      return Rejection.TIME_IN_FUTURE;
    }
    if (time < oldest && isExpired(events, offset, time)) {
      return Rejection.PAST_RETENTION;
    }
    if (time < oldestOfAll && hiddenBy(events, offset) != null) {
      return Rejection.PAST_RETENTION;
    }
    return EventLayout.length(events, offset) > eventBytesMax ? Rejection.EVENT_TOO_LARGE : null;
  }

  private void refuse(
      EventBatch batch, int index, long offset, Rejection why, LaneWriter.Rejections rejections) {
    Duration kept = why == Rejection.PAST_RETENTION ? kept(batch.memory(), offset) : null;
    if (kept == null) {
      rejections.rejected(index, why);
    } else {
      rejections.pastRetention(index, kept);
    }
  }

  private @Nullable Duration kept(MemorySegment events, long offset) {
    FilteredRetention filtered = hiddenBy(events, offset);
    return filtered == null ? policy.of(typeOf(events, offset)) : filtered.age();
  }

  /// The policy with a filter that would hide an event; null when none would.
  private @Nullable FilteredRetention hiddenBy(MemorySegment events, long offset) {
    long nanos = TimeUuid.tickNanos(EventLayout.idTime(events, offset));
    for (FilteredRetention each : hidden.policies()) {
      if (nanos < each.keptFromNanos(hidden.nowNanos())
          && each.matches(typeOf(events, offset))
          && FilterEvaluation.keeps(each.filter(), event.show(events, offset), scratch)) {
        return each;
      }
    }
    return null;
  }

  /// Refuses the events of a batch that a lane may not take, and adds the others to the order.
  void admit(EventBatch batch, BatchOrder order, LaneWriter.Rejections rejections) {
    MemorySegment events = batch.memory();
    long offset = 0;
    for (int i = 0; i < batch.count(); i++) {
      Rejection refusal = refusal(events, offset);
      if (refusal == null) {
        order.add(offset, EventLayout.idTime(events, offset));
      } else {
        refuse(batch, i, offset, refusal, rejections);
      }
      offset += EventLayout.alignedLength(EventLayout.length(events, offset));
    }
  }

  /// Refuses the events of a batch that were admitted: it does not fit.
  void refuseAdmitted(EventBatch batch, LaneWriter.Rejections rejections) {
    MemorySegment events = batch.memory();
    long offset = 0;
    for (int i = 0; i < batch.count(); i++) {
      if (refusal(events, offset) == null) {
        refuse(batch, i, offset, Rejection.BATCH_TOO_LARGE, rejections);
      }
      offset += EventLayout.alignedLength(EventLayout.length(events, offset));
    }
  }

  /// True when readers would not be shown the event.
  private boolean isExpired(MemorySegment events, long offset, long time) {
    String name = typeOf(events, offset);
    int width = layouts.of(name).admittedMinutes();
    int bucket = PartitionKey.bucketOf(TimeUuid.tickNanos(time), width);
    long until = (bucket + (long) width) * PartitionKey.NANOS_PER_MINUTE;
    return policy.isExpired(name, until, retentionNanos);
  }

  private String typeOf(MemorySegment events, long offset) {
    if (!EventLayout.hasType(events, offset, typeUtf8)) {
      int bytes = EventLayout.typeBytes(events, offset);
      typeUtf8 = events.asSlice(EventLayout.typeOffset(offset), bytes).toArray(JAVA_BYTE);
      type = new String(typeUtf8, StandardCharsets.UTF_8);
    }
    return type;
  }
}
