package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Clients that each ask one [HeavyQuery] without end, on a new connection each time. Every second
/// answer is not waited for: the client leaves, as people do who close a page.
///
/// - Threads: `heavy-0..`, from the start to [#close].
final class HeavyClients implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int STATUS_AT = "HTTP/1.1 ".length();
  private static final int HEAD_BYTES = 512;
  private static final long PAUSE_MILLIS = 100; // after a failure, so that they do not spin

  private final InetSocketAddress address;
  private final long leaveNanos;
  private final List<Thread> threads = new ArrayList<>();
  private final LongAdder answers = new LongAdder();
  private final LongAdder left = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
  private volatile boolean ending;

  private HeavyClients(InetSocketAddress address, long leaveNanos) {
    this.address = address;
    this.leaveNanos = leaveNanos;
  }

  /// @param queries a client for each
  /// @param leaveNanos after which every second answer is left; 0 for never
  static HeavyClients start(
      InetSocketAddress address,
      List<HeavyQuery> queries,
      HeavyQuery.Range range,
      long leaveNanos) {
    HeavyClients clients = new HeavyClients(address, leaveNanos);
    for (HeavyQuery query : queries) {
      HeavyQuery.Request request = query.request(range);
      clients.threads.add(
          Thread.ofPlatform()
              .name("heavy-" + clients.threads.size())
              .daemon()
              .start(() -> clients.run(request)));
    }
    return clients;
  }

  /// Asks once, and reads the answer to its end.
  ///
  /// @throws IOException when it is refused
  static void once(InetSocketAddress address, HeavyQuery query, HeavyQuery.Range range)
      throws IOException {
    HeavyClients one = new HeavyClients(address, 0);
    one.ask(query.request(range), Long.MAX_VALUE);
    if (one.answers() == 0) {
      throw new IOException("%s: %s".formatted(query, one.failure()));
    }
  }

  /// Answers that were read to their ends.
  long answers() {
    return answers.sum();
  }

  /// Answers that were left.
  long left() {
    return left.sum();
  }

  /// Refused or broken ones.
  long failures() {
    return failures.sum();
  }

  /// What the first of them said; null for none.
  @Nullable String failure() {
    return failure.get();
  }

  private void run(HeavyQuery.Request request) {
    for (long number = 0; !ending; number++) {
      boolean leaves = leaveNanos > 0 && number % 2 == 1;
      try {
        ask(request, leaves ? leaveNanos : Long.MAX_VALUE);
      } catch (IOException broken) {
        if (!ending) {
          failed(broken.toString());
        }
      }
    }
  }

  private void failed(String what) {
    failures.increment();
    failure.compareAndSet(null, what);
    LockSupport.parkNanos(PAUSE_MILLIS * Quantity.MILLI);
  }

  private void ask(HeavyQuery.Request request, long nanosMax) throws IOException {
    long beganNanos = System.nanoTime();
    try (Socket socket = new Socket()) {
      socket.connect(address);
      socket.setSoTimeout((int) PAUSE_MILLIS);
      send(request, socket.getOutputStream());
      InputStream in = socket.getInputStream();
      byte[] buffer = new byte[BUFFER_BYTES];
      AnswerEnd answer = new AnswerEnd();
      while (!ending) {
        long leftNanos = nanosMax - (System.nanoTime() - beganNanos);
        if (leftNanos <= 0) {
          left.increment();
          return;
        }
        socket.setSoTimeout((int) Math.clamp(leftNanos / Quantity.MILLI, 1, PAUSE_MILLIS));
        int read;
        try {
          read = in.read(buffer);
        } catch (SocketTimeoutException _) {
          continue;
        }
        if (read < 0 || answer.isAfter(buffer, read)) {
          ended(answer.head());
          return;
        }
      }
    }
  }

  private void ended(String head) {
    if (head.startsWith("200", STATUS_AT)) {
      answers.increment();
    } else {
      failed(head.isEmpty() ? "no answer" : head.substring(0, Math.min(head.length(), HEAD_BYTES)));
    }
  }

  private void send(HeavyQuery.Request request, OutputStream out) throws IOException {
    String head =
        "%s %s HTTP/1.1\r\nHost: %s:%d\r\nConnection: close\r\n%s\r\n"
            .formatted(
                request.body().length == 0 ? "GET" : "POST",
                request.path(),
                address.getHostString(),
                address.getPort(),
                request.body().length == 0
                    ? ""
                    : "Content-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n"
                        + "Content-Length: %d\r\n".formatted(request.body().length));
    out.write(head.getBytes(StandardCharsets.ISO_8859_1));
    out.write(request.body());
    out.flush();
  }

  /// Finds the end of an answer: by its length, or by the last, empty chunk.
  private static final class AnswerEnd {
    private static final String LENGTH = "\r\ncontent-length:";
    private static final String LAST_CHUNK = "\r\n0\r\n\r\n";

    private final StringBuilder head = new StringBuilder();
    private String tail = "";
    private long bytes;
    private long limit = Long.MAX_VALUE; // of bytes, head included
    private boolean known;

    String head() {
      return head.toString();
    }

    /// Takes the next bytes; true when they are the last ones.
    boolean isAfter(byte[] buffer, int count) {
      String text = new String(buffer, 0, count, StandardCharsets.ISO_8859_1);
      bytes += count;
      if (!known) {
        head.append(text);
        int end = head.indexOf("\r\n\r\n");
        if (end < 0) {
          return false;
        }
        known = true;
        head.setLength(end + 2);
        String lower = head.toString().toLowerCase(Locale.ROOT);
        int at = lower.indexOf(LENGTH);
        if (at >= 0) {
          int from = at + LENGTH.length();
          String length = lower.substring(from, lower.indexOf('\r', from)).strip();
          limit = end + 4 + Long.parseLong(length);
        }
      }
      tail = (tail + text).substring(Math.max(0, tail.length() + count - LAST_CHUNK.length()));
      return limit == Long.MAX_VALUE ? tail.equals(LAST_CHUNK) : bytes >= limit;
    }
  }

  /// Ends the clients, and waits for them.
  @Override
  public void close() {
    ending = true;
    threads.forEach(LockSupport::unpark);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
