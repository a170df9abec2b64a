package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.RetentionPolicy;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.query.filter.FilterParser;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.RetentionSettings.Where;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterReading;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.maintenance.ClusterPolicies;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a daemon on a cluster answers for each event what becomes of it: it is kept, or it is
/// refused because it is past the retention of the cluster's store, which others may have changed,
/// also while the cluster is away. Method: a daemon over a keyspace in memory; other processes
/// change the policy.
@Timeout(300)
class ClusterRetentionOverHttpTest {
  private static final String REFUSED =
      "{\"index\":1,\"reason\":\"older than the retention of 2d\"}";

  @TempDir Path temporary;

  private final AwayKeyspace keyspace = new AwayKeyspace();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private ClusterPolicies others;
  private ClusterReading reading;
  private Daemon daemon;
  private Http http;

  /// A keyspace whose policies cannot be read for a while.
  private static final class AwayKeyspace extends MemoryKeyspace {
    volatile boolean isAway;

    Map<String, String> all() {
      return super.policies().join();
    }

    @Override
    public CompletableFuture<Map<String, String>> policies() {
      return isAway
          ? CompletableFuture.failedFuture(
              new KeyspaceException(KeyspaceException.Kind.UNREACHABLE, "no node answers"))
          : super.policies();
    }
  }

