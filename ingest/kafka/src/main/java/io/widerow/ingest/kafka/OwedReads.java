package io.widerow.ingest.kafka;

import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.lane.SourcePartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/// Reads again the records that positions of the start owe to the dead-letter topic.
///
/// - Threads: the poller's.
///
/// @param client as for a consumer that reads all
record OwedReads(
    KafkaOptions options,
    Supplier<Properties> client,
    RecordDecoding decoding,
    TopicDiscovery discovery,
    DeadLetters letters,
    LongSupplier epochNanos) {
  private static final Logger LOG = Logger.getLogger("widerow");

  /// Writes the letters of the partitions that owe some.
  void read(Admin admin, Collection<PartitionReader> readers) {
    Map<PartitionReader, List<ConsumerRecord<byte[], byte[]>>> owed = new HashMap<>();
    for (PartitionReader reader : readers) {
      if (!reader.unread.isEmpty()) {
        owed.put(reader, records(reader));
      }
    }
    if (owed.isEmpty()) {
      return;
    }
    Map<TopicPartition, SourcePartition> now = discovery.find(admin);
    owed.forEach((reader, records) -> {
      if (!reader.of.equals(now.get(reader.name))) {
        return; // it was created again, or is away
      }
      for (ConsumerRecord<byte[], byte[]> record : records) {
        String why = decoding.refusal(record, epochNanos.getAsLong());
        letters.write(reader, record, why == null ? "refused by the store" : why);
      }
      for (long gone : List.copyOf(reader.unread)) {
        LOG.log(
            Level.WARNING,
            "{0}: {1}@{2} was refused, and is gone before it was in {3}",
            new Object[] {options.key(), reader.name, Long.toString(gone), options.deadLetter()});
      }
      reader.owesLess |= !reader.unread.isEmpty();
      reader.unread.clear();
    });
  }

  private List<ConsumerRecord<byte[], byte[]>> records(PartitionReader reader) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (SingleReads reads = new SingleReads(client.get(), reader.name)) {
      for (long offset : reader.unread) {
        ConsumerRecord<byte[], byte[]> record = reads.readIfThere(offset);
        if (record != null && record.offset() == offset) {
          records.add(record);
        }
      }
    }
    return records;
  }
}
