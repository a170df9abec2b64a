package io.widerow.ingest.kafka;

import io.widerow.ingest.doctor.Finding;
import io.widerow.ingest.source.SourceProvider;
import java.util.List;
import java.util.stream.Collectors;

/// All sources of a daemon.
///
/// - Threads: any; [#close] once.
record KafkaSources(List<KafkaSource> all) implements SourceProvider.Source {
  @Override
  public List<String> partitions() {
    return all.stream()
        .flatMap(source -> source.states().stream())
        .map(PartitionState::json)
        .toList();
  }

  @Override
  public String summary() {
    return all.stream().map(KafkaSource::summary).collect(Collectors.joining(","));
  }

  @Override
  public void look() {
    all.forEach(KafkaSource::look);
  }

  @Override
  public List<Finding> findings() {
    return all.stream().flatMap(source -> source.findings().stream()).toList();
  }

  @Override
  public long seen() {
    return all.stream().mapToLong(KafkaSource::seen).sum();
  }

  @Override
  public void close() {
    all.forEach(KafkaSource::stop);
    all.forEach(KafkaSource::join);
  }
}
