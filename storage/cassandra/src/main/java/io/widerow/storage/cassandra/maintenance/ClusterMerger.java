package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.cursor.LazyCursor;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.scan.BlockReaderPool;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.scan.Prefetch;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.Segment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/// Merges the segments of a partition into their final form (compaction).
///
/// ```
///  view ---> directory ---> write generation g ---> read directory ---> swap ... 60 s ... delete
///  stamps    applied up     final values, parts     all of g is        g, and             what g
///            to stamps,     of 1 MiB                there?             covered            covers
///            merged ones
/// ```
///
/// Until the swap no reader shows the rows that were written; after it no reader shows the rows
/// that it covers. So a merge that is killed anywhere has changed nothing, or leaves rows that no
/// reader shows, and a later run deletes them. Of two mergers of one partition one swap succeeds,
/// see [Generations].
///
/// The view comes first: a round that it shows was written whole before, so the directory has all
/// of it. The merge covers the rounds that it read, and no others. Deletes are exact ranges of keys
/// below them, whatever clocks read.
///
/// - Threads: one.
/// - Memory: values of segments that overlap, [MergeSources#OPEN_BYTES_MAX] decoded, and up to
///   [ValueAhead#BYTES_AHEAD] ahead; values that are written.
final class ClusterMerger implements AutoCloseable {
  private final Keyspace keyspace;
  private final int daemon;
  private final RandomGenerator random;
  private final int valueBytes;
  private final UpkeepCounters counters;
  private final BlockReaderPool pool = new BlockReaderPool();

  /// The outcome of a merge.
  enum Outcome {
    /// There was nothing to merge.
    NOTHING,
    /// Everything that the view shows is merged.
    MERGED,
    /// Some of it is merged; the next merge continues.
    PARTLY,
    /// Another daemon merged or dropped the partition during the merge.
    LOST
  }

  /// A merge and what it put in force.
  ///
  /// @param rows that it wrote; empty when it changed nothing
  record Merged(Outcome outcome, int generation, List<DirectoryRow> rows) {
    /// A merge of which this process knows nothing.
    static final Merged UNKNOWN = nothing(Outcome.NOTHING);

    private static Merged nothing(Outcome outcome) {
      return new Merged(outcome, 0, List.of());
    }
  }

  ClusterMerger(Keyspace keyspace, int daemon, RandomGenerator random, UpkeepCounters counters) {
    this(keyspace, daemon, random, MergedWriter.VALUE_BYTES, counters);
  }

  /// @param valueBytes the most that a value has, except of a single event
  ClusterMerger(
      Keyspace keyspace,
      int daemon,
      RandomGenerator random,
      int valueBytes,
      UpkeepCounters counters) {
    this.keyspace = keyspace;
    this.daemon = daemon;
    this.random = random;
    this.valueBytes = valueBytes;
    this.counters = counters;
  }

  /// Merges what a view shows.
  ///
  /// @param directory read after the view was taken
  /// @param stamps of the view
  /// @throws StorageException.Corrupt when a value is damaged or missing; nothing was changed
  /// @throws KeyspaceException when the keyspace cannot be asked. Whether the merge came into force
  ///   is then unknown, and what it wrote is left for a later run
  Merged merge(Directory directory, Map<Integer, Long> stamps) {
    FilteredRemoval none = FilteredRemoval.of(List.of(), directory.partition(), 0);
    return merge(directory, stamps, none, () -> true);
  }

  /// The same without the events that retention has hidden, also when nothing else is to merge.
  ///
  /// @param removal at least one event stays: a merge without rows would be damage
  /// @param isInForce true while its policies are; asked before the merge comes into force
  Merged merge(
      Directory directory,
      Map<Integer, Long> stamps,
      FilteredRemoval removal,
      BooleanSupplier isInForce) {
    MergeSources sources = MergeSources.of(directory, stamps);
    if (removal.isNone() && sources.covered().equals(directory.covered())) {
      return Merged.nothing(Outcome.NOTHING);
    }
    PartitionKey partition = directory.partition();
    int generation = Generations.next(directory, daemon, random);
    if (generation < 0) {
      return Merged.nothing(Outcome.NOTHING);
    }
    Written written;
    try {
      written = write(partition, generation, sources.rows(), removal);
    } catch (ValueAhead.Missing missing) {
      delete(partition, generation);
      return changedOrCorrupt(partition, missing);
    }
    Directory now = Waits.of(keyspace.directory(partition));
    boolean swapped =
        (removal.isNone() || isInForce.getAsBoolean())
            && now.generation() == directory.generation()
            && rowsOf(now, generation).equals(written.rows)
            && Waits.of(
                keyspace.swap(partition, directory.generation(), generation, sources.covered()));
    if (!swapped) {
      delete(partition, generation);
      counters.swapsLost.increment();
      return Merged.nothing(Outcome.LOST);
    }
    counters.merges.increment();
    counters.eventsRemoved.add(written.removed);
    for (DirectoryRow row : written.rows) {
      counters.eventsMerged.add(row.events());
      counters.bytesMerged.add(row.bytes());
    }
    return new Merged(sources.whole() ? Outcome.MERGED : Outcome.PARTLY, generation, written.rows);
  }

  /// The rows that a merge of this daemon wrote, as the directory has them.
  private List<DirectoryRow> rowsOf(Directory directory, int generation) {
    return directory.rows().stream()
        .filter(row ->
            row.key().tier() == SegmentKey.MERGED
                && row.key().daemon() == daemon
                && row.key().seq() == generation)
        .toList();
  }

  private void delete(PartitionKey partition, int generation) {
    Waits.of(keyspace.delete(partition, SegmentKey.MERGED, daemon, generation, generation));
  }

