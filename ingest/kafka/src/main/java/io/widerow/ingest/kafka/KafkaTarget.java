package io.widerow.ingest.kafka;

import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.forward.ForwardTarget;
import io.widerow.query.forward.KafkaAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// A topic to which events are sent: a record each, whose value is the event as JSON, whose key is
/// its type, so that a partition has all events of a type in their order, and whose header
/// `widerow.token` has its token. Kafka's clock gives its timestamp: that of an old event would
/// have the topic's retention remove it at once.
///
/// All in-sync replicas acknowledge, and the producer is idempotent: within its life it writes no
/// record twice, whatever it retries.
///
/// - Threads: one, and the producer's, which only notes results.
final class KafkaTarget implements ForwardTarget {
  private static final String TOKEN = "widerow.token";
  private static final int REQUEST_BYTES_MAX = 16 << 20;
  private static final int BATCH_BYTES = 128 << 10;
  private static final String BLOCK_MILLIS = "5000";
  private static final long ACKNOWLEDGE_SECONDS_MAX = 30;

  private final ClientProperties client;
  private final String topic;
  private final Object settled = new Object();
  private @Nullable Producer<byte[], byte[]> producer; // once something is sent
  private long outstanding; // guarded by settled, as is the next
  private @Nullable Exception failure;

  KafkaTarget(KafkaAddress to, ClientProperties client) {
    this.topic = to.topic();
    this.client = client;
  }

  private Properties properties() {
    Properties all = client.read();
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, BLOCK_MILLIS);
    all.putIfAbsent(ProducerConfig.COMPRESSION_TYPE_CONFIG, "zstd");
    all.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, "5");
    all.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, Integer.toString(BATCH_BYTES));
    all.putIfAbsent(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Integer.toString(REQUEST_BYTES_MAX));
    return all;
  }

  @Override
  public void send(String type, Token token, byte[] json) {
    byte[] key = type.getBytes(StandardCharsets.UTF_8);
    var event = new ProducerRecord<>(topic, null, null, key, json);
    event.headers().add(TOKEN, token.toString().getBytes(StandardCharsets.US_ASCII));
    try {
      Producer<byte[], byte[]> open = producer;
      if (open == null) {
        var bytes = new ByteArraySerializer();
        open = new KafkaProducer<>(properties(), bytes, bytes);
        producer = open;
      }
      synchronized (settled) {
        outstanding++;
      }
      Future<RecordMetadata> _ = open.send(event, (_, failed) -> settle(failed));
    } catch (InterruptException stopped) {
      throw away("interrupted");
    } catch (KafkaException failed) {
      throw away(client.reason(failed));
    }
    requireNoFailure();
  }

  private void settle(@Nullable Exception failed) {
    synchronized (settled) {
      outstanding--;
      failure = failure == null ? failed : failure;
      if (outstanding == 0 || failed != null) {
        settled.notifyAll();
      }
    }
  }

  private void requireNoFailure() {
    Exception failed;
    synchronized (settled) {
      failed = failure;
    }
    if (failed != null) {
      String why =
          failed instanceof KafkaException known ? client.reason(known) : failed.toString();
      throw away(why);
    }
  }

  @Override
  public void flush() {
    long until = System.nanoTime() + Duration.ofSeconds(ACKNOWLEDGE_SECONDS_MAX).toNanos();
    long left = 1;
    try {
      synchronized (settled) {
        while (outstanding > 0 && failure == null && left > 0) {
          left = Duration.ofNanos(until - System.nanoTime()).toMillis();
          if (left > 0) {
            settled.wait(left);
          }
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw away("interrupted");
    }
    requireNoFailure();
    if (left <= 0) {
      throw away("no acknowledgement for %d seconds".formatted(ACKNOWLEDGE_SECONDS_MAX));
    }
  }

  @Override
  public void stop() {
    synchronized (settled) {
      failure = new DisconnectException("the sender stops");
      settled.notifyAll();
    }
  }

  private QueryException.Remote away(String why) {
    return new QueryException.Remote("kafka topic %s: %s".formatted(topic, why));
  }

  @Override
  public void close() {
    Producer<byte[], byte[]> open = producer;
    if (open != null) {
      open.close(Duration.ZERO);
    }
  }
}
