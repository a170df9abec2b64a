package io.widerow.ingest.kafka;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.source.SourceProvider;
import java.util.List;
import java.util.function.ToLongFunction;

/// The topics that the key `kafka` names, their thread, and the reports about them.
///
/// - Threads: owns `widerow-kafka`; any may ask for reports.
final class KafkaSource implements SourceProvider.Source {
  private final KafkaPoller poller;
  private final Thread thread;

  KafkaSource(KafkaPoller poller) {
    this.poller = poller;
    this.thread = Thread.ofPlatform().name("widerow-kafka").unstarted(poller);
  }

  void start() {
    thread.start();
  }

  void measure(MeterRegistry registry) {
    Gauge.builder("widerow.kafka.lag.records", this, source -> source.sum(PartitionState::lag))
        .description("Records of Kafka that are not read yet.")
        .register(registry);
    Gauge.builder("widerow.kafka.gaps", this, source -> source.sum(state -> state.gaps().size()))
        .description("Ranges of offsets that could not be read.")
        .register(registry);
    counter(registry, "records", "Records of Kafka that are stored.", PartitionState::records);
    counter(registry, "rejected", "Events of Kafka that were refused.", PartitionState::rejected);
    counter(registry, "bytes", "Bytes of the records of Kafka.", PartitionState::bytes);
  }

  private void counter(
      MeterRegistry registry, String name, String text, ToLongFunction<PartitionState> field) {
    FunctionCounter.builder("widerow.kafka." + name, this, source -> source.sum(field))
        .description(text)
        .register(registry);
  }

  private long sum(ToLongFunction<PartitionState> field) {
    return poller.states().stream().mapToLong(field).sum();
  }

  @Override
  public List<String> partitions() {
    return poller.states().stream().map(PartitionState::json).toList();
  }

  @Override
  public String summary() {
    String reason = poller.reason();
    StringBuilder json = new StringBuilder("{\"source\":\"kafka\",\"state\":\"");
    json.append(reason == null ? "reading" : "waiting");
    json.append("\",\"partitions\":").append(poller.states().size());
    json.append(",\"lag\":").append(sum(PartitionState::lag));
    json.append(",\"gaps\":").append(sum(state -> state.gaps().size()));
    json.append(",\"rejected\":").append(sum(PartitionState::rejected));
    json.append(",\"reason\":");
    if (reason == null) {
      json.append("null");
    } else {
      HttpResponses.appendString(json, reason);
    }
    return json.append('}').toString();
  }

  @Override
  public void close() {
    poller.stop();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
