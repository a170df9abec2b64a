package io.widerow.ingest.kafka;

import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.doctor.Finding;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.RecordFormats;
import io.widerow.ingest.intake.Intake;
import io.widerow.query.forward.KafkaAccess;
import io.widerow.storage.SharedSources;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// The topics that a key names, the threads that read them, and the reports about them.
///
/// - Threads: owns `widerow-kafka-<source>-<n>`; any may ask for reports.
final class KafkaSource {
  private final String name;
  private final List<KafkaPoller> pollers;
  private final List<Thread> threads = new ArrayList<>();
  private @Nullable KafkaWatch watch; // once it is measured

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
  /// @param shared the positions that the daemons of a cluster share; null on one machine
  /// @throws IllegalArgumentException when the format refuses a parameter
  static KafkaSource of(
      KafkaOptions options,
      KafkaAccess access,
      String group,
      Intake intake,
      RecordFormats formats,
      SourceShares shares,
      @Nullable SharedSources shared) {
    var properties = new ClientProperties(options.brokers(), access, "kafka-");
    properties.check();
    String named = options.group().isEmpty() ? group : options.group();
    List<KafkaPoller> pollers = new ArrayList<>();
    for (int number = 0; number < options.readers(); number++) {
      boolean isShared = shared != null;
      var decoding = new RecordDecoding(options, intake.lanes(), formats, isShared);
      var discovery = new TopicDiscovery(options, number, shares, isShared);
      String id = "widerow-%s-%d".formatted(options.source(), number);
      pollers.add(
          new KafkaPoller(
              options, properties, id, named, intake, decoding, discovery, shares, shared));
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

  /// Gives it metrics and findings, before it is started.
  void measure(Intake intake, MeterRegistry registry) {
    watch =
        new KafkaWatch(
            name,
            this::states,
            this::reason,
            () -> intake.full() != null,
            () -> pollers.stream().mapToInt(KafkaPoller::unread).max().orElse(0),
            () -> pollers.stream().mapToLong(KafkaPoller::rebalances).sum(),
            registry,
            System::nanoTime);
  }

  void look() {
    if (watch != null) {
      watch.look();
    }
  }

  List<Finding> findings() {
    return watch == null ? List.of() : watch.findings();
  }

  /// Clears the lists of gaps soon.
  ///
  /// @return the number of gaps that are listed
  long seen() {
    pollers.forEach(KafkaPoller::clearGaps);
    return sum(state -> state.gaps().size());
  }

  private long sum(ToLongFunction<PartitionState> field) {
    return states().stream().mapToLong(field).sum();
  }

  /// Its partitions, about a second old.
  List<PartitionState> states() {
    return pollers.stream().flatMap(poller -> poller.states().stream()).toList();
  }

  /// Why nothing is read by one of its threads; null while all read.
  private @Nullable String reason() {
    return pollers.stream()
        .map(KafkaPoller::reason)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /// The whole source as a JSON object.
  String summary() {
    String reason = reason();
    StringBuilder json = new StringBuilder("{\"source\":\"").append(name);
    json.append("\",\"state\":\"").append(reason == null ? "reading" : "waiting");
    json.append("\",\"partitions\":").append(states().size());
    json.append(",\"lag\":").append(sum(PartitionState::lag));
    double seconds = states().stream().mapToDouble(PartitionState::lagSeconds).max().orElse(0);
    json.append(",\"lagSeconds\":").append(seconds);
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
