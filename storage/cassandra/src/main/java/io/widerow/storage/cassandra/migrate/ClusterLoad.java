package io.widerow.storage.cassandra.migrate;

import io.widerow.event.Bucket;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.migrate.ClusterRecord.Attempt;
import io.widerow.storage.cassandra.value.SegmentValue;
import io.widerow.storage.segment.SegmentProfile;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Copies a directory into a cluster: everything that is new since the last run becomes one round
/// of the directory's daemon, written like a daemon's rounds.
///
/// ```
///   census      ids of the new events: how far each lane goes, whose numbers are in the ids
///   record      policy migration.<store id>: an attempt, its stamp, how far it goes
///   copy        each partition's new events: segments of tier 0 under the attempt's stamp
///   applied     the daemon's row: from here every reader shows the round, whole
///   record      done; and compared, when a comparison found both sides the same
/// ```
///
/// Of a partition the first part is written last, when the others are there: a partition whose part
/// 0 is there is done. So a killed run can be continued: the next attempt has a stamp of its own,
/// deletes what its predecessors left half-made, and takes of their finished partitions only what
/// arrived later. No two attempts write under one key.
///
/// That holds while the events stay in their partitions. A store that merges small partitions into
/// larger ones moves them: into a partition that is done, and they would be left out; out of one,
/// and they would be copied twice. So an attempt counts only while the source has, up to its
/// position, the [HourFingerprint] that it had then. What other attempts wrote is deleted first.
///
/// Why rounds, and not merged segments of a generation: a round needs no agreement with daemons
/// that merge concurrently, becomes visible at one moment, and leaves alone what others write to
/// the same partition.
///
/// - Threads: those of [Workers].
/// - Memory: for each thread one value being encoded, the first part of its partition and up to
///   [#REQUESTS] values in flight.
final class ClusterLoad {
  private static final int REQUESTS = 8; // of a thread

  private final StoreView view;
  private final Keyspace keyspace;
  private final MigrationStatements statements;
  private final Workers workers;
  private final MigrationWatch watch;
  private final UUID storeId;
  private final int lanes;
  private final DaemonNumberRegistry numbers;
  private final AtomicLong copied = new AtomicLong();
  private final Set<TypeDay> touched = new TreeSet<>();
  private ClusterRecord record = new ClusterRecord(-1, null, false, List.of());
  private boolean unsure; // no comparison found what earlier runs copied the same
  private long forgotten; // the least stamp that this run has deleted; 0 when it deletes none

  /// @param view of the directory
  /// @param storeId of the directory
  /// @param lanes of the directory when it was written last
  /// @param place the directory's, for people
  ClusterLoad(
      StoreView view,
      UUID storeId,
      int lanes,
      String place,
      Keyspace keyspace,
      MigrationStatements statements,
      Workers workers,
      MigrationWatch watch) {
    this.view = view;
    this.storeId = storeId;
    this.lanes = lanes;
    this.keyspace = keyspace;
    this.statements = statements;
    this.workers = workers;
    this.watch = watch;
    this.numbers = new DaemonNumberRegistry(statements, storeId, place);
  }

  /// Copies the new events.
  void run() {
    readRecord();
    LaneArrivals done = record.done();
    List<PartitionInfo> partitions = Views.partitions(view, done);
    watch.begin("looking", partitions.stream().mapToLong(PartitionInfo::events).sum());
    List<PartitionKey> keys = partitions.stream().map(PartitionInfo::key).toList();
    List<LaneArrivals> marks = record.attempts().stream().map(Attempt::to).toList();
    Census census = Census.of(view, keys, lanes, done, marks, workers, watch);
    if (census.events() == 0 && record.attempts().isEmpty() && done != null) {
      return;
    }
    int daemon = daemon(census);
    numbers.read();
    census.daemons().forEach(numbers::mine);
    LaneArrivals to = census.position(segmentLimit());
    long stamp = begin(daemon, to, census);
    List<CopyPlan> plans = CopyPlan.of(partitions);
    addBuckets(plans);
    watch.begin("copying", census.events());
    workers.run(plans, plan -> copy(plan, daemon, stamp));
    finish(daemon, to, stamp, census);
  }

  /// Events that were written.
  long copied() {
    return copied.get();
  }

  /// Days to compare: the days that this run and the runs that it continues wrote to. While no
  /// comparison has confirmed the copies of earlier runs: all days.
  Predicate<TypeDay> wanted() {
    synchronized (touched) {
      return unsure ? _ -> true : Set.copyOf(touched)::contains;
    }
  }

  /// Records that a comparison found both sides the same. Until then each run compares everything,
  /// also one that finds nothing new: missing events are reported again.
  void compared() {
    if (!record.compared()) {
      writeRecord(record.asCompared());
    }
  }

