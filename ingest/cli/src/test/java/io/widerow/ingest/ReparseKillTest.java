package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.faults.Await;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.faults.Slice;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a daemon that is killed while it reparses loses and doubles nothing: after each kill each
/// event is there once, as it was or as it should be, and another run does the rest. Method: a
/// daemon as a process; each run sets another value, and is killed at a random time. At the end a
/// run sets the value of the first one, and has its digest. `-Dkills=<n>` sets the number of kills.
@Timeout(value = 2, unit = TimeUnit.HOURS)
@Tag("process")
class ReparseKillTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int EVENTS = 3_000;

  @TempDir private Path directory = Path.of(".");

  private final SplittableRandom random = new SplittableRandom(Seeds.one());
  private final int kills = Slice.of("kills", 3, 100);

  private static void write(ServeProcess daemon) throws IOException, InterruptedException {
    List<String> lines = Files.readAllLines(Path.of("../../loadgen/logs/apache_access.log"));
    Instant first = Instant.now().minus(Duration.ofHours(12));
    StringBuilder events = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      events.append(
          JSON.createObjectNode()
              .put("ts", first.plusMillis(14_000L * i).toString())
              .put("type", i % 3 == 0 ? "web.a" : "web.b")
              .put("n", i)
              .put("body", lines.get(i))
              .toString());
      events.append('\n');
    }
    HttpResponse<String> taken = daemon.post("/v1/events", Http.NDJSON, events.toString());
    assertEquals(200, taken.statusCode(), taken.body());
  }

  private static String rules(int run) {
    return "parse body as nginx\nset run = %d\n".formatted(run);
  }

  private static JsonNode reparse(ServeProcess daemon, int run)
      throws IOException, InterruptedException {
    HttpResponse<String> answer =
        daemon.post("/v1/admin/reparse?type=web.*&dry=false", Http.TEXT, rules(run));
    assertEquals(200, answer.statusCode(), answer.body());
    return JSON.readTree(answer.body());
  }

  /// What all events are without the value that runs set, by their numbers; and these values.
  private static Map<Integer, String> events(ServeProcess daemon, Set<Integer> runs)
      throws IOException, InterruptedException {
    Map<Integer, String> events = new TreeMap<>();
    for (String line :
        daemon.get("/v1/query?type=web.*&fields=n,body,run,status").body().lines().toList()) {
      JsonNode event = JSON.readTree(line);
      if (event.has("id")) {
        int run = event.path("run").asInt(0);
        runs.add(run);
        assertEquals(run > 0, event.has("status"), "all of a change or nothing: " + line);
        String before =
            events.put(
                event.path("n").asInt(),
                event.path("id") + " " + event.path("ts") + event.path("body"));
        assertEquals(null, before, "twice: " + line);
      }
    }
    return events;
  }

  @Test
  void killsLeaveEachEventAsItWasOrAsItShouldBe() throws IOException, InterruptedException {
    QuickJvm jvm = QuickJvm.shared();
    ServeProcess daemon = ServeProcess.start(jvm, directory.resolve("d"));
    try {
      write(daemon);
      Map<Integer, String> written = events(daemon, new HashSet<>());
      assertEquals(EVENTS, written.size());
      long began = System.nanoTime();
      JsonNode first = reparse(daemon, 1);
      assertEquals(EVENTS, first.path("events").asInt());
      long whole = System.nanoTime() - began;
      Set<Integer> allowed = new HashSet<>(Set.of(1));
      int partly = 0;
      for (int run = 2; run < kills + 2; run++) {
        ServeProcess running = daemon;
        int asked = run;
        CompletableFuture<Void> reparsing =
            CompletableFuture.runAsync(() -> {
              try {
                JsonNode _ = reparse(running, asked);
              } catch (IOException | InterruptedException killed) {
                throw new IllegalStateException("no response", killed);
              }
            });
        Await.pauseNanos(random.nextLong(whole / 20, whole));
        daemon.kill();
        daemon.close();
        Await.until(reparsing::isDone, "the response");
        daemon = ServeProcess.start(jvm, directory.resolve("d"));
        allowed.add(run);
        Set<Integer> found = new HashSet<>();
        assertEquals(written, events(daemon, found), "after kill " + run);
        assertTrue(allowed.containsAll(found), found + " of " + allowed);
        partly += found.size() > 1 ? 1 : 0;
        allowed.retainAll(found);
      }
      Slice.met("kills within a run", partly, kills / 3);
      JsonNode done = reparse(daemon, kills + 2);
      JsonNode last = reparse(daemon, 1);
      assertEquals(done.path("after"), last.path("before"));
      assertEquals(first.path("after"), last.path("after"), "the digest of the first run");
      assertEquals(0, reparse(daemon, 1).path("events").asInt());
      Set<Integer> found = new HashSet<>();
      assertEquals(written, events(daemon, found));
      assertEquals(Set.of(1), found);
      assertEquals(0, daemon.stop(60), daemon.output());
    } finally {
      daemon.close();
    }
  }
}