  @BeforeEach
  void start() {
    others = new ClusterPolicies(keyspace, System::currentTimeMillis);
    others.set(null, Duration.ofDays(2));
    others.set("audit", null);
    reading =
        new ClusterReading(
            keyspace,
            new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ofHours(1), null),
            threads,
            threads);
    StoreConfig local =
        StoreConfig.at(temporary.resolve("data"))
            .withLanes(1, 2)
            .withMemory(8L << 20, Duration.ofMinutes(1))
            .withJournal(1 << 20, 8 << 20)
            .withDiskReserveBytes(0);
    CassandraStore store =
        CassandraStore.open(keyspace, local, ApplyOptions.of("here"), reading, threads);
    daemon =
        Daemon.start(
            DaemonConfig.of(
                Map.of(
                    "http",
                    "127.0.0.1:0",
                    "lanes",
                    "1",
                    "store",
                    "cassandra://127.0.0.1/widerow?dc=dc1")),
            store);
    http = new Http(daemon);
  }

  @AfterEach
  void stop() {
    http.close();
    daemon.close();
    threads.close();
  }

  private static String line(String type, String body, Duration ago) {
    return "{\"ts\":\"%s\",\"type\":\"%s\",\"body\":\"%s\"}\n"
        .formatted(Instant.now().minus(ago), type, body);
  }

  private String send(String... lines) throws Exception {
    HttpResponse<String> answer = http.post("/v1/events", Http.NDJSON, String.join("", lines));
    assertEquals(200, answer.statusCode(), answer.body());
    return answer.body();
  }

  @Test
  void anEventPastTheRetentionOfTheClusterIsRefused() throws Exception {
    String answer =
        send(
            line("log", "a", Duration.ofHours(47)),
            line("log", "b", Duration.ofDays(4)),
            line("audit", "c", Duration.ofDays(400)));
    assertEquals(
        "{\"accepted\":2,\"rejected\":[" + REFUSED + "],\"durability\":\"quorum\"}\n", answer);
    assertEquals(List.of("a", "c"), http.bodies());
  }

  @Test
  void aPolicyThatAnotherProcessChangesDecides() throws Exception {
    String old = line("log", "a", Duration.ofDays(4));
    others.set(null, Duration.ofDays(9));
    reading.awaitPolicies();
    assertTrue(send(old).startsWith("{\"accepted\":1,\"rejected\":[]"));
    assertEquals(List.of("a"), http.bodies());

    others.set(null, Duration.ofDays(2));
    reading.awaitPolicies();
    assertEquals(List.of(), http.bodies(), "expired events are hidden at once");
    String again = send(line("log", "b", Duration.ZERO), line("log", "c", Duration.ofDays(4)));
    assertTrue(again.contains(REFUSED), again);
    assertEquals(List.of("b"), http.bodies());
  }

  private static FilteredRetention debug(Duration age) {
    return new FilteredRetention(
        new RetentionPolicy(
            "log", age, RetentionPolicy.UNLIMITED, Duration.ZERO, RetentionPolicy.Source.API),
        "level <= debug",
        FilterParser.parse("level <= debug", 0),
        System.currentTimeMillis() * 1_000_000);
  }

  private static String leveled(String body, String level, Duration ago) {
    return line("log", body, ago).replace("\"body\"", "\"level\":\"" + level + "\",\"body\"");
  }

  private String get(String query) throws Exception {
    HttpResponse<String> answer = http.get(query);
    assertEquals(200, answer.statusCode(), answer.body());
    return answer.body();
  }

  @Test
  void aPolicyWithAFilterHidesAtOnceAndShowsAgain() throws Exception {
    String answer =
        send(
            leveled("old debug", "debug", Duration.ofHours(30)),
            leveled("old error", "error", Duration.ofHours(30)),
            leveled("new debug", "debug", Duration.ofHours(2)));
    assertTrue(answer.contains("\"rejected\":[]"), answer);
    String written = leveled("was an error", "error", Duration.ofHours(30));
    for (String line :
        List.of(written, written.replace("was an error", "is debug").replace("error", "debug"))) {
      String keyed = line.replace("{", "{\"_key\":\"7\",");
      assertEquals(200, http.post("/v1/events", Http.NDJSON, keyed).statusCode());
    }
    List<String> all = List.of("is debug", "new debug", "old debug", "old error");
    assertEquals(all, http.bodies());
    others.set(debug(Duration.ofDays(1)));
    reading.awaitPolicies();
    List<String> shown = List.of("new debug", "old error");
    assertEquals(shown, http.bodies(), "of a write the last one decides");
    assertTrue(get("/v1/query?stats=count").contains("\"count\":2"), get("/v1/query?stats=count"));
    String levels = get("/v1/query?stats=count&by=level&format=csv");
    assertEquals(List.of("debug,1", "error,1"), levels.lines().skip(1).sorted().toList());
    assertTrue(get("/v1/query?where=level+%3D+debug&stats=count").contains("\"count\":1"));
    String exported = get("/v1/export?type=log&format=ndjson");
    assertEquals(2, exported.lines().filter(line -> line.contains("\"body\"")).count(), exported);
    try (var reader = new ClusterReader(keyspace, others, ReadOptions.DEFAULT, threads)) {
      assertEquals(
          2, reader.hiddenBy(debug(Duration.ofDays(1))).values().stream().mapToLong(e -> e).sum());
      assertEquals(Map.of(), reader.hiddenBy(debug(Duration.ofDays(3))));
    }
    String late =
        send(
            leveled("late debug", "debug", Duration.ofHours(26)),
            leveled("late error", "error", Duration.ofHours(26)));
    assertTrue(
        late.contains(
            "\"accepted\":1,\"rejected\":[{\"index\":0,\"reason\":\"older than the retention of"
                + " 1d\"}]"),
        late);
    assertEquals(List.of("late error", "new debug", "old error"), http.bodies());

    others.unset("log", new Where("level<=debug", FilterParser.parse("level<=debug", 0)));
    reading.awaitPolicies();
    assertEquals(5, http.bodies().size());
    assertTrue(http.bodies().containsAll(all));
  }

  private String ask(String method, String path, int status) throws Exception {
    HttpResponse<String> answer = http.send(method, path);
    assertEquals(status, answer.statusCode(), answer.body());
    return answer.body();
  }

  /// The bodies of the first events that a tail shows.
  private List<String> tail(int events) throws Exception {
    URI uri =
        URI.create(
            "http://127.0.0.1:%d/v1/tail?since=90d&fields=body"
                .formatted(daemon.httpAddress().getPort()));
    try (HttpClient client = HttpClient.newHttpClient();
        Stream<String> lines =
            client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofLines()).body()) {
      return lines
          .filter(line -> line.contains("\"body\":"))
          .map(line -> line.replaceAll(".*\"body\":\"([^\"]*)\".*", "$1"))
          .limit(events)
          .toList();
    }
  }

  @Test
  void policiesAreListedPlannedSetAndRemovedOverHttp() throws Exception {
    String listed = get("/v1/retention");
    assertEquals(2, listed.lines().count(), listed);
    assertTrue(
        listed.startsWith(
            "{\"type\":\"audit\",\"where\":null,\"age\":\"forever\",\"bytes\":null,"
                + "\"grace\":\"1m\",\"source\":\"api\",\"types\":0,\"atRest\":0,"
                + "\"hiddenPartitions\":0,\"hiddenEvents\":0,\"hiddenBytes\":0,"
                + "\"dropsAt\":null}\n{\"type\":\"*\",\"where\":null,\"age\":\"2d\","),
        listed);
    send(
        leveled("old debug", "debug", Duration.ofHours(30)),
        leveled("old error", "error", Duration.ofHours(30)),
        line("audit", "old", Duration.ofDays(30)),
        line("audit", "new", Duration.ofHours(1)));

    keyspace.setClockMillis(System.currentTimeMillis()); // the lease of the others is over
    String plan = get("/v1/retention/plan?type=audit&age=7d");
    assertTrue(plan.startsWith("{\"partition\":\""), plan);
    assertTrue(plan.contains("{\"partitions\":1,\"events\":1,\"bytes\":"), plan);
    assertEquals(4, http.bodies().size(), "a plan changes nothing");
    String set = ask("PUT", "/v1/retention?type=audit&age=7d", 200);
    assertTrue(set.contains("\"types\":1"), set);
    assertTrue(set.contains("\"hiddenPartitions\":1,\"hiddenEvents\":1"), set);
    assertTrue(set.contains("\"dropsAt\":\"20"), set);
    assertEquals(List.of("new", "old debug", "old error"), http.bodies());
    String unset = ask("DELETE", "/v1/retention?type=audit", 200);
    assertEquals("{\"unset\":\"audit\"}\n", unset);
    assertEquals(3, http.bodies().size(), "the default decides now");
    assertEquals(1, get("/v1/retention").lines().count());

    String where = "&where=level+%3C%3D+debug";
    String some = get("/v1/retention/plan?type=l*&age=1d" + where);
    assertTrue(some.endsWith("{\"partitions\":1,\"events\":1,\"bytes\":0}\n"), some);
    String hides = ask("PUT", "/v1/retention?type=l*&age=1d&grace=20m" + where, 200);
    assertTrue(hides.contains("\"where\":\"level <= debug\",\"age\":\"1d\""), hides);
    assertTrue(hides.contains("\"grace\":\"20m\""), hides);
    assertTrue(hides.contains("\"hiddenPartitions\":1,\"hiddenEvents\":1"), hides);
    assertEquals(hides, get("/v1/retention").lines().toList().getLast() + "\n");
    assertEquals(List.of("new", "old error"), http.bodies());
    assertEquals(List.of("old error", "new"), tail(2), "tails hide, too");
    ask("DELETE", "/v1/retention?type=l*" + where, 200);
    assertEquals(List.of("new", "old debug", "old error"), http.bodies());

    for (String wrong :
        List.of(
            "type=log&bytes=1GiB",
            "type=l*&age=3d",
            "type=log&age=3d&grace=1h",
            "type=x*&age=3d" + where,
            "type=l*&age=3d&where=ts+%3C+7d")) {
      ask("PUT", "/v1/retention?" + wrong, 400);
    }
    assertEquals(
        "{\"error\":\"type: no policy was set for 'cpu'; there are [*]\"}\n",
        ask("DELETE", "/v1/retention?type=cpu", 400));
    keyspace.isAway = true;
    ask("PUT", "/v1/retention?type=log&age=3d", 503);
  }

  /// Not that of a store that has one, and not before it is known that it has none.
  @Test
  void theConfiguredRetentionIsThatOfAStoreWithoutOne() {
    AwayKeyspace fresh = new AwayKeyspace();
    fresh.isAway = true;
    var settings = new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ofHours(1), null);
    ClusterReading later = new ClusterReading(fresh, settings, threads, Runnable::run);
    later.propose(() -> later.retain(null, Duration.ofDays(5)));
    later.maintain();
    assertEquals(Map.of(), fresh.all());
    fresh.isAway = false;
    later.awaitPolicies();
    later.maintain();
    assertEquals(Duration.ofDays(5), later.retention().of("log"));
    later.propose(() -> later.retain(null, Duration.ofDays(6)));
    later.maintain();
    assertEquals(Duration.ofDays(5), later.retention().of("log"));
    later.close();
  }

  /// What it knew last counts; what it takes in that is past the new policy is hidden as soon as it
  /// knows it.
  @Test
  void aPolicyThatWasLoweredWhileTheClusterWasAwayHidesLater() throws Exception {
    others.set(null, Duration.ofDays(9));
    reading.awaitPolicies();
    others.set(null, Duration.ofDays(2));
    keyspace.isAway = true;
    String taken =
        send(line("log", "a", Duration.ofDays(4)), line("log", "b", Duration.ofDays(12)));
    assertTrue(
        taken.contains("{\"index\":1,\"reason\":\"older than the retention of 9d\"}"), taken);
    assertEquals(List.of("a"), http.bodies());
    keyspace.isAway = false;
    reading.awaitPolicies();
    assertEquals(List.of(), http.bodies());
    assertTrue(
        send(line("log", "c", Duration.ZERO), line("log", "d", Duration.ofDays(4)))
            .contains(REFUSED));
    assertEquals(List.of("c"), http.bodies());
  }
}
