package io.widerow.ingest.kafka;

import io.widerow.faults.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// A broker of Kafka, its own controller, as a process of its own. Its libraries are those that the
/// module `ingest/kafka/server` fetches. Its segments are small: after a kill it reads the last one
/// of each partition before it listens. Records never expire by age: those of tests have old times,
/// and it begins to delete half a minute after its start.
///
/// - Threads: one.
public final class Broker implements AutoCloseable {
  /// For what takes seconds on an idle machine: a start, an answer of an admin, a stop.
  static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final int BATCH_HEAD_BYTES = Long.BYTES + Integer.BYTES; // offset, length
  private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";

  private final Path directory;
  private final Path file;
  final int port;
  private Process process;

  /// A broker that is started, with its logs in `directory`.
  public Broker(Path directory) throws IOException, InterruptedException {
    this(directory, freePort(), "");
  }

  /// The same with more settings, which win, and arguments of the format.
  Broker(Path directory, int port, String more, String... formatting)
      throws IOException, InterruptedException {
    this.directory = directory;
    file = directory.resolve("server.properties");
    this.port = port;
    int controller = freePort();
    Files.createDirectories(directory);
    Files.writeString(
        file,
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
        controller.listener.names=CONTROLLER
        log.dirs=%3$s
        offsets.topic.replication.factor=1
        offsets.topic.num.partitions=1
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        transaction.state.log.num.partitions=1
        share.coordinator.state.topic.replication.factor=1
        share.coordinator.state.topic.min.isr=1
        group.initial.rebalance.delay.ms=0
        log.retention.ms=-1
        log.retention.check.interval.ms=1000
        log.segment.delete.delay.ms=0
        log.cleaner.backoff.ms=100
        log.cleaner.dedupe.buffer.size=4194304
        log.segment.bytes=16777216
        """
                .formatted(port, controller, directory.resolve("logs"))
            + more.replace("{controller}", Integer.toString(controller)));
    List<String> format =
        new ArrayList<>(
            List.of("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", file.toString()));
    format.addAll(List.of(formatting));
    Process formatted = command(format.toArray(new String[0]));
    if (formatted.waitFor() != 0) {
      throw new IOException("format failed: " + Files.readString(log()));
    }
    process = start();
  }

  /// Where a broker of this directory has the keys of tokens.
  static String tokenKeys(Path directory) {
    return "file:" + directory.resolve("keys.json").toAbsolutePath();
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return socket.getLocalPort();
    }
  }

  private Path log() {
    return directory.resolve("broker.log");
  }

  private Process command(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=" + tokenKeys(directory),
                "-Dorg.apache.kafka.sasl.oauthbearer.allowed.files="
                    + tokenKeys(directory).substring("file:".length()),
                "-cp",
                libraries() + "/*"));
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
        .start();
  }

  private static Path libraries() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path libraries = at.resolve("ingest/kafka/server/target/lib");
      if (Files.isDirectory(libraries)) {
        return libraries;
      }
    }
    throw new IllegalStateException(
        "no ingest/kafka/server/target/lib: mvn -pl ingest/kafka/server process-resources");
  }

  private Process start() throws IOException {
    Process started = command("kafka.Kafka", file.toString());
    Await.until(
        () -> {
          if (!started.isAlive()) {
            throw new AssertionError("the broker has ended: " + Files.readString(log()));
          }
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
          } catch (IOException notYet) {
            return false;
          }
        },
        PATIENCE,
        "the broker listens");
    return started;
  }

  /// Kills the process as a crash does, and starts it again.
  void killAndStart() throws IOException {
    kill();
    process = start();
  }

  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /// Stops it as a supervisor does: a start then does not check its logs.
  void stop() {
    process.destroy();
    process.onExit().join();
  }

  void startAgain() throws IOException {
    process = start();
  }

  /// The log of a partition.
  Path log(String topic, int partition) {
    return directory
        .resolve("logs")
        .resolve(topic + "-" + partition)
        .resolve("00000000000000000000.log");
  }

  /// Damages the last byte of a batch of records in the log of a partition. The broker must not
  /// run.
  ///
  /// @param number of the batch, from 0
  void damage(String topic, int partition, int number) throws IOException {
    ByteBuffer log = ByteBuffer.wrap(Files.readAllBytes(log(topic, partition)));
    int at = 0;
    for (int batch = 0; batch < number; batch++) {
      at += BATCH_HEAD_BYTES + log.getInt(at + Long.BYTES);
    }
    int last = at + BATCH_HEAD_BYTES + log.getInt(at + Long.BYTES) - 1;
    log.put(last, (byte) ~log.get(last));
    Files.write(log(topic, partition), log.array());
  }

  void delete(String topic) {
    try (Admin admin = admin()) {
      admin.deleteTopics(List.of(topic)).all().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      Await.until(
          () -> !admin.listTopics().names().get().contains(topic), PATIENCE, topic + " is deleted");
    } catch (Exception failed) {
      throw new AssertionError("cannot delete " + topic, failed);
    }
  }

  public String address() {
    return "127.0.0.1:" + port;
  }

  Admin admin() {
    return Admin.create(
        Map.of(
            "bootstrap.servers", address(),
            "default.api.timeout.ms", Long.toString(PATIENCE.toMillis())));
  }

  public void create(String topic, int partitions, Map<String, String> settings) {
    try (Admin admin = admin()) {
      var topics = List.of(new NewTopic(topic, partitions, (short) 1).configs(settings));
      admin.createTopics(topics).all().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception failed) {
      throw new AssertionError("cannot create " + topic, failed);
    }
  }

  KafkaProducer<byte[], byte[]> producer(Map<String, String> more) {
    Properties all = new Properties();
    all.put("bootstrap.servers", address());
    all.put("linger.ms", "5");
    all.put("delivery.timeout.ms", Long.toString(PATIENCE.toMillis()));
    all.put("max.block.ms", Long.toString(PATIENCE.toMillis()));
    all.putAll(more);
    var bytes = new ByteArraySerializer();
    return new KafkaProducer<>(all, bytes, bytes);
  }

  /// Sends records to the partitions of a topic in turn.
  public void send(String topic, int partitions, Stream<String> values) {
    int[] sent = {0};
    Map<String, String> inOrder = // also while the broker makes the partitions
        Map.of("acks", "all", "max.in.flight.requests.per.connection", "1");
    try (KafkaProducer<byte[], byte[]> producer = producer(inOrder)) {
      values.forEach(value -> {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        Future<RecordMetadata> _ =
            producer.send(new ProducerRecord<>(topic, sent[0]++ % partitions, null, bytes));
      });
    }
  }

  @Override
  public void close() {
    kill();
  }
}
