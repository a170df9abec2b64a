package io.widerow.ingest.receive.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryStore;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: an event with a key that is sent again is the same event, so counters are right whatever
/// is repeated. Method: ids of lines that agree or differ in one thing; a daemon that is killed
/// while it counts, against a map.
class JsonKeyTest {
  private static final String LIKE =
      "{'ts':'2026-11-25T02:04:02.819121499Z','type':'like','_key':'u17|item9','n':1}";

  @TempDir private Path directory = Path.of(".");

  private static Decoding.Result decode(JsonNames names, String... lines) {
    String body = String.join("\n", lines).replace('\'', '"');
    return Decoding.of(
        body,
        (bytes, limit, batch) ->
            new JsonLinesDecoder("t", names, false).decode(bytes, 0, limit, batch));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "null", "0.0", "'0'", "' 0 '"})
  void anIdNeedsNoOtherTime(String time) {
    String id = "b12ef090-0d11-11ec-8100-000000000001";
    Decoding.Result result =
        decode(JsonNames.KNOWN, "{'ts':%s,'_id':'%s','x':1}".formatted(time, id));
    assertEquals(0, result.refused().count());
    assertEquals(EventId.parse(id), result.stored().getFirst().ownId());
    assertEquals("{x=1}", result.stored().getFirst().attributes().toString());
  }

  private static EventId idOf(String line) {
    EventId id = decode(JsonNames.KNOWN, line).stored().getFirst().ownId();
    assertNotNull(id);
    return id;
  }

  @Test
  void theIdIsOfTimeTypeAndKey() {
    EventId id = idOf(LIKE);
    assertEquals(TimeUuid.timeOfNanos(1_795_572_242_819_121_499L), id.time());
    assertEquals("7c85d1ee-e874-11f1-", id.toString().substring(0, 19), id.toString());
    for (String same :
        List.of(
            LIKE.replace("'n':1", "'n':0,'more':'x'"),
            LIKE.replace("u17", "\\u007517"),
            LIKE.replace("'_key':'u17", "'_key':'a','_key':'u17"),
            LIKE.replace("21499Z", "21400Z"))) {
      assertEquals(id, idOf(same), same);
    }
    Set<EventId> others = new HashSet<>(Set.of(id));
    for (String other :
        List.of(
            LIKE.replace("u17", "u18"),
            LIKE.replace("like", "lik"),
            LIKE.replace("'like','_key':'u", "'likeu','_key':'"),
            LIKE.replace("02.8191214", "02.8191215"))) {
      assertTrue(others.add(idOf(other)), other);
    }
  }

  /// 61 bits of the tail are of the key: every one of them is set in half of the ids.
  @Test
  void sixtyOneBitsAreOfTheKey() {
    int[] set = new int[Long.SIZE];
    for (int i = 0; i < 1_000; i++) {
      long tail = idOf(LIKE.replace("u17", "u" + i)).tail();
      for (int bit = 0; bit < Long.SIZE; bit++) {
        set[bit] += (int) (tail >>> bit) & 1;
      }
    }
    int mixed = 0;
    for (int ones : set) {
      mixed += ones > 400 && ones < 600 ? 1 : 0;
    }
    assertEquals(61, mixed);
  }

  @Test
  void theKeyIsAnAttributeToo() {
    MemoryStore.Stored stored = decode(JsonNames.KNOWN, LIKE).stored().getFirst();
    assertEquals(Map.of("_key", "u17|item9", "n", 1L), stored.attributes());
    MemoryStore.Stored named =
        decode(
                JsonNames.of("", "", "", "", "who.id"),
                "{'ts':1795202100,'_key':5,'who':{'id':'u17','name':'x'}}")
            .stored()
            .getFirst();
    assertNotNull(named.ownId());
    assertEquals(Map.of("_key", 5L, "who.id", "u17", "who.name", "x"), named.attributes());
    // What a query shows has the id already.
    MemoryStore.Stored shown =
        decode(
                JsonNames.of("", "", "", "id", ""),
                "{'id':'7c85d1ee-e874-11f1-ab80-81808080808c','_key':'u17','type':'t'}")
            .stored()
            .getFirst();
    assertEquals("7c85d1ee-e874-11f1-ab80-81808080808c", String.valueOf(shown.ownId()));
    assertEquals(Map.of("_key", "u17"), shown.attributes());
    assertNull(
        decode(JsonNames.KNOWN, "{'ts':1795202100,'_key':null}").stored().getFirst().ownId());
  }

  /// Many logs have one, such as those of caches; two of them may have one time.
  @Test
  void aMemberCalledKeyIsData() {
    List<MemoryStore.Stored> stored =
        decode(JsonNames.KNOWN, LIKE.replace("_key", "key"), "{'key':5}", "{'key':'k','_id':null}")
            .stored();
    assertEquals(3, stored.size());
    stored.forEach(event -> assertNull(event.ownId()));
    assertEquals(Map.of("key", "u17|item9", "n", 1L), stored.getFirst().attributes());
    MemoryStore.Stored named =
        decode(JsonNames.of("", "", "", "", "key"), LIKE.replace("_key", "key"))
            .stored()
            .getFirst();
    assertEquals(idOf(LIKE), named.ownId());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '^',
      value = {
        "{'_key':'a'}~an event with a key needs a timestamp",
        "{'_key':'a','time':'soon'}~an event with a key needs a timestamp",
        "{'ts':1,'_key':''}~_key must be a string of 1 to 1024 bytes",
        "{'ts':1,'_key':5}~_key must be a string of 1 to 1024 bytes",
        "{'ts':1,'_key':{'a':'b'}}~_key must be a string of 1 to 1024 bytes",
        "{'ts':1,'_key':['a']}~_key must be a string of 1 to 1024 bytes",
        "{'ts':1,'_key':'LONG'}~_key must be a string of 1 to 1024 bytes",
        "{'ts':1,'_key':'a','_id':'7c85d1ee-e874-11f1-ab80-81808080808c'}"
            + "~an event has a key or an id, not both",
      })
  void whatIsNoKeyIsRefused(String line, String why) {
    Decoding.Result result = decode(JsonNames.KNOWN, line.replace("LONG", "x".repeat(1_025)), LIKE);
    assertEquals(1, result.refused().count());
    String reason = result.refused().reason(0);
    assertTrue(reason.startsWith(why), reason);
    assertEquals(1, result.stored().size());
    String most = LIKE.replace("u17", "x".repeat(1_024 - "|item9".length()));
    assertNotEquals(idOf(LIKE), idOf(most));
  }

  /// Likes of a few users and items, sent in batches. Many of these are repeated, also long after,
  /// and the daemon is killed meanwhile. In the end some likes are taken back.
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  @Tag("process")
  void countersAreRightAfterRetriesAndKills() throws IOException, InterruptedException {
    long seed = Seeds.one();
    var random = new SplittableRandom(seed);
    Map<String, Long> likes = new LinkedHashMap<>();
    List<List<String>> sent = new ArrayList<>();
    Path data = directory.resolve("d");
    for (int life = 0; life < 3; life++) {
      try (ServeProcess daemon = ServeProcess.start(data, ServeProcess.small(0))) {
        CountDownLatch batches = new CountDownLatch(random.nextInt(10, 40));
        long later = random.nextLong(50_000_000L);
        Thread killer =
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    batches.await();
                    Await.pauseNanos(later);
                    daemon.kill();
                  } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                  }
                });
        sendUntilKilled(daemon, new SplittableRandom(seed + life), sent, likes, batches);
        killer.join();
      }
      // The next life sends requests without a response again.
      try (ServeProcess daemon = ServeProcess.start(data, ServeProcess.small(0))) {
        send(daemon, sent.getLast(), likes);
        assertCounted(daemon, likes, "seed " + seed);
        if (life == 2) {
          List<String> back = likes.keySet().stream().limit(50).map(like -> like + "~0").toList();
          send(daemon, back, likes);
          assertCounted(daemon, likes, "taken back, seed " + seed);
        }
      }
    }
    assertTrue(likes.size() > 100, "only " + likes.size());
  }

  private static void assertCounted(ServeProcess daemon, Map<String, Long> likes, String what)
      throws IOException, InterruptedException {
    long keys = likes.keySet().stream().map(like -> like.substring(20)).distinct().count();
    assertEquals(
        "{\"count\":%d,\"sum(n)\":%d,\"distinct(_key)\":%d}\n"
            .formatted(
                likes.size(), likes.values().stream().mapToLong(Long::longValue).sum(), keys),
        daemon.get("/v1/query?type=like&stats=count,sum(n),distinct(_key)").body(),
        what);
  }

  private static void sendUntilKilled(
      ServeProcess daemon,
      SplittableRandom random,
      List<List<String>> sent,
      Map<String, Long> likes,
      CountDownLatch batches)
      throws InterruptedException {
    try {
      while (true) {
        if (!sent.isEmpty() && random.nextInt(3) == 0) {
          sent.add(sent.get(random.nextInt(sent.size())));
        } else {
          List<String> batch = new ArrayList<>();
          for (int i = random.nextInt(1, 60); i > 0; i--) {
            int user = random.nextInt(30);
            batch.add(
                "'ts':'2026-11-25T%02d','_key':'u%d|item%d'~%d"
                    .formatted(random.nextInt(10), user, random.nextInt(4), 1 + user % 3));
          }
          sent.add(batch);
        }
        send(daemon, sent.getLast(), likes);
        batches.countDown();
      }
    } catch (IOException killed) {
      assertTrue(!daemon.isAlive() || killed.getMessage() != null);
    }
  }

  private static void send(ServeProcess daemon, List<String> batch, Map<String, Long> likes)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (String like : batch) {
      String[] parts = like.split("~", -1);
      lines
          .append("{'type':'like',")
          .append(parts[0].replaceFirst("T(\\d\\d)'", "T$1:00:00Z'"))
          .append(",'n':")
          .append(parts[1])
          .append("}\n");
    }
    HttpResponse<String> answer =
        daemon.post("/v1/events", Http.NDJSON, lines.toString().replace('\'', '"'));
    assertEquals(200, answer.statusCode(), answer.body());
    for (String like : batch) {
      String[] parts = like.split("~", -1);
      likes.put(parts[0], Long.valueOf(parts[1]));
    }
  }
}
