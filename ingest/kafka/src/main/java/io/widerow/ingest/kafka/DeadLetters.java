package io.widerow.ingest.kafka;

import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.decode.Refusals;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// Writes refused records to another topic, at least once: the note of a position names those that
/// are not acknowledged, and a start writes them again.
///
/// ```
///   refused -> note with its offset -> commit -> letter -> acknowledged -> note without it
/// ```
///
/// - Threads: the poller's; the producer's own one acknowledges.
final class DeadLetters implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration CLOSE = Duration.ofSeconds(2);
  private static final int BLOCKED_MILLIS = 100; // without an answer of the brokers
  private static final int LETTER_BYTES_MAX = 128 << 20; // the brokers decide

  private final KafkaOptions options;
  private final Supplier<Properties> client;
  private final SourceShares shares;
  private final Queue<Letter> unsent = new ArrayDeque<>();
  private final Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();
  private @Nullable KafkaProducer<byte[], byte[]> producer; // from the first letter on
  private volatile long retryAt = System.nanoTime();

  /// A refused record.
  ///
  /// @param hasValue false when the topic does not take a letter of this size
  /// @param madeNanos when it was refused, of the monotonic clock
  record Letter(
      PartitionReader reader,
      ConsumerRecord<byte[], byte[]> record,
      String reason,
      boolean hasValue,
      long madeNanos) {
    Letter withoutValue() {
      return new Letter(reader, record, reason, false, madeNanos);
    }

    long bytes() {
      return Math.max(0, record.serializedKeySize())
          + (long) Math.max(0, record.serializedValueSize());
    }
  }

  /// @param failure null when the letter is acknowledged
  private record Outcome(Letter letter, @Nullable Exception failure) {}

  /// @param client how the brokers are reached
  DeadLetters(KafkaOptions options, Supplier<Properties> client, SourceShares shares) {
    this.options = options;
    this.client = client;
    this.shares = shares;
  }

  private KafkaProducer<byte[], byte[]> producer() {
    KafkaProducer<byte[], byte[]> open = producer;
    if (open == null) {
      Properties all = new Properties();
      all.putAll(client.get());
      all.remove("default.api.timeout.ms");
      all.put(ProducerConfig.ACKS_CONFIG, "all");
      all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "false"); // a second letter is allowed
      all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "30000");
      all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Integer.toString(BLOCKED_MILLIS));
      all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Integer.toString(LETTER_BYTES_MAX));
      var bytes = new ByteArraySerializer();
      open = new KafkaProducer<>(all, bytes, bytes);
      producer = open;
    }
    return open;
  }

  /// Writes the records of a chunk that were refused, or of which an event was.
  void write(
      PartitionReader reader, Chunk chunk, RecordDecoding.Decoded decoded, Refusals refused) {
    int at = 0;
    for (int i = 0; i < refused.listed(); i++) {
      long offset = decoded.offset(refused.index(i));
      while (at < chunk.records.size() && chunk.records.get(at).offset() < offset) {
        at++;
      }
      boolean isTold = chunk.told.contains(offset) || reader.letters.containsKey(offset);
      if (at < chunk.records.size() && !isTold) {
        write(reader, chunk.records.get(at), refused.reason(i));
      }
    }
  }

  void write(PartitionReader reader, ConsumerRecord<byte[], byte[]> record, String reason) {
    Letter letter = new Letter(reader, record, reason, true, System.nanoTime());
    reader.unread.remove(record.offset());
    reader.letters.put(record.offset(), letter);
    shares.claimInDebt(letter.bytes());
    unsent.add(letter);
  }

  /// Sends what waits, and takes what was acknowledged.
  void pump() {
    for (Outcome each = outcomes.poll(); each != null; each = outcomes.poll()) {
      settle(each.letter, each.failure);
    }
    while (!unsent.isEmpty() && System.nanoTime() >= retryAt) {
      send(unsent.remove());
    }
  }

  private void settle(Letter letter, @Nullable Exception failure) {
    String name = letter.reader.name + "@" + letter.record.offset();
    if (failure == null) {
      end(letter);
    } else if (failure instanceof RecordTooLargeException && letter.hasValue) {
      unsent.add(letter.withoutValue());
    } else if (options.letters() == KafkaOptions.Lost.PASS) {
      LOG.log(
          Level.WARNING,
          "{0}: {1} is not in {2}: {3}",
          new Object[] {options.key(), name, options.deadLetter(), failure.getMessage()});
      end(letter);
    } else {
      letter.reader.reason =
          "%s is not in %s yet: %s".formatted(name, options.deadLetter(), failure.getMessage());
      retryAt = System.nanoTime() + RETRY_NANOS;
      unsent.add(letter);
    }
  }

  private void end(Letter letter) {
    letter.reader.letters.remove(letter.record.offset());
    letter.reader.owesLess = true;
    shares.release(letter.bytes());
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void send(Letter letter) {
    ConsumerRecord<byte[], byte[]> record = letter.record;
    var headers = new RecordHeaders(record.headers());
    String why =
        letter.hasValue
            ? letter.reason
            : "%s; its value of %d bytes is too large for this topic"
                .formatted(letter.reason, record.serializedValueSize());
    headers.add("widerow.topic", utf8(record.topic()));
    headers.add("widerow.partition", utf8(Integer.toString(record.partition())));
    headers.add("widerow.offset", utf8(Long.toString(record.offset())));
    headers.add("widerow.reason", utf8(why));
    Long timestamp = record.timestamp() < 0 ? null : record.timestamp();
    byte[] value = letter.hasValue ? record.value() : null;
    try {
      Future<RecordMetadata> _ =
          producer()
              .send(
                  new ProducerRecord<>(
                      options.deadLetter(), null, timestamp, record.key(), value, headers),
                  (_, failure) -> {
                    if (failure != null) {
                      retryAt = System.nanoTime() + RETRY_NANOS;
                    }
                    outcomes.add(new Outcome(letter, failure));
                  });
    } catch (KafkaException failed) {
      outcomes.add(new Outcome(letter, failed));
      retryAt = System.nanoTime() + RETRY_NANOS;
    }
  }

  /// Letters that are not acknowledged by then are owed.
  @Override
  public void close() {
    KafkaProducer<byte[], byte[]> open = producer;
    if (open != null) {
      open.close(CLOSE);
    }
  }
}
