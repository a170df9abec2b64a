package io.widerow.ingest.kafka;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.widerow.ingest.doctor.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// Looks at a source about once a second: gives each topic its metrics, and notes since when the
/// lag grows, nothing is read, or all records are refused.
///
/// - Threads: one calls [#look], any the others.
final class KafkaWatch {
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long STEP_NANOS = 30 * SECOND_NANOS;
  private static final int STEPS_GROWING = 10; // five minutes
  private static final double AWAY_SECONDS = 30;
  private static final double REFUSED_MAX = 1_000;
  private static final double OWED_SECONDS = 30;
  private static final double UNREAD_SECONDS = 30;

  private final String source;
  private final Supplier<List<PartitionState>> states;
  private final Supplier<@Nullable String> reason;
  private final BooleanSupplier diskFull;
  private final IntSupplier unread;
  private final MeterRegistry registry;
  private final LongSupplier nanoTime;
  private final Map<String, Topic> topics = new ConcurrentHashMap<>();
  private long awaySince;
  private long readSince; // by the group
  private long looked;
  private volatile double awaySeconds; // 0 while it reads
  private volatile double unreadSeconds; // 0 while the group reads all partitions

  /// @param source its name
  /// @param reason why nothing is read; null while records are
  /// @param unread partitions that nobody in the group reads
  /// @param rebalances changes of the partitions that the group gives to this daemon
  KafkaWatch(
      String source,
      Supplier<List<PartitionState>> states,
      Supplier<@Nullable String> reason,
      BooleanSupplier diskFull,
      IntSupplier unread,
      LongSupplier rebalances,
      MeterRegistry registry,
      LongSupplier nanoTime) {
    this.source = source;
    this.states = states;
    this.reason = reason;
    this.diskFull = diskFull;
    this.unread = unread;
    this.registry = registry;
    this.nanoTime = nanoTime;
    this.awaySince = nanoTime.getAsLong();
    this.readSince = awaySince;
    this.looked = awaySince;
    counter(
        Tags.of("source", source),
        "rebalances",
        "Changes of the partitions that the group gives to this daemon.",
        _ -> (double) rebalances.getAsLong());
  }

  /// What is remembered of a topic.
  private static final class Topic {
    private long stepAt;
    private long lagLast;
    private int growing;
    private long recordsLast;
    private long rejectedLast;
    private volatile double refused; // in a row
    private volatile boolean isGrowing;
    private final DoubleAdder pausedRoom = new DoubleAdder();
    private final DoubleAdder pausedDisk = new DoubleAdder();
  }

  void look() {
    long now = nanoTime.getAsLong();
    if (reason.get() == null) {
      awaySince = now;
    }
    awaySeconds = (now - awaySince) / (double) SECOND_NANOS;
    if (unread.getAsInt() == 0) {
      readSince = now;
    }
    unreadSeconds = (now - readSince) / (double) SECOND_NANOS;
    double step = (now - looked) / (double) SECOND_NANOS;
    looked = now;
    for (String name : new TreeSet<>(states.get().stream().map(PartitionState::topic).toList())) {
      look(name, topics.computeIfAbsent(name, this::measured), now, step);
    }
  }

  private void look(String name, Topic topic, long now, double step) {
    boolean paused = of(name).stream().anyMatch(state -> state.state().equals("paused"));
    if (paused && diskFull.getAsBoolean()) {
      topic.pausedDisk.add(step);
    } else if (paused) {
      topic.pausedRoom.add(step);
    }
    long read = sum(name, state -> state.records() - state.empty());
    long rejected = sum(name, PartitionState::rejected);
    long more = rejected - topic.rejectedLast;
    if (read > topic.recordsLast) {
      topic.refused = more >= read - topic.recordsLast ? topic.refused + more : 0;
    }
    topic.recordsLast = read;
    topic.rejectedLast = rejected;
    if (now - topic.stepAt >= STEP_NANOS) {
      long lag = sum(name, PartitionState::lag);
      topic.growing = lag > topic.lagLast ? topic.growing + 1 : 0;
      topic.isGrowing = topic.growing >= STEPS_GROWING;
      topic.lagLast = lag;
      topic.stepAt = now;
    }
  }

  private List<PartitionState> of(String topic) {
    return states.get().stream().filter(state -> state.topic().equals(topic)).toList();
  }

  private long sum(String topic, ToLongFunction<PartitionState> field) {
    return of(topic).stream().mapToLong(field).sum();
  }

