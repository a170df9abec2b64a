package io.widerow.query.fields;

import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.query.PartitionSpans;
import io.widerow.storage.EventStore;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.StoreView;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Counts the fields of sealed blocks in advance, the newest first: after a start, and whenever
/// segments were sealed or merged. So the first query has them in memory, too.
///
/// ```
///   look --> fast writing? --> segments changed? --> a view for a quarter of a second --> again
///                 | yes              | no                                    until all is known,
///                 +------------------+--> until the next look                or the memory is full
/// ```
///
/// - An unreadable segment is left to the query, which reports it.
/// - Threads: one calls [#look]; any may call [#stop].
/// - Memory: what [KnownFields] has room for, and one block.
public final class FieldStatisticsWarmer {
  private static final Logger LOG = Logger.getLogger("widerow");

  /// Partitions whose blocks are looked for: of a store of more, the newest.
  private static final int PARTITIONS_MAX = 100_000;

  /// A view keeps replaced files from being deleted, so none is held for long.
  private static final long VIEW_NANOS = 250_000_000;

  /// While more events than this come in a second, the processor is theirs.
  private static final double BUSY_EVENTS = 100_000;

  private static final double SECOND_NANOS = 1e9;

  private final EventStore store;
  private final KnownFields known;
  private final LongSupplier nanoTime;
  private final Set<StoreView.Part> leftOut = new HashSet<>(); // damaged, or too large
  private Segments done = new Segments(0, 0, 0);
  private long eventsBefore;
  private long nanosBefore;
  private boolean looked;
  private volatile boolean stopped;

  /// @param store on this machine
  /// @param known the cache that queries use
  public FieldStatisticsWarmer(EventStore store, KnownFields known) {
    this(store, known, System::nanoTime);
  }

  /// @param nanoTime elapsed time
  FieldStatisticsWarmer(EventStore store, KnownFields known, LongSupplier nanoTime) {
    this.store = store;
    this.known = known;
    this.nanoTime = nanoTime;
  }

  /// A stamp that changes when the set of segments changes.
  private record Segments(long number, long events, long bytesWritten) {
    static Segments of(StoreStatistics now) {
      return new Segments(now.segments(), now.segmentEvents(), now.segmentBytesWritten());
    }
  }

  /// Reads until everything is known, or the memory is full, or events come in fast. The owner
  /// calls it about once a second.
  public void look() {
    boolean more = true;
    while (more && !stopped) {
      StoreStatistics now = store.statistics();
      more = !isBusy(now) && read(Segments.of(now));
    }
  }

  private boolean isBusy(StoreStatistics now) {
    long nanos = nanoTime.getAsLong();
    double seconds = Math.max(1, nanos - nanosBefore) / SECOND_NANOS;
    boolean busy = looked && now.eventsCommitted() - eventsBefore > BUSY_EVENTS * seconds;
    looked = true;
    nanosBefore = nanos;
    eventsBefore = now.eventsCommitted();
    return busy;
  }

  /// Reads for the time of a view. Returns whether there is more to read.
  private boolean read(Segments now) {
    if (now.equals(done)) {
      return false;
    }
    boolean more = false;
    try (StoreView view = store.view()) {
      Scan all = Scan.ofTime(TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT);
      List<PartitionKey> keys =
          PartitionSpans.newest(view, TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT, PARTITIONS_MAX)
              .stream()
              .map(PartitionInfo::key)
              .toList();
      try (StoreView.SealedValues values = view.sealedValues(keys, all)) {
        more = values != null && read(values);
      }
    } catch (StorageException failed) { // queries meet it too, and report it
      LOG.log(Level.FINE, "fields are not read ahead: {0}", failed.getMessage());
    }
    if (!more && !stopped) {
      done = now;
    }
    return more;
  }

  private boolean read(StoreView.SealedValues values) {
    long untilNanos = nanoTime.getAsLong() + VIEW_NANOS;
    List<StoreView.Part> parts = values.parts().stream().filter(StoreView.Part::whole).toList();
    known.retain(parts.stream().map(StoreView.Part::segment).collect(Collectors.toSet()));
    leftOut.retainAll(Set.copyOf(parts));
    for (StoreView.Part part : known.missing(parts).reversed()) {
      if (!known.hasRoom()) {
        return false;
      }
      if (!leftOut.contains(part)) {
        read(values, part, untilNanos);
        if (isOver(untilNanos)) {
          return true;
        }
      }
    }
    return false;
  }

  private void read(StoreView.SealedValues values, StoreView.Part part, long untilNanos) {
    try {
      KnownFields.@Nullable Known read =
          SealedFields.readOn(values, part, known.take(part), () -> isOver(untilNanos), _ -> {});
      if (read == null || !known.put(part, read)) {
        leftOut.add(part);
      }
    } catch (StorageException.Corrupt damaged) { // the store remembers it for its report
      leftOut.add(part);
    }
  }

  private boolean isOver(long untilNanos) {
    return stopped || nanoTime.getAsLong() - untilNanos > 0;
  }

  /// Ends [#look] at the next block.
  public void stop() {
    stopped = true;
  }
}