  private void readRecord() {
    String name = ClusterRecord.name(storeId);
    String text = statements.ask(Keyspace::policies).get(name);
    if (text == null) {
      return;
    }
    record = ClusterRecord.parse(name, text);
    if (!record.compared() || !record.attempts().isEmpty()) {
      numbers.read();
      record = record.shown(numbers.appliedStamp(record.daemon()));
    }
    unsure = record.done() != null && !record.compared();
  }

  private void writeRecord(ClusterRecord next) {
    statements.ask(to -> to.policy(ClusterRecord.name(storeId), next.text()));
    record = next;
  }

  private long segmentLimit() {
    LaneArrivals now = LaneArrivals.of(view.arrivals());
    return Objects.requireNonNull(now).segmentLimit();
  }

  /// The number in versions and keys: always the same one of a directory.
  private int daemon(Census census) {
    if (record.daemon() >= 0) {
      return record.daemon();
    }
    return Math.max(0, census.daemonLast());
  }

  /// Begins an attempt; returns its stamp.
  private long begin(int daemon, LaneArrivals to, Census census) {
    long limit = to.laneLimits().stream().mapToLong(Long::longValue).max().orElse(0);
    long stamp = Stamp.of(numbers.begin(daemon, limit), 1);
    for (int other : census.daemons()) {
      if (other != daemon) {
        numbers.begin(other, limit);
      }
    }
    numbers.read();
    List<Attempt> kept = record.attempts().subList(0, continued(to, census));
    if (kept.size() < record.attempts().size()) {
      long last = kept.isEmpty() ? numbers.appliedStamp(daemon) : kept.getLast().stamp();
      forgotten = last + 1;
      forget(daemon, stamp);
    }
    ClusterRecord next = new ClusterRecord(daemon, record.done(), record.compared(), kept);
    writeRecord(next.with(new Attempt(stamp, to, census.fingerprint())));
    return stamp;
  }

  /// The number of attempts that this run continues. Each attempt continued the earlier ones.
  private int continued(LaneArrivals to, Census census) {
    List<Attempt> attempts = record.attempts();
    int continued = 0;
    while (continued < attempts.size()
        && census.fingerprint(continued).equals(attempts.get(continued).source())
        && !isBefore(to, attempts.get(continued).to())) {
      continued++;
    }
    return continued;
  }

  /// Deletes what attempts wrote that this run does not continue, and that is not shown, in every
  /// partition of the catalog: there attempts put their partitions before they write. In a
  /// partition all goes at once: when this run is killed too, the attempts have not come to that
  /// partition, or are there as they were.
  ///
  /// It does not look first, and is done twice, since a write of an attempt may still be on its
  /// way: before anything is copied, and before the round is shown, which would show that write.
  private void forget(int daemon, long stamp) {
    long first = forgotten;
    watch.begin("clearing", 0);
    workers.run(
        statements.ask(Keyspace::spans),
        span -> {
          List<BucketRow> rows = statements.ask(to -> to.buckets(span));
          rows.stream()
              .flatMap(row -> row.partitions().stream())
              .distinct()
              .forEach(key ->
                  statements.ask(
                      to -> to.delete(key, SegmentKey.APPLIED, daemon, first, stamp - 1)));
        });
  }

  /// True when a position lacks something that another one has.
  private static boolean isBefore(LaneArrivals one, LaneArrivals other) {
    int counted = Math.max(one.laneLimits().size(), other.laneLimits().size());
    return IntStream.range(0, counted).anyMatch(lane -> one.limitOf(lane) < other.limitOf(lane));
  }

  private void addBuckets(List<CopyPlan> plans) {
    Map<BucketRow, Integer> shards = new HashMap<>();
    for (CopyPlan plan : plans) {
      PartitionKey key = plan.target();
      shards.merge(new BucketRow(Bucket.of(key), key.type(), 1), key.shard() + 1, Math::max);
    }
    workers.run(
        shards.entrySet(),
        entry -> {
          BucketRow of = entry.getKey();
          BucketRow row = new BucketRow(of.bucket(), of.type(), entry.getValue());
          statements.ask(to -> to.addBucket(row));
        });
  }

  private void copy(CopyPlan plan, int daemon, long stamp) {
    requireLast(daemon, stamp);
    PartitionKey target = plan.target();
    LaneArrivals since = since(target, daemon, stamp);
    MappedEvent mapped = MappedEvent.toCluster(daemon);
    try (PartWriter parts =
            new PartWriter(new SegmentKey(target, SegmentKey.APPLIED, daemon, stamp, 0));
        EventCursor events = view.open(plan.sources(), plan.range().withSince(since))) {
      while (Views.next(events)) {
        parts.add(mapped.show(events.event()));
      }
      parts.finish();
    }
  }