  private Topic measured(String name) {
    Topic topic = new Topic();
    topic.stepAt = nanoTime.getAsLong();
    topic.lagLast = Long.MAX_VALUE;
    Tags tags = Tags.of("source", source, "topic", name);
    gauge(
        tags,
        "lag.records",
        "Records of Kafka that are not read yet.",
        _ -> sum(name, PartitionState::lag));
    gauge(
        tags,
        "lag.seconds",
        "Age of the record that was read last, while there are more.",
        _ -> of(name).stream().mapToDouble(PartitionState::lagSeconds).max().orElse(0));
    gauge(
        tags,
        "gaps",
        "Ranges of offsets that could not be read.",
        _ -> sum(name, state -> state.gaps().size()));
    counter(
        tags,
        "records",
        "Records of Kafka that are stored.",
        _ -> sum(name, PartitionState::records));
    counter(tags, "bytes", "Bytes of the records of Kafka.", _ -> sum(name, PartitionState::bytes));
    counter(
        tags,
        "rejected",
        "Events of Kafka that were refused.",
        _ -> sum(name, PartitionState::rejected));
    String paused = "Seconds in which a partition was paused, for lack of room or of disk.";
    counter(tags.and("why", "room"), "paused.seconds", paused, _ -> topic.pausedRoom.sum());
    counter(tags.and("why", "disk"), "paused.seconds", paused, _ -> topic.pausedDisk.sum());
    return topic;
  }

  private void gauge(Tags tags, String name, String text, ToDoubleFunction<KafkaWatch> value) {
    Gauge.builder("widerow.kafka." + name, this, value)
        .tags(tags)
        .description(text)
        .register(registry);
  }

  private void counter(Tags tags, String name, String text, ToDoubleFunction<KafkaWatch> value) {
    FunctionCounter.builder("widerow.kafka." + name, this, value)
        .tags(tags)
        .description(text)
        .register(registry);
  }

  /// What an operator should check.
  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    String why = reason.get();
    double away = awaySeconds;
    if (why != null && away > AWAY_SECONDS) {
      findings.add(
          new Finding(
              "kafka-away",
              Finding.Severity.BAD,
              source,
              away,
              AWAY_SECONDS,
              "source %s reads nothing: %s".formatted(source, why),
              "look at the brokers, the address and the credentials; records wait in Kafka until"
                  + " its retention"));
    }
    double seconds = unreadSeconds;
    if (seconds > UNREAD_SECONDS) {
      findings.add(
          new Finding(
              "kafka-unread",
              Finding.Severity.BAD,
              source,
              seconds,
              UNREAD_SECONDS,
              "no daemon reads %d partitions of source %s".formatted(unread.getAsInt(), source),
              "look whether all members of its group have the same topics, and are no others than"
                  + " the daemons of the store"));
    }
    new TreeMap<>(topics).forEach((name, topic) -> add(name, topic, findings));
    return findings;
  }

  private void add(String name, Topic topic, List<Finding> findings) {
    String subject = source + "/" + name;
    double refused = topic.refused;
    if (topic.isGrowing) {
      findings.add(
          new Finding(
              "kafka-lag",
              Finding.Severity.WARN,
              subject,
              (double) sum(name, PartitionState::lag),
              0.0,
              "%s has had more unread records for five minutes".formatted(name),
              "look at widerow_kafka_paused_seconds and at the lanes: the daemon reads as fast as"
                  + " it can store"));
    }
    if (refused >= REFUSED_MAX) {
      findings.add(
          new Finding(
              "kafka-format",
              Finding.Severity.BAD,
              subject,
              refused,
              REFUSED_MAX,
              "the last %.0f records of %s were all refused".formatted(refused, name),
              "compare format in the key with what producers send; `widerow kafka` has the last"
                  + " reason"));
    }
    double owed = of(name).stream().mapToDouble(PartitionState::owedSeconds).max().orElse(0);
    if (owed > OWED_SECONDS) {
      findings.add(
          new Finding(
              "kafka-dead-letter",
              Finding.Severity.BAD,
              subject,
              owed,
              OWED_SECONDS,
              "%d refused records of %s are not in the dead-letter topic yet"
                  .formatted(sum(name, PartitionState::owed), name),
              "`widerow kafka` has the reason; a partition that owes 64 letters waits, unless"
                  + " dead-letter-lost=pass"));
    }
    long gaps = sum(name, state -> state.gaps().size());
    if (gaps > 0) {
      findings.add(
          new Finding(
              "kafka-gap",
              Finding.Severity.BAD,
              subject,
              (double) gaps,
              0.0,
              "%d ranges of records of %s were gone before they were read".formatted(gaps, name),
              "`widerow kafka` lists them, `widerow kafka seen` clears the list; raise the topic's"
                  + " retention"));
    }
  }
}
