package io.widerow.ingest.kafka;

import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/// Reads single records of a partition with a client of its own: those that are owed to the
/// dead-letter topic, and those after a batch that is damaged.
///
/// - Threads: one.
final class SingleReads implements AutoCloseable {
  private static final Duration WAIT = Duration.ofMillis(200);
  private static final long READ_NANOS = Duration.ofSeconds(10).toNanos();
  private static final Duration CLOSE = Duration.ofSeconds(2);
  private static final Pattern BATCH = Pattern.compile("at offset (\\d+)");

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final TopicPartition name;
  private final long end;

  /// @param client as for a consumer that reads all
  SingleReads(Properties client, TopicPartition name) {
    this.name = name;
    Properties all = new Properties();
    all.putAll(client);
    all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "1");
    all.merge(ConsumerConfig.CLIENT_ID_CONFIG, "-single", (id, more) -> "" + id + more);
    var bytes = new ByteArrayDeserializer();
    consumer = new KafkaConsumer<>(all, bytes, bytes);
    try {
      consumer.assign(Set.of(name));
      end = consumer.endOffsets(Set.of(name)).getOrDefault(name, 0L);
    } catch (Throwable failure) {
      close();
      throw failure;
    }
  }

  /// Whether an exception of a poll is about records of this partition that cannot be read. Only
  /// its sentence names the partition.
  static boolean isDamage(KafkaException failed, TopicPartition name) {
    if (failed instanceof RecordDeserializationException bad) {
      return bad.topicPartition().equals(name);
    }
    return String.valueOf(failed.getMessage())
        .matches(
            "(?s).*(fetching the next record from|for topic-partition) "
                + Pattern.quote(name.toString())
                + "([. ].*)?");
  }

  /// The first offset of the batch that an exception is about; empty when it does not tell.
  private static Optional<Long> batch(KafkaException failed) {
    Throwable cause = failed.getCause();
    Matcher offset = BATCH.matcher(cause == null ? "" : String.valueOf(cause.getMessage()));
    return offset.find() ? Optional.of(Long.parseLong(offset.group(1))) : Optional.empty();
  }

  /// The record at an offset, or the next one after it; null when there is none.
  ///
  /// @throws KafkaException when it cannot be read
  @Nullable ConsumerRecord<byte[], byte[]> read(long offset) {
    if (offset >= end) {
      return null;
    }
    consumer.seek(name, offset);
    long until = System.nanoTime() + READ_NANOS;
    while (System.nanoTime() < until) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(WAIT).records(name)) {
        return record;
      }
      if (consumer.position(name) >= end) {
        return null;
      }
    }
    throw new KafkaException("no broker answers for " + name);
  }

  /// As [#read]; null also when the log does not have it any more, or it is damaged.
  @Nullable ConsumerRecord<byte[], byte[]> readIfThere(long offset) {
    try {
      return read(offset);
    } catch (OffsetOutOfRangeException gone) {
      return null;
    } catch (WakeupException stop) {
      throw stop;
    } catch (KafkaException failed) {
      if (isDamage(failed, name)) {
        return null;
      }
      throw failed;
    }
  }

  /// One past the last offset of the damaged batch that has an offset. One of another damaged
  /// batch, or of one without a number, is not looked for.
  ///
  /// @param failed the exception about it
  long endOfDamage(long offset, KafkaException failed) {
    Optional<Long> batch = batch(failed);
    long damaged = offset;
    long step = 1;
    while (batch.isPresent() && isOf(batch, damaged + step)) {
      damaged += step;
      step *= 2;
    }
    long good = damaged + step;
    while (good - damaged > 1) {
      long middle = (damaged + good) >>> 1;
      if (isOf(batch, middle)) {
        damaged = middle;
      } else {
        good = middle;
      }
    }
    return good;
  }

  private boolean isOf(Optional<Long> batch, long offset) {
    try {
      var _ = read(offset);
      return false;
    } catch (OffsetOutOfRangeException | WakeupException other) {
      throw other;
    } catch (KafkaException failed) {
      if (!isDamage(failed, name)) {
        throw failed;
      }
      return batch(failed).equals(batch);
    }
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(CLOSE));
  }
}
