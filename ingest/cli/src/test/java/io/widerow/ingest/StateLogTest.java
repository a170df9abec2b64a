package io.widerow.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the log has one line for each change of the daemon's state: disk full and room again, a
/// stop begun and ended. Method: the log's records; the daemon as a process of its own for the
/// stop, because a signal resets the JVM's loggers.
@Timeout(300)
class StateLogTest {
  private static final String FULL =
      "the disk is full, no events are accepted until there is room: told to be full";

  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Logger log = Logger.getLogger("widerow");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          told.add(record.getLevel() + " " + new SimpleFormatter().formatMessage(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    log.addHandler(handler);
  }

  @AfterEach
  void leave() {
    log.removeHandler(handler);
  }

  @Test
  void eachChangeOfTheDiskIsOneLine() {
    AtomicReference<@Nullable String> full = new AtomicReference<>();
    AtomicLong nanos = new AtomicLong(-5);
    DiskStateLog state = new DiskStateLog(full::get, nanos::get);
    state.look();
    assertEquals(List.of(), told);
    for (int round = 0; round < 2; round++) {
      full.set("told to be full");
      state.look();
      full.set("told to be full otherwise");
      state.look();
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(90));
      full.set(null);
      state.look();
      state.look();
    }
    String room = "INFO the disk has room again after 90 s, events are accepted";
    assertEquals(List.of("WARNING " + FULL, room, "WARNING " + FULL, room), told);
  }

  @Test
  void theDaemonLooks() {
    MemoryStore store = new MemoryStore(1);
    Map<String, String> values = Map.of("http", "127.0.0.1:0", "lanes", "1");
    try (Daemon _ = Daemon.start(DaemonConfig.of(values), store)) {
      store.full = true;
      await("WARNING " + FULL);
      store.full = false;
      await("INFO the disk has room again after ");
    }
    assertEquals(2, told.size(), told::toString);
  }

  private void await(String start) {
    Await.until(
        () -> told.stream().anyMatch(line -> line.startsWith(start)),
        "a line starts with " + start);
  }

  @Test
  @Tag("process")
  void aStopIsTwoLinesWithCounts(@TempDir Path directory) throws IOException, InterruptedException {
    try (ServeProcess daemon = ServeProcess.start(directory.resolve("d"));
        HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest three =
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + daemon.port() + "/v1/events?type=app"))
              .header("content-type", Http.TEXT)
              .POST(BodyPublishers.ofByteArray("one\ntwo\nthree\n".getBytes(UTF_8)))
              .build();
      assertEquals(200, client.send(three, BodyHandlers.discarding()).statusCode());
      assertEquals(0, daemon.stop(30), daemon.output());
      List<String> lines = daemon.output().lines().filter(line -> line.contains("stop")).toList();
      assertEquals(2, lines.size(), daemon.output());
      assertEquals(
          "widerow: stopping: 0 requests in progress, 3 events in open rows", lines.getFirst());
      String ended =
          "widerow: stopped in \\d+ ms: 3 events stored since the start, 3 sealed while stopping";
      assertTrue(lines.getLast().matches(ended), lines.getLast());
    }
  }
}