  /// From which arrival on a partition is to be copied: what earlier attempts finished is there.
  /// Deletes what they left half-made.
  private @Nullable LaneArrivals since(PartitionKey target, int daemon, long stamp) {
    LaneArrivals since = record.done();
    if (record.attempts().size() == 1) {
      return since;
    }
    Directory directory = statements.ask(to -> to.directory(target));
    Set<Long> begun = new HashSet<>();
    Set<Long> finished = new HashSet<>();
    for (DirectoryRow row : directory.rows()) {
      SegmentKey key = row.key();
      if (key.tier() == SegmentKey.APPLIED && key.daemon() == daemon) {
        begun.add(key.seq());
        if (key.part() == 0) {
          finished.add(key.seq());
        }
      }
    }
    for (Attempt attempt : record.attempts()) {
      long before = attempt.stamp();
      if (before == stamp) {
        continue;
      }
      if (finished.contains(before)) {
        since = attempt.to();
        touch(target);
      } else if (begun.contains(before)) {
        statements.ask(to -> to.delete(target, SegmentKey.APPLIED, daemon, before, before));
      }
    }
    return since;
  }

  /// Ends this run when another one of the same store has begun, be it from another snapshot. That
  /// one shows all that is there when it ends, so nothing may come to it any more. Asked before
  /// each partition and before its part that makes it count: only a single write that is held up
  /// for the whole of the other run gets through, and `--verify` reports it.
  private void requireLast(int daemon, long stamp) {
    for (DaemonRow row : statements.ask(Keyspace::daemons)) {
      if (row.daemon() == daemon && row.epoch() != Stamp.epoch(stamp)) {
        throw new StorageException.ReadOnly(
            "another migration of this store has begun, at %s; let it end".formatted(row.host()));
      }
    }
  }

  private void touch(PartitionKey target) {
    synchronized (touched) {
      touched.add(TypeDay.of(target));
    }
  }

  /// Shows the round. The numbers that are only in ids come first: merging must find them.
  private void finish(int daemon, LaneArrivals to, long stamp, Census census) {
    requireLast(daemon, stamp);
    if (forgotten > 0) {
      forget(daemon, stamp);
    }
    numbers.read();
    for (int other : census.daemons()) {
      if (other != daemon) {
        DaemonRow row = Objects.requireNonNull(numbers.mine(other));
        apply(other, Stamp.of(row.epoch(), 1), census, 0);
      }
    }
    apply(daemon, stamp, census, census.ownVersionLimit() << ClusterArrivals.DAEMON_BITS);
    writeRecord(new ClusterRecord(daemon, to, false, List.of()));
  }

  private void apply(int daemon, long stamp, Census census, long version) {
    var applied =
        new DaemonRow.Applied(
            stamp,
            Math.max(numbers.appliedVersion(daemon), version),
            census.limitsOf(daemon, numbers.appliedLimits(daemon)));
    statements.ask(to -> to.applied(daemon, applied));
  }

  /// True for an event of the cluster that came from this directory.
  boolean isOurs(EventView event) {
    return event.version() == EventLayout.VERSION_ASSIGNED
        ? numbers.isMine(TimeUuid.daemonOf(event.idTail()))
        : ClusterArrivals.daemonOfVersion(event.version()) == record.daemon();
  }

  /// Reads what [#isOurs] needs, when nothing is copied.
  void readOwners() {
    readRecord();
    numbers.read();
  }

  /// Writes the parts of one partition, the first one last.
  private final class PartWriter implements AutoCloseable {
    private final SegmentKey first;
    private final SegmentValue.Writer value;
    private final MigrationStatements.Writes writes = statements.new Writes(REQUESTS);
    private SegmentValue.@Nullable Encoded firstValue;
    private int parts;

    PartWriter(SegmentKey first) {
      this.first = first;
      this.value =
          new SegmentValue.Writer(
              first.partition(), SegmentProfile.FINAL, keyspace.identity().id());
    }

    void add(EventView event) {
      value.add(event);
      if (value.isFull()) {
        endPart();
      }
    }

    private void endPart() {
      SegmentValue.Encoded encoded = value.finish();
      watch.moved(encoded.events(), encoded.bytes().remaining());
      copied.addAndGet(encoded.events());
      if (parts == 0) {
        firstValue = encoded;
      } else {
        writes.add(encoded.row(key(parts)), encoded);
      }
      parts++;
    }

    private SegmentKey key(int part) {
      return new SegmentKey(first.partition(), first.tier(), first.daemon(), first.seq(), part);
    }

    void finish() {
      if (value.events() > 0) {
        endPart();
      }
      writes.finish();
      SegmentValue.Encoded last = firstValue;
      if (last != null) {
        requireLast(first.daemon(), first.seq());
        writes.add(last.row(key(0)), last);
        writes.finish();
        touch(first.partition());
      }
    }

    @Override
    public void close() {
      value.close();
    }
  }
}
