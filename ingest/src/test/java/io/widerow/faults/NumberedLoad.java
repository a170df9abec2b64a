package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A sender of each protocol of [NumberedSender#ALL], all at once. Each sends its batches one after
/// the other, repeats what got no answer or was told to wait until it is stored, and sends every
/// eighth batch again although it was answered: an answer that was lost on its way.
///
/// - Threads: one per protocol, with one request at a time.
public final class NumberedLoad implements AutoCloseable {
  private static final Pattern NUMBER = Pattern.compile("\"(?:n|value)\":(\\d+)(?:\\.0)?[,}]");
  private static final int TWICE_OF = 8;
  private static final long PAUSE_NANOS = 20_000_000;
  private static final long PACE_NANOS = 2_000_000;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<OneSender> senders = new ArrayList<>();
  private volatile int port;
  private volatile boolean ended;

  public NumberedLoad(int port) {
    this.port = port;
    for (NumberedSender protocol : NumberedSender.ALL) {
      OneSender sender = new OneSender(protocol);
      senders.add(sender);
      sender.thread.start();
    }
  }

  /// One protocol, and what its sender was told.
  private final class OneSender {
    final NumberedSender protocol;
    final Thread thread;
    final AtomicLong batches = new AtomicLong(); // acknowledged
    final AtomicLong repeats = new AtomicLong();
    final AtomicLong full = new AtomicLong(); // answers
    volatile @Nullable String wrong;

    OneSender(NumberedSender protocol) {
      this.protocol = protocol;
      thread = Thread.ofPlatform().daemon().name("sends-" + protocol).unstarted(this::run);
    }

    private void run() {
      try {
        while (!ended && wrong == null) {
          byte[] body = protocol.body(batches.get() * protocol.events());
          send(body);
          if (batches.get() % TWICE_OF == 0) {
            send(body);
          }
          long _ = batches.incrementAndGet();
          Await.pauseNanos(PACE_NANOS);
        }
      } catch (InterruptedException interrupted) {
        wrong = "interrupted";
      }
    }

    /// Returns when the batch is stored, or something is wrong.
    private void send(byte[] body) throws InterruptedException {
      while (wrong == null && !tried(body)) {
        long _ = repeats.incrementAndGet();
        Await.pauseNanos(PAUSE_NANOS);
      }
    }

    /// True when the batch is stored.
    private boolean tried(byte[] body) throws InterruptedException {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + protocol.path()))
              .header("content-type", protocol.contentType())
              .timeout(Duration.ofSeconds(60))
              .POST(BodyPublishers.ofByteArray(body))
              .build();
      HttpResponse<String> answer;
      try {
        answer = client.send(request, BodyHandlers.ofString());
      } catch (IOException none) {
        return false; // the daemon is gone
      }
      String told = answer.statusCode() + " " + answer.body().replaceAll("\"took\":\\d+,", "");
      if (told.startsWith(protocol.stored())) {
        return true;
      }
      if (answer.statusCode() == protocol.full()
          && answer.body().contains(" bytes are free and ")) {
        long _ = full.incrementAndGet();
      } else if (answer.statusCode() != 503 && answer.statusCode() != 429) {
        wrong = told;
      }
      if (answer.headers().firstValueAsLong("retry-after").isEmpty()) {
        wrong = "no Retry-After: " + told;
      }
      return false;
    }
  }

  /// The daemon was started again on another port.
  public void moveTo(int newPort) {
    port = newPort;
  }

  /// Waits until each sender has so many more batches acknowledged.
  public void awaitMoreOfEach(int batches) {
    await(batches, sender -> sender.batches);
  }

  /// Waits until so many more batches are acknowledged, whatever their protocol.
  public void awaitMore(int batches) {
    long end = batches() + batches;
    Await.until(
        () -> {
          requireRight();
          return batches() >= end;
        },
        batches + " more batches are acknowledged");
  }

  private void requireRight() {
    for (OneSender sender : senders) {
      assertEquals(null, sender.wrong, sender.protocol.type());
      assertTrue(sender.thread.isAlive(), sender.protocol.type());
    }
  }

  /// Waits until each sender has been told so many more times that the disk is full.
  public void awaitFull(int answers) {
    await(answers, sender -> sender.full);
  }

  /// The counts of a sender.
  private interface Count {
    AtomicLong of(OneSender sender);
  }

  private void await(int more, Count count) {
    long[] before = senders.stream().mapToLong(sender -> count.of(sender).get()).toArray();
    for (int i = 0; i < before.length; i++) {
      OneSender sender = senders.get(i);
      long wanted = before[i] + more;
      Await.until(
          () -> {
            requireRight();
            return count.of(sender).get() >= wanted;
          },
          "each sender goes on");
    }
  }

  /// Ends the load. All senders get the answers they wait for.
  public void end() throws InterruptedException {
    ended = true;
    for (OneSender sender : senders) {
      sender.thread.join();
      assertEquals(null, sender.wrong, sender.protocol.type());
    }
  }

  /// Everything acknowledged is there, once. After [#end], nothing else is.
  public void verify() throws IOException, InterruptedException {
    List<String> disagreements = new ArrayList<>();
    for (OneSender sender : senders) {
      String type = sender.protocol.type();
      int sent = Math.toIntExact(sender.batches.get() * sender.protocol.events());
      BitSet there = new BitSet();
      int twice = 0;
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/query?type=" + type))
              .build();
      Matcher number = NUMBER.matcher(client.send(request, BodyHandlers.ofString()).body());
      while (number.find()) {
        int n = Integer.parseInt(number.group(1));
        twice += there.get(n) ? 1 : 0;
        there.set(n);
      }
      int lost = sent - there.get(0, sent).cardinality();
      int unknown = there.length() > sent ? there.get(sent, there.length()).cardinality() : 0;
      if (lost + twice + (ended ? unknown : 0) > 0) {
        disagreements.add(
            "%s: of %d events lost %d, twice %d, unknown %d, the first lost %d"
                .formatted(type, sent, lost, twice, unknown, there.nextClearBit(0)));
      }
    }
    assertEquals(List.of(), disagreements);
  }

  /// Batches acknowledged, of all protocols.
  public long batches() {
    return senders.stream().mapToLong(sender -> sender.batches.get()).sum();
  }

  /// Attempts that were repeated.
  public long repeats() {
    return senders.stream().mapToLong(sender -> sender.repeats.get()).sum();
  }

  @Override
  public void close() {
    ended = true;
    client.shutdownNow();
  }
}
