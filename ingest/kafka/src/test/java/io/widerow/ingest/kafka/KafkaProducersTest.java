package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.faults.Await;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what producers of others send is read, each offset once, with keys and headers. Method:
/// kcat, rsyslog's omkafka and kafkajs as processes, a real broker and a daemon. A producer that is
/// not installed is skipped and named.
@Tag("process")
@Timeout(600)
class KafkaProducersTest {
  private static final int RECORDS = 1_000;
  private static final Path OMKAFKA = Path.of("/usr/lib/x86_64-linux-gnu/rsyslog/omkafka.so");
  private static final Path NPM = Path.of("../src/test/npm").toAbsolutePath().normalize();

  @TempDir private Path directory = Path.of(".");
  private Broker broker;

  @BeforeEach
  void start() throws Exception {
    broker = new Broker(directory.resolve("broker"));
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private static void requireInstalled(String program, String advice) {
    String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/sbin";
    boolean found =
        Arrays.stream(path.split(File.pathSeparator))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    assumeTrue(found, "skipped: no %s; %s".formatted(program, advice));
  }

  private Process run(String... command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("producer.log").toFile())
        .start();
  }

  private void runToEnd(String... command) throws Exception {
    Process process = run(command);
    assertTrue(process.waitFor(Await.SECONDS, TimeUnit.SECONDS), command[0]);
    assertEquals(0, process.exitValue(), Files.readString(directory.resolve("producer.log")));
  }

  /// Reads a topic, and returns some of the events that are found.
  private String read(String topic, String parameters) throws Exception {
    Path data = directory.resolve("store");
    String some;
    KafkaDaemon daemon = new KafkaDaemon(data, broker.address() + "/" + topic + "?" + parameters);
    try {
      daemon.awaitNext(RECORDS);
      String report = daemon.get("/v1/kafka");
      assertTrue(report.contains("\"rejected\":0"), report);
      some = daemon.get("/v1/query?type=" + topic + "&since=1h&limit=5");
    } finally {
      daemon.stop();
    }
    Collection<TreeSet<Long>> stored = StoredRecords.read(data).offsets().values();
    assertEquals(RECORDS, stored.stream().mapToInt(TreeSet::size).sum());
    for (TreeSet<Long> offsets : stored) {
      assertEquals(offsets.last() + 1, offsets.size());
    }
    return some;
  }

  @Test
  void kcat() throws Exception {
    requireInstalled("kcat", "apt-get install kcat");
    broker.create("kcat", 3, Map.of());
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < RECORDS; i++) {
      lines.append("key %d|{\"body\":\"message %d\"}\n".formatted(i, i));
    }
    Path file = Files.writeString(directory.resolve("lines"), lines);
    runToEnd(
        "kcat",
        "-P",
        "-b",
        broker.address(),
        "-t",
        "kcat",
        "-K",
        "|",
        "-H",
        "agent=kcat",
        "-l",
        file.toString());
    String some = read("kcat", "format=json");
    assertTrue(some.contains("\"kafka.header.agent\":\"kcat\""), some);
    assertTrue(some.contains("\"kafka.key\":\"key "), some);
  }

  @Test
  void kafkajs() throws Exception {
    requireInstalled("node", "install Node.js");
    assumeTrue(
        Files.exists(NPM.resolve("node_modules/kafkajs")),
        "skipped: no kafkajs; npm install --ignore-scripts --prefix ingest/src/test/npm");
    broker.create("kafkajs", 3, Map.of());
    String script = NPM.resolve("produce.js").toString();
    runToEnd("node", script, broker.address(), "kafkajs", Integer.toString(RECORDS));
    String some = read("kafkajs", "format=json");
    assertTrue(some.contains("\"kafka.header.agent\":\"kafkajs\""), some);
    assertTrue(some.contains("\"kafka.key\":\"key "), some);
  }

  @Test
  void rsyslog() throws Exception {
    requireInstalled("rsyslogd", "apt-get install rsyslog rsyslog-kafka");
    assumeTrue(Files.exists(OMKAFKA), "skipped: no omkafka; apt-get install rsyslog-kafka");
    broker.create("rsyslog", 3, Map.of());
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < RECORDS; i++) {
      lines.append("message ").append(i).append('\n');
    }
    Path input = Files.writeString(directory.resolve("input"), lines);
    Path work = Files.createDirectory(directory.resolve("work"));
    Path file =
        Files.writeString(
            directory.resolve("rsyslog.conf"),
            """
            global(workDirectory="%s")
            module(load="imfile")
            module(load="omkafka")
            template(name="json" type="list" option.jsonf="on") {
              property(outname="ts" name="timereported" dateFormat="rfc3339" format="jsonf")
              property(outname="host" name="hostname" format="jsonf")
              property(outname="body" name="msg" format="jsonf")
            }
            input(type="imfile" file="%s" tag="app")
            action(type="omkafka" topic="rsyslog" broker=["%s"] template="json" key="app"
                   partitions.auto="on" closeTimeout="20000")
            """
                .formatted(work, input, broker.address()));
    Process process =
        run(
            "/usr/sbin/rsyslogd",
            "-n",
            "-f",
            file.toString(),
            "-i",
            directory.resolve("pid").toString());
    try {
      String some = read("rsyslog", "format=json");
      assertTrue(some.contains("\"body\":\"message "), some);
      assertTrue(some.contains("\"kafka.key\":\"app\""), some);
    } finally {
      process.destroy();
      process.onExit().get(Await.SECONDS, TimeUnit.SECONDS);
    }
  }
}
