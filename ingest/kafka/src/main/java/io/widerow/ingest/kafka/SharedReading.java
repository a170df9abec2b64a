package io.widerow.ingest.kafka;

import io.widerow.ingest.lane.SourcePartition;
import io.widerow.storage.SharedSources;
import io.widerow.storage.SourceRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// The partitions that a group of daemons gives to this one, on a store that they share. The group
/// decides who reads a partition; who stores a record is decided by a conditional update in the
/// cluster, see [SharedSources]. So a daemon that does not know yet that a partition was taken from
/// it does no harm: what it reads is left out.
///
/// ```
///   assigned -> joining: earlier batches are applied, then the position is asked for
///            -> reading: until revoked, or another daemon has moved the position -> joining
/// ```
///
/// The membership is static: a daemon that comes back within the session timeout gets its
/// partitions again at once.
///
/// - Threads: the poller's; any reads the counter.
final class SharedReading implements ConsumerRebalanceListener {
  private static final long REVOKED_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long LOOK_NANOS = Duration.ofMillis(5).toNanos();

  private final SharedSources cluster;
  private final String instance;
  private final StartOffsets starts;
  private final Map<TopicPartition, PartitionReader> readers; // that read
  private final Map<SourcePartition, PartitionReader> known;
  private final Runnable settle;
  private final Set<TopicPartition> assigned = new HashSet<>();
  private final Map<TopicPartition, Join> joins = new HashMap<>();
  private final Map<TopicPartition, CompletableFuture<Boolean>> owed = new HashMap<>();
  private final LongAdder rebalances = new LongAdder();
  private Map<TopicPartition, SourcePartition> found = Map.of();
  private Set<String> topics = Set.of();
  private @Nullable Consumer<?, ?> consumer; // of the session

  /// What is asked before a partition is read.
  private static final class Join {
    private @Nullable CompletableFuture<SharedSources.Start> start;
    private @Nullable CompletableFuture<Integer> partitions; // of a topic without a position
    private long retryNanos = System.nanoTime();
  }

  /// @param instance name of this member in the group, the same after each start
  /// @param readers of the partitions that are read, which this object changes
  /// @param known readers since the start
  /// @param settle takes outcomes of batches
  SharedReading(
      SharedSources cluster,
      String instance,
      StartOffsets starts,
      Map<TopicPartition, PartitionReader> readers,
      Map<SourcePartition, PartitionReader> known,
      Runnable settle) {
    this.cluster = cluster;
    this.instance = instance;
    this.starts = starts;
    this.readers = readers;
    this.known = known;
    this.settle = settle;
  }

