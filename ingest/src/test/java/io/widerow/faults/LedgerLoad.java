package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Senders that keep a ledger of acknowledged batches, and repeat each batch with its key until it
/// is acknowledged. Sender `s` sends events `n` = 0, 1, 2 ...; one in thirteen is late by two
/// hours. Each batch also rewrites a slot, an event with its own id: batches 0 to 3 the first slot,
/// 4 to 7 the next, and so on. A slot must show the last batch that wrote it.
///
/// With [#large] some batches are long: sender 1 often has 64 KiB, sender 2 sometimes 1 MiB, and
/// sender 3 now and then 3 MiB, which the journal keeps as a group of several frames. The text of
/// each event follows from its number, and is compared.
///
/// Other stores get batches in their own format, see [Wire], with the same ledger.
///
/// - Threads: one per sender, each with one request at a time.
public final class LedgerLoad implements AutoCloseable {
  private static final long PATIENCE_NANOS = 180_000_000_000L;

  static final int EVENTS_PER_BATCH = 20;

  private static final long START_NANOS = 1_763_665_200_000_000_000L;
  private static final long LATE_NANOS = 7_200_000_000_000L;
  private static final int BATCHES_PER_SLOT = 4;
  private static final Pattern EVENT =
      Pattern.compile("\"ts\":\"([^\"]*)\".*\"n\":(\\d+).*\"s\":(\\d+)");
  private static final Pattern PADDED =
      Pattern.compile("\"n\":(\\d+),\"pad\":\"([^\"]*)\",\"s\":(\\d+)");
  private static final long PAD_LEAST = 1L << 60; // all numbers from here have as many digits
  private static final Pattern SLOT =
      Pattern.compile("\"batch\":(\\d+).*\"s\":(\\d+),\"slot\":(\\d+)");

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicIntegerArray acknowledged; // batches, by sender
  private final AtomicLong repeats = new AtomicLong();
  private final AtomicLong recognised = new AtomicLong();
  private final Wire wire;
  private final boolean large;
  private volatile @Nullable String refused; // an answer that refused events; all are good
  private volatile int port;
  private volatile boolean cutOff;
  private volatile boolean held;
  private volatile boolean ending;
  private volatile boolean closed;

  public LedgerLoad(int senders, int port) {
    this(senders, port, null, false);
  }

  /// @param wire of another store
  LedgerLoad(int senders, int port, Wire wire) {
    this(senders, port, wire, false);
  }

  /// Senders of which some have long batches.
  public static LedgerLoad large(int senders, int port) {
    return new LedgerLoad(senders, port, null, true);
  }

  /// @param wire null for the daemon's own
  private LedgerLoad(int senders, int port, @Nullable Wire wire, boolean large) {
    this.large = large;
    this.acknowledged = new AtomicIntegerArray(senders);
    this.wire = wire == null ? this::sendToDaemon : wire;
    this.port = port;
    for (int sender = 0; sender < senders; sender++) {
      int number = sender;
      threads.add(Thread.ofPlatform().name("sender-" + sender).start(() -> send(number)));
    }
  }

  /// Sends a batch to a store.
  @FunctionalInterface
  interface Wire {
    /// @return true when it was acknowledged
    boolean send(int port, int sender, int batch) throws IOException, InterruptedException;
  }

  /// The time of an event.
  static long timeNanos(int n) {
    return START_NANOS + n * 1_000L - (n % 13 == 5 ? LATE_NANOS : 0);
  }

  /// Sets the current port of the daemon.
  public void moveTo(int newPort) {
    port = newPort;
    cutOff = false;
  }

  /// The daemon's machine loses power now: no later answer counts. A file system that is shut down
  /// may still let a force in flight end as if it had succeeded.
  public void cutOff() {
    cutOff = true;
  }

  /// Pauses the senders, each once its batch is acknowledged, or lets them continue.
  public void hold(boolean hold) {
    held = hold;
  }

  /// Batches acknowledged so far.
  public long acknowledged() {
    long all = 0;
    for (int sender = 0; sender < acknowledged.length(); sender++) {
      all += acknowledged.get(sender);
    }
    return all;
  }

  /// For a row of the fault page.
  public FaultRecords.Batches figures() {
    return new FaultRecords.Batches(acknowledged(), repeats(), recognised());
  }

  /// Repeats that the daemon recognized.
  public long recognised() {
    return recognised.get();
  }

  public long repeats() {
    return repeats.get();
  }

  /// Waits for so many more batches. Fails when none was acknowledged for three minutes: the daemon
  /// has ended.
  public void awaitMore(long batches) {
    long last = acknowledged();
    long until = last + batches;
    long since = System.nanoTime();
    while (acknowledged() < until) {
      Await.pauseNanos(1_000_000);
      long now = acknowledged();
      if (now > last) {
        last = now;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > PATIENCE_NANOS) {
        throw new AssertionError("no batch was acknowledged for three minutes, after " + now);
      }
    }
  }

  /// Waits for so many more attempts without success.
  public void awaitRefused(long attempts) {
    long until = repeats.get() + attempts;
    Await.until(() -> repeats.get() >= until, "each sender repeats");
  }

