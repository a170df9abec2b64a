package io.widerow.ingest.kafka;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.RecordFormats;
import io.widerow.ingest.intake.Intake;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

/// The topics that a key names, the threads that read them, and the reports about them.
///
/// - Threads: owns `widerow-kafka-<source>-<n>`; any may ask for reports.
final class KafkaSource {
  private final String name;
  private final List<KafkaPoller> pollers;
  private final List<Thread> threads = new ArrayList<>();

  private KafkaSource(String name, List<KafkaPoller> pollers) {
    this.name = name;
    this.pollers = pollers;
    for (KafkaPoller poller : pollers) {
      String thread = "widerow-kafka-%s-%d".formatted(name, threads.size());
      threads.add(Thread.ofPlatform().name(thread).unstarted(poller));
    }
  }

  /// A source that is not started yet.
  ///
  /// @param group when the options name none
  /// @throws IllegalArgumentException when the format refuses a parameter
  static KafkaSource of(
      KafkaOptions options,
      String group,
      Intake intake,
      RecordFormats formats,
      SourceShares shares) {
    String named = options.group().isEmpty() ? group : options.group();
    List<KafkaPoller> pollers = new ArrayList<>();
    for (int number = 0; number < options.readers(); number++) {
      var decoding = new RecordDecoding(options, intake.lanes(), formats);
      var discovery = new TopicDiscovery(options, number, shares);
      String client = "widerow-%s-%d".formatted(options.source(), number);
      pollers.add(new KafkaPoller(options, client, named, intake, decoding, discovery, shares));
    }
    return new KafkaSource(options.source(), pollers);
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /// Frees what a source has that is not started.
  void drop() {
    pollers.forEach(KafkaPoller::drop);
  }

  void measure(MeterRegistry registry) {
    Gauge.builder("widerow.kafka.lag.records", this, source -> source.sum(PartitionState::lag))
        .tag("source", name)
        .description("Records of Kafka that are not read yet.")
        .register(registry);
    Gauge.builder("widerow.kafka.gaps", this, source -> source.sum(state -> state.gaps().size()))
        .tag("source", name)
        .description("Ranges of offsets that could not be read.")
        .register(registry);
    counter(registry, "records", "Records of Kafka that are stored.", PartitionState::records);
    counter(registry, "rejected", "Events of Kafka that were refused.", PartitionState::rejected);
    counter(registry, "bytes", "Bytes of the records of Kafka.", PartitionState::bytes);
  }

  private void counter(
      MeterRegistry registry, String meter, String text, ToLongFunction<PartitionState> field) {
    FunctionCounter.builder("widerow.kafka." + meter, this, source -> source.sum(field))
        .tag("source", name)
        .description(text)
        .register(registry);
  }

  private long sum(ToLongFunction<PartitionState> field) {
    return states().stream().mapToLong(field).sum();
  }

  /// Its partitions, about a second old.
  List<PartitionState> states() {
    return pollers.stream().flatMap(poller -> poller.states().stream()).toList();
  }

  /// The whole source as a JSON object.
  String summary() {
    String reason =
        pollers.stream().map(KafkaPoller::reason).filter(Objects::nonNull).findFirst().orElse(null);
    StringBuilder json = new StringBuilder("{\"source\":\"").append(name);
    json.append("\",\"state\":\"").append(reason == null ? "reading" : "waiting");
    json.append("\",\"partitions\":").append(states().size());
    json.append(",\"lag\":").append(sum(PartitionState::lag));
    json.append(",\"gaps\":").append(sum(state -> state.gaps().size()));
    json.append(",\"rejected\":").append(sum(PartitionState::rejected));
    json.append(",\"owed\":").append(sum(PartitionState::owed));
    json.append(",\"reason\":");
    if (reason == null) {
      json.append("null");
    } else {
      HttpResponses.appendString(json, reason);
    }
    return json.append('}').toString();
  }

  /// Asks its threads to end.
  void stop() {
    pollers.forEach(KafkaPoller::stop);
  }

  /// Waits for the end of its threads.
  void join() {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