  /// Adds what a member of a group needs.
  Properties member(Properties client) {
    client.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, instance);
    client.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    return client;
  }

  /// Begins with a new consumer.
  void begin(Consumer<?, ?> newConsumer) {
    forget(List.copyOf(assigned));
    topics = Set.of();
    consumer = newConsumer;
  }

  /// Takes the partitions of the topics as they are now.
  void found(Map<TopicPartition, SourcePartition> now) {
    found = now;
    Set<String> names = new HashSet<>();
    now.keySet().forEach(name -> names.add(name.topic()));
    if (!names.isEmpty() && !names.equals(topics)) {
      topics = names;
      consumer().subscribe(names, this);
    }
    readers.forEach(
        (name, reader) -> owed.put(name, cluster.isOwed(reader.of.topic(), reader.of.partition())));
  }

  private Consumer<?, ?> consumer() {
    return Objects.requireNonNull(consumer);
  }

  boolean isMember() {
    return !topics.isEmpty();
  }

  /// Changes of the assignment since the start.
  long rebalances() {
    return rebalances.sum();
  }

  /// The readers of the partitions that this daemon has, those that do not read yet included.
  Collection<PartitionReader> assigned() {
    List<PartitionReader> all = new ArrayList<>();
    assigned.forEach(name -> {
      SourcePartition of = found.get(name);
      PartitionReader reader = of == null ? null : known.get(of);
      if (reader != null) {
        all.add(reader);
      }
    });
    return all;
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> more) {
    if (!more.isEmpty()) {
      rebalances.increment();
    }
    for (TopicPartition name : more) {
      consumer().pause(List.of(name));
      consumer().seek(name, 0); // else the client asks for an offset that was committed
      assigned.add(name);
    }
  }

  /// Waits a moment for the batches in progress, so that the next owner need not read them again.
  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> gone) {
    if (!gone.isEmpty()) {
      rebalances.increment();
    }
    List<PartitionReader> revoked = forget(gone);
    long until = System.nanoTime() + REVOKED_NANOS;
    while (System.nanoTime() < until && revoked.stream().anyMatch(this::isBusy)) {
      settle.run();
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> gone) {
    rebalances.increment();
    forget(gone);
  }

  private List<PartitionReader> forget(Collection<TopicPartition> gone) {
    List<PartitionReader> forgotten = new ArrayList<>();
    for (TopicPartition name : gone) {
      assigned.remove(name);
      joins.remove(name);
      owed.remove(name);
      PartitionReader reader = readers.remove(name);
      if (reader != null) {
        reader.end();
        forgotten.add(reader);
      }
    }
    return forgotten;
  }

  private boolean isBusy(PartitionReader reader) {
    return !reader.sent.isEmpty() || cluster.isPending(reader.of.topic(), reader.of.partition());
  }

  /// Ends what cannot go on, and begins what can.
  void step() {
    for (Map.Entry<TopicPartition, PartitionReader> each : List.copyOf(readers.entrySet())) {
      TopicPartition name = each.getKey();
      PartitionReader reader = each.getValue();
      boolean isOver =
          reader.isOver() || cluster.isRefused(reader.of.topic(), reader.of.partition());
      if (isOver || isOwed(name)) {
        readers.remove(name);
        reader.end();
        consumer().pause(List.of(name));
      }
    }
    for (TopicPartition name : assigned) {
      SourcePartition of = found.get(name);
      PartitionReader reader = of == null ? null : known.get(of);
      if (reader != null && !readers.containsKey(name)) {
        join(name, reader, joins.computeIfAbsent(name, _ -> new Join()));
      }
    }
  }

  /// Whether a daemon was released that owes offsets of the partition.
  private boolean isOwed(TopicPartition name) {
    CompletableFuture<Boolean> asked = owed.get(name);
    if (asked == null || !asked.isDone()) {
      return false;
    }
    owed.remove(name);
    return !asked.isCompletedExceptionally() && asked.join(); // it is asked again
  }

  private void join(TopicPartition name, PartitionReader reader, Join join) {
    if (isBusy(reader) || !reader.waiting.isEmpty()) {
      reader.joining = "the batches that were read before are not applied to the cluster yet";
      return;
    }
    if (System.nanoTime() < join.retryNanos) {
      return;
    }
    reader.joining = "the cluster is asked for its position";
    try {
      SharedSources.Start start = start(reader, join);
      if (start == null) {
        return;
      }
      long position = start.position();
      boolean isNew = start.again() == null && start.term() == SourceRange.NO_TERM;
      if (isNew) {
        Integer atFirst = partitionsAtFirst(reader, join);
        if (atFirst == null) {
          return;
        }
        List<TopicPartition> one = List.of(name);
        boolean isFresh = name.partition() < atFirst;
        position = starts.of(consumer(), one, isFresh ? one : List.of()).getOrDefault(name, 0L);
      }
      joins.remove(name);
      reader.begin(new SharedChain(reader.of, start), isNew, position, start.leaderEpoch());
      readers.put(name, reader);
      seek(name, reader);
    } catch (CompletionException failed) {
      Throwable cause = failed.getCause() == null ? failed : failed.getCause();
      reader.joining = "its position cannot be read: " + cause.getMessage();
      join.start = null;
      join.partitions = null;
      join.retryNanos = System.nanoTime() + RETRY_NANOS;
    }
  }

  private SharedSources.@Nullable Start start(PartitionReader reader, Join join) {
    CompletableFuture<SharedSources.Start> asked = join.start;
    if (asked == null) {
      asked = cluster.begin(reader.of.topic(), reader.of.partition());
      join.start = asked;
    }
    return asked.isDone() ? asked.join() : null;
  }

  private @Nullable Integer partitionsAtFirst(PartitionReader reader, Join join) {
    CompletableFuture<Integer> asked = join.partitions;
    if (asked == null) {
      String topic = reader.name.topic();
      long now = found.keySet().stream().filter(each -> each.topic().equals(topic)).count();
      asked = cluster.partitionsAtFirst(reader.of.topic(), (int) now);
      join.partitions = asked;
    }
    return asked.isDone() ? asked.join() : null;
  }

  private void seek(TopicPartition name, PartitionReader reader) {
    int epoch = reader.leaderEpoch();
    Optional<Integer> leader = epoch < 0 ? Optional.empty() : Optional.of(epoch);
    consumer().seek(name, new OffsetAndMetadata(reader.resume(), leader, ""));
    consumer().resume(List.of(name));
  }
}