  private void send(int sender) {
    for (int batch = 0; !ending; batch++) {
      Await.until(() -> !held || ending, Duration.ofHours(1), "the load goes on");
      while (!send(sender, batch)) {
        if (closed) {
          return;
        }
        repeats.incrementAndGet();
        Await.pauseNanos(10_000_000);
      }
      acknowledged.set(sender, batch + 1);
    }
  }

  private boolean send(int sender, int batch) {
    try {
      return wire.send(port, sender, batch) && !cutOff;
    } catch (IOException gone) {
      return false; // it may be stored or not: it is repeated
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private boolean sendToDaemon(int daemon, int sender, int batch)
      throws IOException, InterruptedException {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < EVENTS_PER_BATCH; i++) {
      int n = batch * EVENTS_PER_BATCH + i;
      body.append("{\"ts\":").append(timeNanos(n)).append(",\"type\":\"load\",\"n\":");
      body.append(n).append(",\"s\":").append(sender);
      int padding = padding(sender, batch);
      if (padding > 0) {
        body.append(",\"pad\":\"").append(pad(sender, n, padding)).append('"');
      }
      body.append("}\n");
    }
    int slot = batch / BATCHES_PER_SLOT;
    body.append("{\"_id\":\"").append(slotId(sender, slot)).append("\",\"type\":\"slot\",");
    body.append("\"batch\":").append(batch).append(",\"s\":").append(sender);
    body.append(",\"slot\":").append(slot).append("}\n");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + daemon + "/v1/events"))
            .timeout(Duration.ofSeconds(20))
            .header("content-type", Http.NDJSON)
            .header("idempotency-key", sender + "-" + batch)
            .POST(BodyPublishers.ofString(body.toString()))
            .build();
    HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
    boolean repeated = answer.body().startsWith("{\"accepted\":0,\"duplicate\":");
    recognised.addAndGet(!cutOff && repeated ? 1 : 0);
    if (answer.statusCode() == 200 && !answer.body().contains("\"rejected\":[]")) {
      refused = answer.body();
    }
    return answer.statusCode() == 200;
  }

  /// Bytes of padding in each event of a batch.
  private int padding(int sender, int batch) {
    if (!large) {
      return 0;
    }
    int bytes =
        switch (sender) {
          case 1 -> batch % 4 == 1 ? 64 << 10 : 0;
          case 2 -> batch % 8 == 3 ? 1 << 20 : 0;
          case 3 -> batch % 16 == 7 ? 3 << 20 : 0;
          default -> 0;
        };
    return bytes / EVENTS_PER_BATCH;
  }

  private static String pad(int sender, int n, int length) {
    SplittableRandom random = new SplittableRandom(((long) sender << 32) | n);
    StringBuilder text = new StringBuilder(length);
    while (text.length() < length) {
      text.append(Long.toString(random.nextLong(PAD_LEAST, Long.MAX_VALUE), Character.MAX_RADIX));
    }
    text.setLength(length);
    return text.toString();
  }

  private static EventId slotId(int sender, int slot) {
    long nanos = START_NANOS + slot * 1_000_000L;
    return new EventId(
        TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 511, 1_000L * slot + sender));
  }

  /// Ends the senders, each once its batch is acknowledged.
  public void end() throws InterruptedException {
    ending = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /// Checks what the daemon shows against the ledger: nothing is missing, nothing is there twice,
  /// and all is in order. Call it after [#end].
  public void verify() throws IOException, InterruptedException {
    int[] batches = batches();
    verify(batches, batches);
    if (large) {
      verifyPads(batches);
    }
  }

  private void verifyPads(int[] batches) throws IOException, InterruptedException {
    int[] padded = new int[batches.length];
    URI all = URI.create("http://127.0.0.1:" + port + "/v1/query?type=load&where=exists+pad");
    HttpResponse<Stream<String>> answer =
        client.send(HttpRequest.newBuilder(all).build(), BodyHandlers.ofLines());
    assertEquals(200, answer.statusCode());
    String last = "";
    try (Stream<String> lines = answer.body()) {
      for (String line : (Iterable<String>) lines::iterator) {
        Matcher event = PADDED.matcher(line);
        if (event.find()) {
          int n = Integer.parseInt(event.group(1));
          int sender = Integer.parseInt(event.group(3));
          String pad = pad(sender, n, padding(sender, n / EVENTS_PER_BATCH));
          assertEquals(pad, event.group(2), () -> "event " + n + " of sender " + sender);
          padded[sender]++;
        }
        last = line;
      }
    }
    assertTrue(last.startsWith("{\"token\""), last);
    for (int sender = 0; sender < batches.length; sender++) {
      int expected = 0;
      for (int batch = 0; batch < batches[sender]; batch++) {
        expected += padding(sender, batch) > 0 ? EVENTS_PER_BATCH : 0;
      }
      assertEquals(expected, padded[sender], "long events of sender " + sender);
    }
  }

  /// The same while the senders run: every event acknowledged by now must be there, and more may
  /// be.
  public void verifyAcknowledged() throws IOException, InterruptedException {
    verify(batches(), null);
  }

  /// The acknowledged batches at one moment.
  ///
  /// @param batches by sender
  public record Ledger(List<Integer> batches) {}

  public Ledger ledger() {
    return new Ledger(Arrays.stream(batches()).boxed().toList());
  }

  /// Checks what another daemon shows of a copy against the ledger when the copy was made: nothing
  /// is missing, nothing is there twice, and all is in order. Later batches may be there too.
  public void verify(int otherPort, Ledger promised) throws IOException, InterruptedException {
    int[] limit = batches();
    Arrays.setAll(limit, sender -> limit[sender] + 1);
    int[] least = promised.batches().stream().mapToInt(Integer::intValue).toArray();
    for (BitSet there : verifyEvents(query(otherPort, "load"), least, limit)) {
      assertEquals(
          there.length(), there.cardinality(), "something is there, and not all before it");
    }
    verifySlots(query(otherPort, "slot"), least, limit);
  }

  private int[] batches() {
    int[] batches = new int[acknowledged.length()];
    Arrays.setAll(batches, acknowledged::get);
    return batches;
  }

  /// @param least batches that must be there, by sender
  /// @param most batches that may be there; null for those acknowledged after the answer and one
  ///   more
  private void verify(int[] least, int @Nullable [] most) throws IOException, InterruptedException {
    assertNull(refused);
    List<String> events = query(port, "load");
    List<String> slots = query(port, "slot");
    int[] limit = most == null ? batches() : most;
    if (most == null) {
      Arrays.setAll(limit, sender -> limit[sender] + 1);
    }
    BitSet[] _ = verifyEvents(events, least, limit);
    verifySlots(slots, least, limit);
  }

  /// @return the numbers found, by sender
  private static BitSet[] verifyEvents(List<String> lines, int[] least, int[] limit) {
    BitSet[] seen = new BitSet[least.length];
    Arrays.setAll(seen, _ -> new BitSet());
    String last = "";
    for (String line : lines) {
      Matcher event = EVENT.matcher(line);
      assertTrue(event.find(), line);
      int sender = Integer.parseInt(event.group(3));
      int number = Integer.parseInt(event.group(2));
      assertFalse(seen[sender].get(number), () -> "twice: " + line);
      seen[sender].set(number);
      assertTrue(last.compareTo(event.group(1)) <= 0, () -> "out of order: " + line);
      last = event.group(1);
    }
    for (int sender = 0; sender < seen.length; sender++) {
      int there = seen[sender].nextClearBit(0);
      int must = least[sender] * EVENTS_PER_BATCH;
      assertTrue(there >= must, "lost: event %d of sender %d, %s".formatted(there, sender, must));
      int may = limit[sender] * EVENTS_PER_BATCH;
      assertTrue(seen[sender].length() <= may, seen[sender].length() + " of at most " + may);
    }
    return seen;
  }

  private static void verifySlots(List<String> lines, int[] least, int[] limit) {
    List<Map<Integer, Integer>> seen = new ArrayList<>();
    for (int sender = 0; sender < least.length; sender++) {
      seen.add(new HashMap<>());
    }
    for (String line : lines) {
      Matcher slot = SLOT.matcher(line);
      assertTrue(slot.find(), line);
      Map<Integer, Integer> ofSender = seen.get(Integer.parseInt(slot.group(2)));
      int batch = Integer.parseInt(slot.group(1));
      assertNull(ofSender.put(Integer.parseInt(slot.group(3)), batch), () -> "twice: " + line);
    }
    for (int sender = 0; sender < least.length; sender++) {
      for (int slot = 0; slot * BATCHES_PER_SLOT < least[sender]; slot++) {
        int from = Math.min(least[sender], (slot + 1) * BATCHES_PER_SLOT) - 1;
        int shown = seen.get(sender).getOrDefault(slot, -1);
        String what = "slot %d of sender %d shows batch %d".formatted(slot, sender, shown);
        assertTrue(shown >= from, what + ", but " + from + " was acknowledged");
        assertTrue(shown < limit[sender], what);
        assertEquals(slot, shown / BATCHES_PER_SLOT, what);
      }
    }
  }

  /// The lines of an answer, without the token at the end.
  private List<String> query(int daemon, String type) throws IOException, InterruptedException {
    String fields = type.equals("load") ? "&fields=n,s" : "";
    URI all = URI.create("http://127.0.0.1:" + daemon + "/v1/query?type=" + type + fields);
    HttpResponse<String> answer =
        client.send(HttpRequest.newBuilder(all).build(), BodyHandlers.ofString());
    assertEquals(200, answer.statusCode(), answer.body());
    List<String> lines = answer.body().lines().toList();
    if (lines.isEmpty()) {
      return lines; // the store has no such type
    }
    assertTrue(lines.getLast().startsWith("{\"token\""), lines.getLast());
    return lines.subList(0, lines.size() - 1);
  }

  @Override
  public void close() {
    ending = true;
    closed = true;
    client.shutdownNow();
  }
}
