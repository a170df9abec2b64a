package io.widerow.ingest;

import static io.widerow.ingest.receive.journald.JournalEntries.numbered;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpRequestWriter;
import com.linecorp.armeria.common.HttpStatus;
import io.widerow.faults.Await;
import io.widerow.ingest.receive.journald.Upload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: a request without an end in sight holds a bounded amount of memory whatever the store
/// does, stores complete events however it ends, and leaves nothing behind. Method: uploads of a
/// journal to a daemon whose store in memory stops, is full, or fails.
@Timeout(300)
class StreamRequestTest {
  private static final int CREDIT_BYTES = 8 << 20;

  private final MemoryStore store = new MemoryStore(1);
  private final Daemon daemon = start(store);

  private static Daemon start(MemoryStore store) {
    return Daemon.start(
        TunedConfig.of(
            Map.of(
                "http",
                "127.0.0.1:0",
                "lanes",
                "1",
                "body-bytes-max",
                "65536",
                "credit-bytes",
                Integer.toString(CREDIT_BYTES),
                "drain-seconds",
                "3600")),
        store);
  }

  @AfterEach
  void stop() {
    store.commits.release(1_000_000);
    daemon.close();
  }

  private Upload open() throws IOException {
    return new Upload(daemon.httpAddress().getPort(), "/upload");
  }

  private static String entries(int from, int until) {
    return IntStream.range(from, until)
        .mapToObj(io.widerow.ingest.receive.journald.JournalEntries::numbered)
        .collect(Collectors.joining());
  }

  private void awaitStored(int count) {
    Await.until(() -> store.committed.size() >= count, count + " events are stored");
    assertEquals(count, store.committed.size());
  }

  private void awaitIdle() {
    Await.until(
        () -> daemon.inFlight() == 0 && daemon.creditBytesUsed() == 0, "no request is in flight");
  }

  @Test
  void whatIsWholeIsStoredWhenTheConnectionIsCut() throws IOException {
    try (Upload upload = open()) {
      upload.send(entries(0, 3) + numbered(3).substring(0, 60));
      awaitStored(3);
      upload.send(numbered(3).substring(60) + numbered(4).substring(0, 90));
    }
    awaitStored(4);
    awaitIdle();
    assertEquals(4, store.committed.size());
  }

  /// Two streams of one connection: one is quiet while the other is stored.
  @Test
  void overHttp2AsWell() {
    WebClient client = WebClient.of("h2c://127.0.0.1:" + daemon.httpAddress().getPort());
    HttpRequestWriter quiet = HttpRequest.streaming(HttpMethod.POST, "/upload");
    HttpRequestWriter all = HttpRequest.streaming(HttpMethod.POST, "/upload");
    CompletableFuture<AggregatedHttpResponse> first = client.execute(quiet).aggregate();
    CompletableFuture<AggregatedHttpResponse> second = client.execute(all).aggregate();
    assertTrue(quiet.tryWrite(HttpData.ofUtf8(entries(0, 2))));
    awaitStored(2);
    for (int piece = 0; piece < 100; piece++) {
      assertTrue(all.tryWrite(HttpData.ofUtf8(entries(1_000 + 100 * piece, 1_100 + 100 * piece))));
    }
    all.close();
    assertEquals("OK.\n", second.join().contentUtf8());
    awaitStored(2 + 100 * 100);
    quiet.close();
    assertEquals(HttpStatus.ACCEPTED, first.join().status());
    awaitIdle();
  }

  /// A sender that follows its journal: what it sends is stored soon, and it may be quiet.
  @Test
  void aQuietSenderIsStoredAndHoldsNothing() throws IOException {
    try (Upload upload = open()) {
      for (int i = 0; i < 20; i++) {
        upload.send(numbered(i));
        awaitStored(i + 1);
      }
      Await.until(() -> daemon.creditBytesUsed() == 0, "all credit is given back");
      assertEquals(1, daemon.inFlight());
      assertEquals("202 OK.\n", upload.end());
    }
    awaitIdle();
  }

  @Test
  void aStopOfTheDaemonEndsQuietSendersAtOnce() throws IOException {
    try (Upload quiet = open();
        Upload within = open()) {
      quiet.send(numbered(0));
      within.send(numbered(1) + "MESSAGE=half");
      awaitStored(2);
      daemon.close(); // does not drain for an hour
      assertEquals("503 the daemon is stopping\n", quiet.answer());
      assertEquals("503 the daemon is stopping\n", within.answer());
    }
    assertEquals(2, store.committed.size());
  }

