package io.widerow.ingest.kafka;

import io.widerow.ingest.config.KafkaOptions;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/// Where partitions without a position begin.
///
/// - Threads: one.
record StartOffsets(KafkaOptions options) {
  /// The offset of each partition.
  ///
  /// @param all partitions without a position
  /// @param fresh those of topics that were never read; the others begin at their first record,
  ///   whatever `start`
  Map<TopicPartition, Long> of(
      Consumer<?, ?> consumer, Collection<TopicPartition> all, Collection<TopicPartition> fresh) {
    Map<TopicPartition, Long> starts = new HashMap<>(consumer.beginningOffsets(all));
    Long millis = options.startMillis();
    if (millis != null) {
      starts.putAll(consumer.endOffsets(fresh)); // where no record is as late
      Map<TopicPartition, Long> times = new HashMap<>();
      fresh.forEach(name -> times.put(name, millis));
      consumer
          .offsetsForTimes(times)
          .forEach((name, at) -> {
            if (at != null) {
              starts.put(name, at.offset());
            }
          });
    } else if (options.start().equals("latest")) {
      starts.putAll(consumer.endOffsets(fresh));
    } else if (options.start().equals("group")) {
      consumer
          .committed(Set.copyOf(fresh))
          .forEach((name, at) -> {
            if (at != null) {
              starts.put(name, at.offset());
            }
          });
    }
    return starts;
  }
}
