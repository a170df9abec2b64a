package io.widerow.ingest.kafka;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A test with a broker of its own, and daemons over one store.
@Tag("process")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
abstract class BrokerTest {
  @TempDir Path directory = Path.of(".");
  Broker broker;

  @BeforeEach
  void start() throws Exception {
    broker = new Broker(directory.resolve("broker"));
  }

  @AfterEach
  void stop() throws Exception {
    broker.close();
  }

  Path data() {
    return directory.resolve("store");
  }

  KafkaDaemon daemon(String topics) throws Exception {
    return daemon(Map.of("kafka", topics));
  }

  /// @param sources topics and parameters, by key; other keys as they are
  KafkaDaemon daemon(Map<String, String> sources) throws Exception {
    Map<String, String> keys = new HashMap<>(sources);
    keys.replaceAll(
        (key, value) -> key.startsWith("kafka") ? broker.address() + "/" + value : value);
    return new KafkaDaemon(data(), keys);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// Sends records to partition 0, as one batch.
  void send(String topic, String... values) {
    try (KafkaProducer<byte[], byte[]> producer =
        broker.producer(Map.of("acks", "all", "linger.ms", "60000", "batch.size", "1000000"))) {
      for (String value : values) {
        Future<RecordMetadata> _ = producer.send(new ProducerRecord<>(topic, 0, null, utf8(value)));
      }
    }
  }

  static String json(Object body) {
    return "{\"body\":\"" + body + "\"}";
  }

  /// The records of partition 0 of a topic.
  List<ConsumerRecord<byte[], byte[]>> letters(String topic) {
    var bytes = new ByteArrayDeserializer();
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    try (var consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", broker.address(),
                "default.api.timeout.ms", Long.toString(Broker.PATIENCE.toMillis())),
            bytes,
            bytes)) {
      var name = new TopicPartition(topic, 0);
      consumer.assign(List.of(name));
      consumer.seekToBeginning(List.of(name));
      long end = consumer.endOffsets(List.of(name)).getOrDefault(name, 0L);
      while (consumer.position(name) < end) {
        consumer.poll(Duration.ofMillis(200)).forEach(all::add);
      }
    }
    return all;
  }

  static String header(ConsumerRecord<?, ?> letter, String name) {
    return new String(letter.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }
}
