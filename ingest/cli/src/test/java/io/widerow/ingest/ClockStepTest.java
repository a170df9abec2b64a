package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.event.EventId;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: for any clock steps between starts, no id is assigned twice, and the order of arrival is
/// the order of ids, except where a clock that was ahead went back or was accepted. An event whose
/// own time is ahead of the clock is refused and its neighbours are not; events without a time are
/// refused while the clock is earlier than the last sane time, or later than any store is closed.
/// Once the clock is right, they are taken at once. Method: the daemon under libfaketime, killed or
/// stopped and started with a clock that stepped back or forward. `-Dclocks=<n>` repeats the steps.
@Tag("faults")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class ClockStepTest {
  private static final Duration LEAD_MAX = Duration.ofSeconds(10);
  private static final Duration FUTURE_MAX = Duration.ofMinutes(10);
  private static final Duration AHEAD_MAX = Duration.ofMinutes(10); // taken for right at a start
  private static final Duration CLOSED_MAX = Duration.ofDays(366);
  private static final List<Duration> STEPS =
      List.of(
          Duration.ZERO,
          Duration.ofSeconds(-1),
          Duration.ofHours(-1),
          Duration.ofDays(-1),
          Duration.ZERO,
          Duration.ofDays(1),
          Duration.ZERO,
          Duration.ofDays(3_652),
          Duration.ofDays(1));
  private static final Pattern EVENT =
      Pattern.compile("\\{\"id\":\"([^\"]*)\",\"ts\":\"([^\"]*)\",.*\"body\":\"([^\"]*)\"");

  @TempDir private Path directory = Path.of(".");

  private final long seed = Seeds.one();
  private final SplittableRandom random = new SplittableRandom(seed);
  private final List<String> arrivals = new ArrayList<>(); // accepted, in this order
  private final List<String> own = new ArrayList<>(); // accepted, with their own times
  private final List<Integer> accepted =
      new ArrayList<>(); // arrivals before the clock was accepted or went back
  private @Nullable Instant mark; // the last sane time
  private boolean ahead; // the clock of this start is not sane
  private int sent;
  private int starts;
  private int refusedArrivals;
  private int refusedFuture;

  @Test
  void idsRiseWhateverTheClockSays() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    for (int round = 0; round < Integer.getInteger("clocks", 1); round++) {
      for (Duration step : STEPS) {
        run(data, step, false);
      }
      run(data, Duration.ofDays(1), true);
      run(data, Duration.ZERO, false);
      run(data, Duration.ZERO, true);
    }
    try (ServeProcess daemon = start(data, Duration.ZERO, false)) {
      check(daemon);
      assertEquals(0, daemon.stop(60), daemon.output());
    }
    System.out.printf(
        "seed %d: %d starts with the clock stepped; %d events got the clock's time, %d were refused"
            + " it, %d of %d events far ahead were refused; ids repeated 0, out of order 0%n",
        seed, starts, arrivals.size(), refusedArrivals, refusedFuture, refusedFuture);
    FaultRecords.add(
        FaultRecords.Table.CLOCKS,
        "1 s to 1 day back, 1 day and 10 years ahead",
        starts,
        arrivals.size(),
        refusedArrivals,
        refusedFuture,
        own.size(),
        0);
  }

  /// A program that runs another one under libfaketime.
  static List<String> faketime(String... settings) throws IOException {
    List<String> program = new ArrayList<>(List.of("env", "LD_PRELOAD=" + library()));
    program.add("FAKETIME_DONT_FAKE_MONOTONIC=1");
    // libfaketime 0.9.10 guesses this wrong with glibc 2.36: each timed wait of the JVM would end
    // at once, and all its threads would spin.
    program.add("FAKETIME_FORCE_MONOTONIC_FIX=0");
    program.addAll(List.of(settings));
    return program;
  }

  private static String library() throws IOException {
    try (Stream<Path> found = Files.walk(Path.of("/usr/lib"), 3)) {
      List<Path> libraries = found.filter(path -> path.endsWith("libfaketime.so.1")).toList();
      return libraries.isEmpty()
          ? abort("no libfaketime: apt-get install faketime")
          : libraries.getFirst().toString();
    }
  }

  private ServeProcess start(Path data, Duration step, boolean accept) throws IOException {
    starts++;
    return ServeProcess.startUnder(
        faketime("FAKETIME=%+d".formatted(step.toSeconds())),
        directory,
        data,
        accept ? new String[] {"--accept-clock"} : new String[0]);
  }

  private void run(Path data, Duration step, boolean accept)
      throws IOException, InterruptedException {
    try (ServeProcess daemon = start(data, step, accept)) {
      if (accept || ahead) {
        accepted.add(arrivals.size());
      }
      Instant sane = accept ? null : mark;
      ahead = sane != null && Instant.now().plus(step).isAfter(sane.plus(AHEAD_MAX));
      mark = sane;
      for (int batch = 0; batch < 5; batch++) {
        sendArrival(daemon, step);
        sendOwn(daemon, step);
      }
      check(daemon);
      if (random.nextBoolean()) {
        daemon.kill();
      } else {
        assertEquals(0, daemon.stop(60), daemon.output());
      }
    }
  }

  private void sendArrival(ServeProcess daemon, Duration step)
      throws IOException, InterruptedException {
    String body = "arrival-" + sent++;
    Instant before = Instant.now().plus(step);
    HttpResponse<String> answer = daemon.post("/v1/events?type=a", Http.TEXT, body);
    Instant sane = mark;
    if (sane != null
        && (before.isBefore(sane.minus(LEAD_MAX)) || before.isAfter(sane.plus(CLOSED_MAX)))) {
      assertEquals(503, answer.statusCode(), answer.body());
      assertTrue(answer.body().contains("the clock says"), answer.body());
      refusedArrivals++;
    } else {
      assertEquals(200, answer.statusCode(), answer.body());
      arrivals.add(body);
      Instant after = Instant.now().plus(step);
      mark = !ahead && (sane == null || after.isAfter(sane)) ? after : sane;
    }
  }

  /// Two events, one of which is further ahead than the store allows.
  private void sendOwn(ServeProcess daemon, Duration step)
      throws IOException, InterruptedException {
    String body = "own-" + sent++;
    Instant now = Instant.now().plus(step);
    Instant ahead = now.plus(FUTURE_MAX).plus(Duration.ofMinutes(1 + random.nextInt(1_000_000)));
    String line = "{\"ts\":\"%s\",\"type\":\"o\",\"body\":\"%s\"}%n";
    HttpResponse<String> answer =
        daemon.post(
            "/v1/events", Http.NDJSON, line.formatted(ahead, "ahead") + line.formatted(now, body));
    assertEquals(200, answer.statusCode(), answer.body());
    assertTrue(answer.body().startsWith("{\"accepted\":1,\"rejected\":[{"), answer.body());
    assertTrue(answer.body().contains("ahead"), answer.body());
    own.add(body);
    refusedFuture++;
  }

  /// Each accepted event is there once, with its own id. Ids of arrivals ascend in the order of
  /// arrival, except where an earlier clock was accepted.
  private void check(ServeProcess daemon) throws IOException, InterruptedException {
    HttpResponse<String> answer = daemon.get("/v1/query");
    TreeMap<String, EventId> shown = new TreeMap<>();
    EventId last = EventId.LEAST;
    for (String line : answer.body().lines().toList()) {
      Matcher event = EVENT.matcher(line);
      if (event.find()) {
        EventId id = EventId.parse(event.group(1));
        assertTrue(last.compareTo(id) < 0, () -> "id does not ascend: " + line);
        assertEquals(null, shown.put(event.group(3), id), () -> "twice: " + line);
        last = id;
      }
    }
    assertEquals(arrivals.size() + own.size(), shown.size(), "accepted events that are stored");
    assertTrue(shown.keySet().containsAll(own));
    assertTrue(shown.keySet().containsAll(arrivals));
    for (int i = 1; i < arrivals.size(); i++) {
      EventId before = shown.getOrDefault(arrivals.get(i - 1), EventId.LIMIT);
      EventId id = shown.getOrDefault(arrivals.get(i), EventId.LEAST);
      assertTrue(
          before.compareTo(id) < 0 || accepted.contains(i), arrivals.get(i) + " is out of order");
    }
  }
}
