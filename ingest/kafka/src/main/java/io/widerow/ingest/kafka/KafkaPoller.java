package io.widerow.ingest.kafka;

import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.lane.SourceGap;
import io.widerow.ingest.lane.SourcePartition;
import io.widerow.ingest.lane.SourcePosition;
import io.widerow.storage.SharedSources;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/// Polls the partitions, and hands their records over to the lanes. It assigns itself its
/// partitions and seeks to the positions in the store; on a cluster a group assigns them, see
/// [SharedReading]. The offsets committed to Kafka are a hint for other tools. It never waits for
/// an outcome: a partition without room is paused.
///
/// - Threads: runs on one; [#stop], [#states] and [#reason] from any.
final class KafkaPoller implements Runnable {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final Duration AWAY = Duration.ofSeconds(2);
  private static final Duration COMMIT = Duration.ofSeconds(5);
  private static final Duration PUBLISH = Duration.ofSeconds(1);
  private static final Duration DRAIN = Duration.ofSeconds(10);
  private static final Duration IDLE = Duration.ofMillis(100);
  private static final Duration BUSY = Duration.ofMillis(5);
  private static final CloseOptions QUICKLY = CloseOptions.timeout(Duration.ofSeconds(2));

  /// The other daemons of the group get the partitions at once.
  private static final CloseOptions LEAVING =
      CloseOptions.timeout(Duration.ofSeconds(2))
          .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP);

  private final KafkaOptions options;
  private final ClientProperties client;
  private final String clientId;
  private final String group;
  private final Intake intake;
  private final RecordDecoding decoding;
  private final TopicDiscovery discovery;
  private final SourceShares shares;
  private final StartOffsets starts;
  private final @Nullable DeadLetters letters;
  private final @Nullable OwedReads owedReads; // with letters
  private final PartitionFeed feed;
  private final @Nullable SharedReading shared; // on a cluster
  private final Map<TopicPartition, PartitionReader> readers = new HashMap<>(); // that are assigned

  /// The partitions that the consumer has had. One whose topic has got another id needs another
  /// consumer: the old one may have records of the old topic.
  private final Map<TopicPartition, SourcePartition> assigned = new HashMap<>();

  private MetadataUpdates updates = new MetadataUpdates(); // of the consumer
  private int updatesSeen; // before the ids of the topics were compared
  private boolean isStale; // a topic was created again, or there are many more partitions
  private int partitions; // for which the sizes of fetches are

  /// All since the start. One whose topic was not found for a while goes on where it was: the
  /// positions of the lanes are those of the start.
  private final Map<SourcePartition, PartitionReader> known = new HashMap<>();

  private boolean isFirst = true;
  private boolean commits = true;
  private long discoverAt;
  private long commitAt;
  private long publishAt;
  private volatile boolean stopped;
  private volatile boolean isSeen; // the gaps, and are to be cleared
  private volatile @Nullable Consumer<byte[], byte[]> polling;
  private volatile @Nullable String reason = "not connected yet";
  private volatile List<PartitionState> states = List.of();
  private volatile int unread; // partitions that nobody in the group reads

  /// @param clientId its name for the brokers
  KafkaPoller(
      KafkaOptions options,
      ClientProperties client,
      String clientId,
      String group,
      Intake intake,
      RecordDecoding decoding,
      TopicDiscovery discovery,
      SourceShares shares,
      @Nullable SharedSources cluster) {
    this.options = options;
    this.client = client;
    this.clientId = clientId;
    this.group = group;
    this.intake = intake;
    this.decoding = decoding;
    this.discovery = discovery;
    this.shares = shares;
    this.starts = new StartOffsets(options);
    this.letters =
        options.deadLetter().isEmpty() ? null : new DeadLetters(options, this::properties, shares);
    this.owedReads =
        letters == null
            ? null
            : new OwedReads(
                options,
                this::consumerProperties,
                decoding,
                discovery,
                letters,
                intake::epochNanos);
    this.feed = new PartitionFeed(intake, decoding, shares, letters, cluster);
    this.shared =
        cluster == null
            ? null
            : new SharedReading(
                cluster,
                "%s-%d-%s".formatted(group, cluster.daemon(), clientId),
                starts,
                readers,
                known,
                this::settle);
  }

  /// The partitions, about a second old.
  List<PartitionState> states() {
    return states;
  }

  /// Why nothing is read at present; null while records are read.
  @Nullable String reason() {
    return reason;
  }

  /// Partitions of its topics that nobody in the group reads; 0 on one machine.
  int unread() {
    return unread;
  }

  /// Changes of the assignment by the group.
  long rebalances() {
    return shared == null ? 0 : shared.rebalances();
  }

  /// Clears the lists of gaps soon.
  void clearGaps() {
    isSeen = true;
  }

  void stop() {
    stopped = true;
    Consumer<byte[], byte[]> consumer = polling;
    if (consumer != null) {
      consumer.wakeup();
    }
  }

  /// Frees what it has, when it was never run.
  void drop() {
    decoding.close();
  }

  private Properties properties() {
    Properties all = client.read();
    all.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
    return all;
  }

  private Properties consumerProperties() {
    Properties all = properties();
    all.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    int fetch = shares.fetchBytesMax();
    all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "5000");
    all.putIfAbsent(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Integer.toString(fetch));
    all.putIfAbsent(
        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
        Integer.toString(shares.partitionBytesMax(partitions)));
    all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    return all;
  }

  @Override
  public void run() {
    try {
      while (!stopped && !feed.hasFailed()) {
        session();
      }
      drain();
    } catch (RuntimeException | Error failure) {
      reason = "ended by " + failure;
      LOG.log(
          Level.SEVERE,
          options.key() + ": reading has ended until the daemon starts again",
          failure);
      publish();
      throw failure;
    } finally {
      if (letters != null) {
        letters.close();
      }
      decoding.close();
    }
  }

  /// Reads until it is stopped, Kafka fails, or a topic was created again.
  private void session() {
    Consumer<byte[], byte[]> consumer = null;
    updates = new MetadataUpdates();
    updatesSeen = 0;
    isStale = false;
    assigned.clear();
    try (Admin admin = Admin.create(properties())) {
      partitions = discovery.find(admin).size();
      Properties all = shared == null ? consumerProperties() : shared.member(consumerProperties());
      consumer = new KafkaConsumer<>(all, new ByteArrayDeserializer(), updates);
      polling = consumer;
      if (shared != null) {
        shared.begin(consumer);
      }
      discoverAt = System.nanoTime();
      try {
        while (!stopped && !feed.hasFailed() && !isStale) {
          step(consumer, admin);
        }
      } catch (WakeupException stop) {
        // the loop ends when it is stopped
      }
      if (stopped) {
        drain(); // so that the offsets of the group are those of the store
      }
      if (!isStale) {
        commit(consumer); // closing waits for it
      }
    } catch (KafkaException away) {
      tell(client.reason(away));
      publish();
      pause(AWAY);
    } finally {
      polling = null;
      if (consumer != null) {
        consumer.close(stopped ? LEAVING : QUICKLY);
      }
    }
  }

  private void tell(String why) {
    if (!why.equals(reason)) {
      warn("{0}; trying again", why);
    }
    reason = why;
  }

  private void warn(String text, Object... values) {
    LOG.log(Level.WARNING, options.key() + ": " + text, values);
  }

  private void pause(Duration time) {
    long until = System.nanoTime() + time.toNanos();
    while (!stopped && System.nanoTime() < until) {
      settle();
      LockSupport.parkNanos(BUSY.toNanos());
    }
  }

  private void step(Consumer<byte[], byte[]> consumer, Admin admin) {
    long now = System.nanoTime();
    if (now >= discoverAt) {
      discover(consumer, admin);
      discoverAt = now + (assigned.isEmpty() ? AWAY : options.refresh()).toNanos();
    }
    if (shared == null ? readers.isEmpty() : !shared.isMember()) {
      pause(BUSY);
    } else if (!isStale) {
      poll(consumer, admin);
    }
    settle();
    if (shared != null && !isStale) {
      shared.step();
    }
    if (isSeen) {
      isSeen = known.values().stream().filter(reader -> !reader.clearGaps()).count() > 0;
    }
    feed.offer(known.values());
    pauseOrResume(consumer);
    if (now >= publishAt) {
      readers.values().forEach(reader -> reader.lag = consumer.currentLag(reader.name).orElse(0));
      publish();
      publishAt = now + PUBLISH.toNanos();
    }
    if (now >= commitAt) {
      commit(consumer);
      commitAt = now + COMMIT.toNanos();
    }
  }

  /// Takes outcomes of batches and of dead letters.
  private void settle() {
    feed.settle(known.values());
    if (letters != null) {
      letters.pump();
      known.values().forEach(PartitionReader::noteOwed);
    }
  }

  private void poll(Consumer<byte[], byte[]> consumer, Admin admin) {
    ConsumerRecords<byte[], byte[]> records;
    try {
      records = consumer.poll(feed.isBusy() ? BUSY : IDLE);
    } catch (OffsetOutOfRangeException missing) {
      skip(consumer, admin, missing);
      return;
    } catch (WakeupException stop) {
      throw stop;
    } catch (KafkaException failed) {
      passDamage(consumer, admin, failed);
      return;
    }
    if (updates.count() != updatesSeen) {
      discover(consumer, admin); // the records may be of a topic that was created again
    }
    if (isStale) {
      return;
    }
    records
        .nextOffsets()
        .forEach((name, next) -> {
          PartitionReader reader = readers.get(name);
          if (reader != null) {
            int epoch = next.leaderEpoch().orElse(-1);
            reader.take(records.records(name), next.offset(), epoch, letters != null);
          }
        });
  }

  /// Refuses the records of a batch that cannot be read.
  ///
  /// @throws KafkaException the same when it has another cause
  private void passDamage(Consumer<byte[], byte[]> consumer, Admin admin, KafkaException failed) {
    PartitionReader damaged =
        readers.values().stream()
            .filter(reader -> SingleReads.isDamage(failed, reader.name))
            .findFirst()
            .orElseThrow(() -> failed);
    TopicPartition name = damaged.name;
    long from = consumer.position(name);
    long until;
    try (SingleReads reads = new SingleReads(consumerProperties(), name)) {
      until = reads.endOfDamage(from, failed);
    }
    discover(consumer, admin); // what was found is of the topic as it is now
    if (isStale || readers.get(name) != damaged) {
      return;
    }
    Throwable cause = failed.getCause() == null ? failed : failed.getCause();
    damaged.skip(from, until, SourceGap.Why.DAMAGED, epochSeconds());
    damaged.rejected += until - from;
    damaged.reason =
        RecordDecoding.refusal(
            name.topic(),
            name.partition(),
            from,
            "damaged up to %d: %s".formatted(until - 1, cause.getMessage()));
    warn("{0}", damaged.reason);
    consumer.seek(name, until);
  }

  private long epochSeconds() {
    return TimeUnit.NANOSECONDS.toSeconds(intake.epochNanos());
  }

  /// Continues where the log goes on, when it no longer has the position.
  private void skip(
      Consumer<byte[], byte[]> consumer, Admin admin, OffsetOutOfRangeException missing) {
    Set<TopicPartition> names = missing.offsetOutOfRangePartitions().keySet();
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(names);
    Map<TopicPartition, Long> ends = consumer.endOffsets(names);
    discover(consumer, admin); // the offsets are of the topics as they are now
    if (isStale) {
      return;
    }
    Map<TopicPartition, OffsetAndMetadata> divergent =
        missing instanceof LogTruncationException cut ? cut.divergentOffsets() : Map.of();
    missing
        .offsetOutOfRangePartitions()
        .forEach((name, position) -> {
          PartitionReader reader = readers.get(name);
          if (reader == null) {
            return;
          }
          long begin = Objects.requireNonNullElse(begins.get(name), 0L);
          long end = Objects.requireNonNullElse(ends.get(name), 0L);
          OffsetAndMetadata at = divergent.get(name);
          long to = begin;
          if (position >= begin) {
            to = at == null ? Math.min(position, end) : at.offset();
          }
          SourceGap.Why why = position < begin ? SourceGap.Why.EXPIRED : SourceGap.Why.TRUNCATED;
          reader.skip(position, to, why, epochSeconds());
          warn(
              "{0} has no offset {1} any more; continuing at {2}",
              name, Long.toString(position), Long.toString(to));
          consumer.seek(name, to);
        });
  }

  /// Finds new partitions, and topics that were created again.
  private void discover(Consumer<byte[], byte[]> consumer, Admin admin) {
    int updatesBefore = updates.count();
    Map<TopicPartition, SourcePartition> found = discovery.find(admin);
    found.forEach((name, of) -> {
      SourcePartition before = assigned.put(name, of);
      if (before != null && !before.equals(of)) {
        isStale = true;
        warn("{0} was created again; it is read from its first record", name);
      }
    });
    isStale |= shares.partitionBytesMax(partitions) >= 2 * shares.partitionBytesMax(found.size());
    if (isStale) {
      return;
    }
    updatesSeen = updatesBefore;
    if (shared == null) {
      assign(consumer, found);
    } else {
      share(shared, admin, found);
    }
    isFirst = isFirst && !discovery.hasFound();
    if (owedReads != null) {
      owedReads.read(admin, known.values());
    }
    String problem = discovery.problem();
    if (problem == null) {
      reason = null;
    } else {
      tell(problem);
    }
  }

  /// Lets the group divide the partitions. Letters are written by the daemon that owes them.
  private void share(SharedReading with, Admin admin, Map<TopicPartition, SourcePartition> found) {
    found.forEach((name, of) -> {
      SourcePosition at = intake.lanes().positions().get(of);
      known.computeIfAbsent(of, _ -> PartitionReader.shared(of, name, at));
    });
    with.found(found);
    Set<TopicPartition> read = TopicDiscovery.readBy(admin, group);
    if (read != null) {
      Set<TopicPartition> others = new HashSet<>(found.keySet());
      others.removeAll(read);
      unread = others.size();
    }
  }

  /// Assigns itself all partitions.
  private void assign(
      Consumer<byte[], byte[]> consumer, Map<TopicPartition, SourcePartition> found) {
    Map<TopicPartition, SourcePartition> added = new HashMap<>(found);
    added.values().removeAll(known.keySet());
    Map<TopicPartition, Long> begins = starts.of(consumer, added.keySet(), fresh(added));
    added.forEach((name, of) -> {
      SourcePosition at = intake.lanes().positions().get(of);
      long start = Objects.requireNonNullElse(begins.get(name), 0L);
      known.put(
          of,
          at == null ? new PartitionReader(of, name, start) : new PartitionReader(of, name, at));
    });
    Map<TopicPartition, PartitionReader> before = new HashMap<>(readers);
    before.keySet().retainAll(consumer.assignment());
    readers.clear();
    found.forEach((name, of) -> readers.put(name, Objects.requireNonNull(known.get(of))));
    consumer.assign(readers.keySet());
    readers.forEach((name, reader) -> {
      if (before.get(name) != reader) {
        reader.isPaused = false;
        int epoch = reader.leaderEpoch();
        Optional<Integer> leader = epoch < 0 ? Optional.empty() : Optional.of(epoch);
        consumer.seek(name, new OffsetAndMetadata(reader.resume(), leader, ""));
      }
    });
  }

  /// Those of the partitions whose topic was never read.
  private Set<TopicPartition> fresh(Map<TopicPartition, SourcePartition> added) {
    Set<UUID> read =
        intake.lanes().positions().keySet().stream()
            .map(SourcePartition::topic)
            .collect(Collectors.toSet());
    Set<TopicPartition> fresh = new HashSet<>();
    added.forEach((name, of) -> {
      if (isFirst && !read.contains(of.topic())) {
        fresh.add(name);
      }
    });
    return fresh;
  }

  private void pauseOrResume(Consumer<byte[], byte[]> consumer) {
    boolean isFull = feed.isFull();
    readers.forEach((name, reader) -> {
      boolean pause = isFull || !reader.waiting.isEmpty();
      if (pause != reader.isPaused) {
        reader.isPaused = pause;
        if (pause) {
          consumer.pause(List.of(name));
        } else {
          consumer.resume(List.of(name));
        }
      }
    });
  }

  private void publish() {
    String why = reason;
    Collection<PartitionReader> all = shared == null ? readers.values() : shared.assigned();
    states =
        all.stream()
            .map(reader -> reader.state(options.source(), why))
            .sorted(
                Comparator.comparing(PartitionState::topic)
                    .thenComparingInt(PartitionState::partition))
            .toList();
  }

  /// Commits the offsets that are durable, for other tools.
  private void commit(Consumer<byte[], byte[]> consumer) {
    if (!commits || readers.isEmpty()) {
      return;
    }
    Map<TopicPartition, OffsetAndMetadata> durable = new HashMap<>();
    readers.forEach((name, reader) -> durable.put(name, new OffsetAndMetadata(reader.durable)));
    consumer.commitAsync(
        durable,
        (_, failure) -> {
          if (failure instanceof CommitFailedException && commits && shared == null) {
            commits = false;
            warn("group {0} has members, so offsets are not committed to it", group);
          }
        });
  }

  /// Waits for the outcomes of the batches that are out.
  private void drain() {
    long until = System.nanoTime() + DRAIN.toNanos();
    Collection<PartitionReader> all = known.values();
    while (all.stream().anyMatch(reader -> !reader.sent.isEmpty()) && System.nanoTime() < until) {
      settle();
      LockSupport.parkNanos(BUSY.toNanos());
    }
    publish();
  }
}
