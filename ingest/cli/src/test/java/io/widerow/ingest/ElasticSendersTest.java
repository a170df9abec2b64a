package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import co.elastic.clients.elasticsearch.ElasticsearchClient;
import co.elastic.clients.elasticsearch._helpers.bulk.BulkIngester;
import co.elastic.clients.elasticsearch._helpers.bulk.BulkListener;
import co.elastic.clients.elasticsearch.core.BulkRequest;
import co.elastic.clients.elasticsearch.core.BulkResponse;
import co.elastic.clients.elasticsearch.core.bulk.BulkOperation;
import co.elastic.clients.elasticsearch.core.bulk.BulkResponseItem;
import io.widerow.faults.Await;
import io.widerow.faults.Relay;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: events of Elastic's Java client are stored once and unchanged, also when a response is
/// lost and when the daemon is killed during the run. Method: elasticsearch-java 9.5.6, its
/// `BulkIngester`, and a listener that sends a request without an answer again, as users write it.
@Timeout(300)
class ElasticSendersTest {
  private static final long FIRST_NANOS = 1_767_323_045_000_000_000L; // 2026-01-02T03:04:05Z

  @TempDir private Path directory = Path.of(".");

  /// Sends again what got no answer.
  private static final class Again implements BulkListener<Void> {
    final BlockingQueue<BulkRequest> unanswered = new LinkedBlockingQueue<>();
    final AtomicInteger stored = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();
    final AtomicInteger broken = new AtomicInteger();

    @Override
    public void beforeBulk(long number, BulkRequest request, List<Void> contexts) {}

    @Override
    public void afterBulk(
        long number, BulkRequest request, List<Void> contexts, BulkResponse response) {
      count(response);
    }

    @Override
    public void afterBulk(long number, BulkRequest request, List<Void> contexts, Throwable why) {
      int _ = broken.incrementAndGet();
      unanswered.add(request);
    }

    void count(BulkResponse response) {
      for (BulkResponseItem item : response.items()) {
        int _ = (item.status() == 201 ? stored : refused).incrementAndGet();
      }
    }

    /// Returns when so many events are acknowledged.
    void awaitStored(ElasticsearchClient client, int events) throws InterruptedException {
      while (stored.get() + refused.get() < events) {
        BulkRequest request = unanswered.poll(20, TimeUnit.MILLISECONDS);
        if (request != null) {
          try {
            count(client.bulk(request));
          } catch (IOException none) {
            int _ = broken.incrementAndGet();
            unanswered.add(request);
            Await.pauseNanos(50_000_000);
          }
        }
      }
      assertEquals(0, refused.get());
      assertEquals(events, stored.get());
    }
  }

  private static ElasticsearchClient client(int port) {
    return ElasticsearchClient.of(config -> config.host("http://127.0.0.1:" + port));
  }

  private static BulkIngester<Void> ingester(ElasticsearchClient client, BulkListener<Void> again) {
    return BulkIngester.of(bulk ->
        bulk.client(client)
            .maxOperations(100)
            .maxConcurrentRequests(2)
            .flushInterval(200, TimeUnit.MILLISECONDS)
            .listener(again));
  }

  private static BulkOperation event(int number, boolean named) {
    long nanos = FIRST_NANOS + number * 1_000_000L;
    Map<String, Object> document =
        Map.of("@timestamp", nanos / 1_000_000, "message", "event " + number, "n", number);
    return BulkOperation.of(operation ->
        operation.create(create -> {
          create.index("app-2026.01.02").document(document);
          return named ? create.id("event-" + number) : create;
        }));
  }

  private static Daemon daemon(MemoryStore store) {
    return Daemon.start(DaemonConfig.of(Map.of("http", "127.0.0.1:0", "lanes", "1")), store);
  }

