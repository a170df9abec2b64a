package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.RawHttp;
import io.widerow.faults.ServeProcess;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: under twenty times the load that it can take, from clients that ignore its answers, a
/// daemon stores as much as at its peak, and its memory stays flat. Method: the peak is what a few
/// senders store that wait for their answers. Then requests are due at twenty times that rate,
/// regardless of answers, on sockets that send prepared bytes. `-Dgoodput.lines` sets the size of a
/// batch, `-Dgoodput.seconds` the length of a phase. Prints a row of `bench-results/faults.md`.
@Tag("faults")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class GoodputTest {
  private static final int LINES = Integer.getInteger("goodput.lines", 500);
  private static final int PHASE_SECONDS = Integer.getInteger("goodput.seconds", 10);
  private static final long PHASE_NANOS = PHASE_SECONDS * 1_000_000_000L;
  private static final long WARM_REQUESTS = 80_000;
  private static final int SENDERS = 24;
  private static final int TIMES = 20;
  private static final int CONNECTIONS_TIMES = 4;
  private static final long GROWTH_BYTES_MAX = 300L << 20;

  @TempDir private Path directory = Path.of(".");
  private final byte[] request = request();

  private static byte[] request() {
    String body =
        "a line of text as long as one in a log is, about a hundred bytes, and without a time\n"
            .repeat(LINES);
    return "%scontent-length: %d\r\n\r\n%s"
        .formatted(RawHttp.post("a"), body.length(), body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /// The result of a phase.
  private static final class Phase {
    final LongAdder stored = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder cutOff = new LongAdder();
    final LongAdder ended = new LongAdder();
    final AtomicLong sent = new AtomicLong();
    long nanos;
    double daemonSeconds;
    double ownSeconds;
    long residentBytes;

    double eventsPerSecond() {
      return 1e9 * LINES * stored.sum() / nanos;
    }

    /// Events stored per second of the daemon's processor time.
    double eventsPerProcessorSecond() {
      return LINES * stored.sum() / daemonSeconds;
    }

    @Override
    public String toString() {
      return ("%,.0f events/s stored, %,.0f a second of its processor time; %d requests stored,"
              + " %d refused, %d cut off, %d sent; processors: daemon %.2f, senders %.2f;"
              + " resident %d MiB")
          .formatted(
              eventsPerSecond(),
              eventsPerProcessorSecond(),
              stored.sum(),
              refused.sum(),
              cutOff.sum(),
              sent.get(),
              1e9 * daemonSeconds / nanos,
              1e9 * ownSeconds / nanos,
              residentBytes >> 20);
    }
  }

  @Test
  void twentyTimesTheLoadCostsNoGoodput() throws Exception {
    try (ServeProcess daemon =
        ServeProcess.startWith(
            List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=4"),
            directory.resolve("d"),
            "--set",
            "credit-bytes=33554432",
            "--set",
            "open-bytes=33554432",
            "--set",
            "body-bytes-max=1000000")) {
      for (long warm = 0; warm < WARM_REQUESTS; ) { // until the code is compiled
        warm += run(daemon, SENDERS, 0).stored.sum();
      }
      Phase peak = run(daemon, SENDERS, 0);
      long gap = peak.nanos / Math.max(1, peak.stored.sum()) / TIMES;
      Phase _ = run(daemon, SENDERS * CONNECTIONS_TIMES, gap); // and until the code of refusals is
      Phase over = run(daemon, SENDERS * CONNECTIONS_TIMES, gap);
      Phase after = run(daemon, SENDERS, 0);
      System.out.printf("peak:  %s%nover:  %s%nafter: %s%n", peak, over, after);
      System.out.printf(
          "| %d times the load is due, %.1f times was let in | %.0f %% of the peak,"
              + " %.0f %% per processor time |%n",
          TIMES,
          (double) over.sent.get() * peak.nanos / over.nanos / peak.stored.sum(),
          200 * over.eventsPerSecond() / (peak.eventsPerSecond() + after.eventsPerSecond()),
          200
              * over.eventsPerProcessorSecond()
              / (peak.eventsPerProcessorSecond() + after.eventsPerProcessorSecond()));
      assertTrue(over.stored.sum() > 0 && over.refused.sum() > 0, over.toString());
      assertTrue(over.residentBytes - peak.residentBytes < GROWTH_BYTES_MAX, over.toString());
      assertEquals(0, daemon.stop(20), daemon.output());
    }
  }

  /// @param gapNanos between requests of all senders together; 0 to send after each answer
  private Phase run(ServeProcess daemon, int senders, long gapNanos)
      throws IOException, InterruptedException {
    Phase phase = new Phase();
    double daemonBefore = processorSeconds(Long.toString(daemon.pid()));
    double ownBefore = processorSeconds("self");
    long start = System.nanoTime();
    Thread[] threads = new Thread[senders];
    for (int i = 0; i < senders; i++) {
      threads[i] = Thread.ofPlatform().start(() -> send(daemon, phase, start, gapNanos));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    phase.nanos = System.nanoTime() - start;
    phase.daemonSeconds = processorSeconds(Long.toString(daemon.pid())) - daemonBefore;
    phase.ownSeconds = processorSeconds("self") - ownBefore;
    phase.residentBytes = daemon.memoryBytes("VmHWM");
    return phase;
  }

  private static double processorSeconds(String process) throws IOException {
    String stat = Files.readString(Path.of("/proc", process, "stat"));
    String[] columns = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(columns[11]) + Long.parseLong(columns[12])) / 100.0;
  }

  private void send(ServeProcess daemon, Phase phase, long start, long gapNanos) {
    while (System.nanoTime() - start < PHASE_NANOS) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), daemon.port())) {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(30_000);
        if (gapNanos == 0) {
          inTurn(socket, phase, start);
        } else {
          Thread answers = Thread.ofVirtual().start(() -> readAll(socket, phase));
          whenDue(socket, phase, start, gapNanos);
          socket.shutdownOutput();
          answers.join();
        }
      } catch (IOException cutOff) {
        phase.cutOff.increment();
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
    }
  }

  private void inTurn(Socket socket, Phase phase, long start) throws IOException {
    InputStream in = new BufferedInputStream(socket.getInputStream());
    boolean more = true;
    while (more && System.nanoTime() - start < PHASE_NANOS) {
      phase.sent.incrementAndGet();
      socket.getOutputStream().write(request);
      more = answer(in, phase);
    }
  }

  private void whenDue(Socket socket, Phase phase, long start, long gapNanos) throws IOException {
    while (System.nanoTime() - start < PHASE_NANOS) {
      long due = start + phase.sent.getAndIncrement() * gapNanos;
      Await.pauseNanos(due - System.nanoTime());
      socket.getOutputStream().write(request);
    }
  }

  /// Reads answers until the connection ends, and then ends it for the sender.
  private static void readAll(Socket socket, Phase phase) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (answer(in, phase)) {}
    } catch (IOException ended) {
      phase.ended.increment();
    }
  }

  /// Reads an answer. Returns false when the connection ends with it.
  private static boolean answer(InputStream in, Phase phase) throws IOException {
    int status = 0;
    int length = 0;
    boolean more = true;
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      if (line.startsWith("HTTP/1.1 ")) {
        status = Integer.parseInt(line.substring(9, 12));
      } else if (line.startsWith("content-length: ")) {
        length = Integer.parseInt(line.substring(16));
      }
      more &= !line.equals("connection: close");
    }
    in.skipNBytes(length);
    (status == 200 ? phase.stored : phase.refused).increment();
    assertTrue(status == 200 || status == 503, "status " + status);
    return more;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("cut off");
      }
      line.append((char) next);
    }
    return line.toString().strip();
  }
}