  /// The sender is not read while the store does nothing, and loses nothing.
  @Test
  void aStoreThatWaitsSlowsTheSenderDown() throws IOException {
    store.commits.drainPermits();
    int pieces = 400;
    AtomicInteger sent = new AtomicInteger();
    CompletableFuture<String> answer =
        CompletableFuture.supplyAsync(() -> {
          try (Upload upload = open()) {
            for (int piece = 0; piece < pieces; piece++) {
              upload.send(entries(1_000 * piece, 1_000 * (piece + 1)));
              sent.incrementAndGet();
            }
            return upload.end();
          } catch (IOException broken) {
            throw new UncheckedIOException(broken);
          }
        });
    int before = -1;
    while (sent.get() == 0 || sent.get() != before) { // no piece in half a second
      before = sent.get();
      Await.pauseNanos(500_000_000);
    }
    assertTrue(before < pieces / 2, before + " pieces were sent");
    assertTrue(daemon.creditBytesUsed() <= CREDIT_BYTES);
    assertEquals(0, store.committed.size());
    store.commits.release(1_000_000);
    assertEquals("202 OK.\n", answer.join());
    assertEquals(1_000 * pieces, store.committed.size());
    long ids = store.committed.stream().map(MemoryStore.Stored::ownId).distinct().count();
    assertEquals(1_000L * pieces, ids);
    awaitIdle();
  }

  /// Many senders together may want more than the credit, each with a part of an entry.
  @Test
  void sendersShareTheCredit() throws IOException {
    List<CompletableFuture<String>> answers =
        IntStream.range(0, 40)
            .mapToObj(sender ->
                CompletableFuture.supplyAsync(
                    () -> {
                      try (Upload upload = open()) {
                        for (int piece = 0; piece < 20; piece++) {
                          int from = 100_000 * sender + 200 * piece;
                          upload.send(entries(from, from + 200));
                        }
                        return upload.end();
                      } catch (IOException broken) {
                        throw new UncheckedIOException(broken);
                      }
                    },
                    task -> Thread.ofVirtual().start(task)))
            .toList();
    for (CompletableFuture<String> answer : answers) {
      assertEquals("202 OK.\n", answer.join());
    }
    assertEquals(40 * 20 * 200, store.committed.size());
    awaitIdle();
  }

  @Test
  void aFullDiskEndsTheRequestAndTheRepeatStoresTheRest() throws IOException {
    try (Upload upload = open()) {
      upload.send(entries(0, 10));
      awaitStored(10);
      store.full = true;
      upload.send(entries(10, 20));
      String answer = upload.answer();
      assertTrue(answer.startsWith("507 "), answer);
    }
    awaitIdle();
    assertEquals(10, store.committed.size());
    store.full = false;
    try (Upload again = open()) { // from the cursor that was saved last
      assertEquals("202 OK.\n", again.send(entries(5, 30)).end());
    }
    assertEquals(30, store.committed.stream().map(MemoryStore.Stored::ownId).distinct().count());
    awaitIdle();
  }

  @Test
  void aStoreThatHasFailedEndsTheRequest() throws IOException {
    try (Upload upload = open()) {
      upload.send(numbered(0));
      awaitStored(1);
      store.failure = "broken";
      String answer = upload.send(numbered(1)).answer();
      assertTrue(answer.startsWith("503 writing has ended: "), answer);
    }
    try (Upload later = open()) {
      String answer = later.answer();
      assertTrue(answer.startsWith("503 writing has ended: "), answer);
    }
    awaitIdle();
    assertEquals(1, store.committed.size());
  }

  /// The pace counts within an entry only.
  @Test
  @Tag("deep")
  void anEntryThatDoesNotGoOnIsGivenUp() throws IOException {
    try (Upload upload = open();
        Upload quiet = open()) {
      quiet.send(numbered(1));
      upload.send(numbered(0) + "MESSAGE=half");
      String answer = upload.answer();
      assertTrue(answer.startsWith("503 only 0 bytes arrived in 30 s"), answer);
      assertEquals("202 OK.\n", quiet.send(numbered(2)).end());
    }
    awaitIdle();
    assertEquals(3, store.committed.size());
  }
}