  @Test
  void everyKindOfFieldIsKept() throws IOException {
    MemoryStore store = new MemoryStore(1);
    try (Daemon daemon = daemon(store);
        ElasticsearchClient client = client(daemon.httpAddress().getPort())) {
      assertEquals("8.19.0", client.info().version().number());
      assertTrue(client.ping().value());
      Map<String, Object> document =
          Map.of(
              "@timestamp",
              "2026-01-02T03:04:05.123456789Z",
              "message",
              "one \u00fc \"quoted\" \\ \n",
              "n",
              9_007_199_254_740_993L,
              "ratio",
              0.25,
              "ok",
              true,
              "user",
              Map.of("id", 7, "tags", List.of("a", "b")));
      BulkResponse response =
          client.bulk(bulk ->
              bulk.index("app-2026.01.02")
                  .pipeline("none")
                  .operations(one -> one.index(index -> index.document(document)))
                  .operations(one -> one.create(create -> create.id("x").document(document)))
                  .operations(one -> one.delete(delete -> delete.id("x")))
                  .operations(one ->
                      one.update(update -> update.id("x").action(action -> action.doc(document))))
                  .operations(
                      one -> one.index(index -> index.document(Map.of("@timestamp", "yesterday"))))
                  .operations(one -> one.index(index -> index.document(Map.of("n", 1)))));
      assertTrue(response.errors());
      assertEquals(
          List.of(201, 201, 400, 400, 201, 201),
          response.items().stream().map(BulkResponseItem::status).toList());
      assertEquals("x", response.items().get(1).id());
    }
    String attributes =
        "_index=app-2026.01.02, body=one \u00fc \"quoted\" \\ \n, n=9007199254740993, ok=true,"
            + " ratio=0.25, user.id=7, user.tags=[\"a\",\"b\"]}";
    List<MemoryStore.Stored> stored = store.committed;
    assertEquals(4, stored.size());
    assertEquals("app", stored.get(0).type());
    assertEquals(1_767_323_045_123_456_789L, stored.get(0).timeNanos());
    assertEquals(
        List.of(
            "{_id=x, " + attributes,
            "{" + attributes,
            "{_index=app-2026.01.02, n=1}",
            "{_index=app-2026.01.02, sender_time=yesterday}"),
        stored.stream().map(event -> event.attributes().toString()).sorted().toList());
  }

  @ParameterizedTest(name = "with its own _id: {0}")
  @ValueSource(booleans = {true, false})
  void aLostAnswerStoresNothingTwice(boolean named) throws IOException, InterruptedException {
    MemoryStore store = new MemoryStore(1);
    Again again = new Again();
    try (Daemon daemon = daemon(store);
        Relay relay = new Relay(daemon.httpAddress().getPort());
        ElasticsearchClient client = client(relay.port())) {
      assertTrue(client.ping().value());
      relay.loseAnswers(3);
      try (BulkIngester<Void> ingester = ingester(client, again)) {
        IntStream.range(0, 2_000).forEach(number -> ingester.add(event(number, named)));
      }
      again.awaitStored(client, 2_000);
      assertEquals(3, relay.answersLost());
      assertTrue(again.broken.get() >= 3, again.broken + " requests without an answer");
    }
    // An event with an id of its own is stored again under the same id: the store keeps one.
    List<Object> keys =
        store.committed.stream()
            .map(event -> named ? (Object) event.ownId() : event.attributes().get("n"))
            .toList();
    assertEquals(2_000, keys.stream().distinct().count());
    assertTrue(named || keys.size() == 2_000, keys.size() + " stored");
  }

  @Test
  @Tag("process")
  void aDaemonThatIsKilledMeanwhileLosesNothing() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    Again again = new Again();
    int events = 4_000;
    ServeProcess daemon = ServeProcess.start(data, ServeProcess.small(0));
    try (Relay relay = new Relay(daemon.port());
        ElasticsearchClient client = client(relay.port())) {
      try (BulkIngester<Void> ingester = ingester(client, again)) {
        for (int number = 0; number < events; number++) {
          ingester.add(event(number, number % 200 < 100));
          if (number == 2_000) {
            daemon.kill();
            daemon = ServeProcess.start(data, ServeProcess.small(0));
            relay.moveTo(daemon.port());
          }
        }
      }
      again.awaitStored(client, events);
      assertTrue(again.broken.get() > 0);
      List<Integer> numbers = new ArrayList<>();
      daemon
          .get("/v1/query?type=app")
          .body()
          .lines()
          .filter(line -> line.contains("\"n\":"))
          .forEach(
              line -> numbers.add(Integer.parseInt(line.replaceAll(".*\"n\":(\\d+).*", "$1"))));
      assertEquals(IntStream.range(0, events).boxed().toList(), numbers.stream().sorted().toList());
    } finally {
      daemon.close();
    }
  }
}