  /// What a merge wrote.
  ///
  /// @param removed number of events that it left out
  private record Written(List<DirectoryRow> rows, long removed) {}

  private Written write(
      PartitionKey partition, int generation, List<DirectoryRow> sources, FilteredRemoval removal) {
    long bytes = sources.stream().mapToLong(DirectoryRow::bytes).sum();
    long events = sources.stream().mapToLong(DirectoryRow::events).sum();
    double perEvent = (double) bytes / events;
    try (MergedWriter writer =
            new MergedWriter(keyspace, partition, daemon, generation, valueBytes, perEvent);
        EventCursor cursor = MergeCursor.of(cursors(sources, Scan.all()), false)) {
      long kept = 0;
      long removed = 0;
      while (cursor.next() == EventCursor.Step.EVENT) {
        if (!removal.isNone() && removal.removes(cursor.event())) {
          removed++;
        } else {
          writer.add(cursor.event());
          kept++;
        }
      }
      if (kept == 0) {
        addFirst(sources, writer);
        removed--;
      }
      return new Written(writer.finish(), removed);
    }
  }

  private void addFirst(List<DirectoryRow> sources, MergedWriter writer) {
    try (EventCursor cursor = MergeCursor.of(cursors(sources, Scan.all()), false)) {
      if (cursor.next() == EventCursor.Step.EVENT) {
        writer.add(cursor.event());
      }
    }
  }

  /// The number of events of the merge in force that a merge could leave out: all but one, when it
  /// has no others.
  ///
  /// @throws StorageException.Corrupt when a value is damaged or missing
  long removable(Directory directory, FilteredRemoval removal) {
    long going = 0;
    long events = 0;
    List<DirectoryRow> rows = MergeSources.merged(directory);
    try (EventCursor cursor = MergeCursor.of(cursors(rows, removal.scan()), false)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        events++;
        going += removal.removes(cursor.event()) ? 1 : 0;
      }
    } catch (ValueAhead.Missing missing) {
      var _ = changedOrCorrupt(directory.partition(), missing);
      return 0;
    }
    return going == events ? Math.max(0, going - 1) : going;
  }

  private List<EventCursor> cursors(List<DirectoryRow> sources, Scan scan) {
    ValueAhead values = new ValueAhead(keyspace, sources);
    BlockReaders readers = BlockReaders.of(pool);
    List<EventCursor> cursors = new ArrayList<>();
    for (DirectoryRow row : sources) {
      cursors.add(
          new LazyCursor(
              row.first(),
              () -> {
                PartitionKey key = row.key().partition();
                try (Segment segment =
                    SegmentValue.open(values.take(row), row, keyspace.identity().id())) {
                  return SegmentCursor.open(segment, key, scan, readers, Prefetch.OFF);
                }
              }));
    }
    return cursors;
  }

  private Merged changedOrCorrupt(PartitionKey partition, ValueAhead.Missing missing) {
    Directory now = Waits.of(keyspace.directory(partition));
    boolean named =
        now.isShown(missing.key)
            && now.rows().stream().anyMatch(row -> row.key().equals(missing.key));
    if (named) {
      throw new StorageException.Corrupt(
          Path.of(missing.key.toString().replace('\0', '?')), 0, missing.found);
    }
    return Merged.nothing(Outcome.LOST);
  }

  /// Deletes rows that no reader shows and none will: what the merge in force covers, and merges
  /// that did not come into force.
  ///
  /// @param expected what must be in force for it, with [Merged]'s generation; nothing is deleted
  ///   when it is not, unless another merge is in force
  /// @throws StorageException.Corrupt when the merge in force is not whole; nothing was deleted
  void clean(PartitionKey partition, Merged expected) {
    Directory directory = Waits.of(keyspace.directory(partition));
    List<DirectoryRow> obsolete = obsolete(directory);
    if (obsolete.isEmpty()) {
      return;
    }
    requireWhole(directory, expected);
    record Series(int tier, int daemon, long seq) {}
    List<CompletableFuture<Void>> deletes = new ArrayList<>();
    Map<Series, Long> first = new LinkedHashMap<>();
    for (DirectoryRow row : obsolete) {
      SegmentKey key = row.key();
      boolean applied = key.tier() == SegmentKey.APPLIED;
      first.merge(
          new Series(key.tier(), key.daemon(), applied ? 0 : key.seq()), key.seq(), Math::min);
    }
    first.forEach((series, seq) -> {
      long last =
          series.tier == SegmentKey.APPLIED
              ? directory.covered().getOrDefault(series.daemon, seq)
              : seq;
      deletes.add(keyspace.delete(partition, series.tier, series.daemon, seq, last));
    });
    deletes.forEach(Waits::of);
    counters.segmentsDeleted.add(obsolete.size());
  }

  /// Rows that [#clean] would delete.
  static List<DirectoryRow> obsolete(Directory directory) {
    return directory.rows().stream()
        .filter(row -> Generations.isObsolete(directory, row.key()))
        .toList();
  }

  /// Deleting cannot be undone, so what the readers show instead is looked at once more.
  private static void requireWhole(Directory directory, Merged expected) {
    List<DirectoryRow> inForce = MergeSources.merged(directory);
    boolean mine = directory.generation() == expected.generation();
    boolean whole = !mine || expected.rows().isEmpty() || inForce.equals(expected.rows());
    for (int part = 0; part < inForce.size(); part++) {
      whole &= inForce.get(part).key().part() == part;
    }
    if (!whole || (directory.generation() != 0 && inForce.isEmpty())) {
      throw new StorageException.Corrupt(
          Path.of(directory.partition().toString().replace('\0', '?')),
          0,
          "the directory has %d parts of the merge in force (%d), not all that were written"
              .formatted(inForce.size(), directory.generation()));
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
