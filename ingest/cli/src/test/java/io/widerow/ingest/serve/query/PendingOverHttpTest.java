package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.faults.PendingStore;
import io.widerow.faults.Seeds;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.query.Token;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.questions.OracleEvents;
import io.widerow.questions.Question;
import io.widerow.questions.QuestionSeeds;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a daemon whose store is always late answers as one whose store is not; a wait that fails
/// is never a shorter answer; positions of clusters are taken or refused as they should be. Method:
/// the same requests to a daemon on a store and to one on [PendingStore]. `-Dseed=<n>` replays.
@Timeout(300)
class PendingOverHttpTest {
  private static final int EVENTS = 2_000;
  private static final int QUESTIONS = 120;

  @TempDir Path directory;

  private final long seed = Seeds.one();

  private DaemonConfig config() {
    return DaemonConfig.of(
        Map.of(
            "data",
            directory.resolve("d").toString(),
            "http",
            "127.0.0.1:0",
            "lanes",
            "2",
            "retention",
            "forever",
            "merge-after", // a merge between the two would change what types says of bytes
            "3650d",
            "snapshot-dir",
            directory.resolve("snapshots").toString()));
  }

  /// Fills the store, and returns a position from which half of the events are new.
  private String fill() {
    OracleEvents events = new OracleEvents(EVENTS, new SplittableRandom(seed));
    try (EventStore store = LocalStore.open(config())) {
      events.write(store, 0, EVENTS / 2);
      String arrived;
      try (StoreView view = store.view()) {
        arrived = view.arrivals().toString();
      }
      events.write(store, EVENTS / 2, EVENTS);
      return arrived;
    }
  }

  private List<String> requests(String arrived) {
    List<String> requests = new ArrayList<>();
    for (Question question : QuestionSeeds.of(seed, QUESTIONS, EVENTS)) {
      Map<String, List<String>> asked = new LinkedHashMap<>(question.parameters());
      if (question.kind() == Question.Kind.TAIL) {
        asked.put("arrived", List.of(arrived));
      }
      requests.add("/v1/query?" + RemoteResponse.encode(asked));
    }
    requests.add("/v1/types");
    requests.add("/v1/types?type=own*&format=csv");
    return requests;
  }

  private static List<String> answers(Daemon daemon, List<String> requests)
      throws IOException, InterruptedException {
    List<String> answers = new ArrayList<>();
    try (Http http = new Http(daemon)) {
      for (String request : requests) {
        HttpResponse<String> answer = http.get(request);
        String body =
            answer
                .body()
                .replaceAll("\\(\\d+ so far\\)", "(more)") // of its budget
                .replaceAll("(?m)^\\{\"warnings\".*\\n", ""); // of a store on this machine only
        String contentType = answer.headers().firstValue("content-type").orElse("");
        answers.add(answer.statusCode() + " " + contentType + "\n" + body);
      }
    }
    return answers;
  }

  @Test
  void bothDaemonsAnswerWithTheSameBytes() throws IOException, InterruptedException {
    List<String> requests = requests(fill());
    List<String> plain;
    try (EventStore store = LocalStore.open(config());
        Daemon daemon = Daemon.start(config(), store)) {
      plain = answers(daemon, requests);
    }
    try (PendingStore store = new PendingStore(LocalStore.open(config()), seed);
        Daemon daemon = Daemon.start(config(), store)) {
      List<String> pending = answers(daemon, requests);
      for (int i = 0; i < requests.size(); i++) {
        String what = requests.get(i) + ", seed " + seed;
        assertTrue(plain.get(i).startsWith("200 "), what + ": " + plain.get(i));
        assertEquals(plain.get(i), pending.get(i), what);
      }
      assertTrue(store.pendings() > QUESTIONS, store.pendings() + " waits");
    }
  }

  @Test
  void aWaitThatFailsIsNeverAShorterAnswer() throws IOException, InterruptedException {
    fill();
    try (PendingStore store = new PendingStore(LocalStore.open(config()), seed);
        Daemon daemon = Daemon.start(config(), store);
        Http http = new Http(daemon)) {
      String whole = http.get("/v1/query").body();
      store.fail(new StorageException.Unreachable("2 of 3 replicas away", new IOException("x")));
      HttpResponse<String> cut = http.get("/v1/query");
      assertTrue(cut.body().contains("2 of 3 replicas away"), cut.body());
      store.fail(new IllegalStateException("a mistake"));
      int status;
      try {
        status = http.get("/v1/query").statusCode();
      } catch (IOException broken) {
        status = 0;
      }
      assertTrue(status != 200, "an answer that is not whole ends as one that is");
      store.fail(null);
      assertEquals(whole, http.get("/v1/query").body());
    }
  }

  private static String position(int daemons) {
    Map<Integer, ClusterArrivals.Position> positions = new TreeMap<>();
    for (int daemon = 0; daemon < daemons; daemon++) {
      positions.put(
          daemon,
          new ClusterArrivals.Position(
              40L << 32 | 0x7fff_ffff,
              (1_795_000_000_000_000L + daemon) << ClusterArrivals.DAEMON_BITS,
              List.of(1L << 40, 1L << 41, 1L << 42, 1L << 43)));
    }
    return new ClusterArrivals(positions).toString();
  }

  @Test
  void positionsOfAClusterAreReadWholeAndRefusedHere() throws IOException, InterruptedException {
    fill();
    try (EventStore store = LocalStore.open(config());
        Daemon daemon = Daemon.start(config(), store);
        Http http = new Http(daemon)) {
      String after = Token.before(OracleEvents.START).toString();
      for (int daemons : new int[] {1, 100, 512}) {
        Map<String, List<String>> asked =
            Map.of("after", List.of(after), "arrived", List.of(position(daemons)));
        HttpResponse<String> answer = http.get("/v1/query?" + RemoteResponse.encode(asked));
        assertEquals(400, answer.statusCode(), daemons + " daemons: " + answer.body());
        assertTrue(
            answer
                .body()
                .startsWith(
                    "{\"error\":\"arrived: a position of a store on a cluster, and this store is"
                        + " on one machine: c1.0:287fffffff:"),
            answer.body());
        assertTrue(answer.body().length() < 400, answer.body());
      }
      CommandDaemon.Ran ran =
          CommandDaemon.run(
              Map.of(),
              "tail",
              "--url",
              "http://127.0.0.1:" + daemon.httpAddress().getPort(),
              "--after",
              after,
              "--arrived",
              position(512));
      assertEquals(64, ran.code(), ran.err());
      assertTrue(ran.err().contains("a position of a store on a cluster"), ran.err());
    }
  }

  @Test
  void aStoreWithoutSnapshotsSaysSo() throws IOException, InterruptedException {
    try (PendingStore store = new PendingStore(LocalStore.open(config()), seed);
        Daemon daemon = Daemon.start(config(), store);
        Http http = new Http(daemon)) {
      HttpResponse<String> answer = http.post("/v1/admin/snapshot?name=n", Http.TEXT, "");
      assertEquals(501, answer.statusCode());
      assertTrue(answer.body().contains("has no snapshots"), answer.body());
      assertFalse(directory.resolve("snapshots").toFile().exists());
    }
  }
}
