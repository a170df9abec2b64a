package io.widerow.ingest.receive.fluent;

import static io.widerow.ingest.receive.fluent.FluentMessages.pack;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.receive.fluent.FluentMessages.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.msgpack.core.MessageInsufficientBufferException;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

/// Goal: a chunk that was acknowledged is there after `kill -9`, and one that was not and is sent
/// again is there once. Method: a daemon as a process that is killed at random moments, and a
/// sender that sends everything again that was not acknowledged. `-Dseed=<n>` repeats the times of
/// a run.
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("process")
class FluentKillTest {
  private static final int KILLS = 6;
  private static final int CHUNKS_A_ROUND = 40;
  private static final Pattern ADDRESS = Pattern.compile("fluent on /127\\.0\\.0\\.1:(\\d+)");
  private static final Pattern BODY = Pattern.compile("\"body\":\"([^\"]*)\"");

  @TempDir private Path directory = Path.of(".");

  private final long seed = Seeds.one();
  private final Map<String, Integer> acknowledged = new TreeMap<>();
  private final TreeSet<Integer> open = new TreeSet<>(); // chunks that are not acknowledged

  private static byte[] chunk(int number) {
    List<List<Object>> entries = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String text = "event-%d-%d".formatted(number, i);
      entries.add(List.of(new Time(1_700_000_000L + number, i), Map.of("message", text)));
    }
    return pack(List.of("app", entries, Map.of("size", 3, "chunk", "c" + number)));
  }

  private ServeProcess start(QuickJvm jvm) throws IOException {
    String[] arguments =
        Stream.concat(Stream.of(ServeProcess.small(0)), Stream.of("--set", "fluent=127.0.0.1:0"))
            .toArray(String[]::new);
    return ServeProcess.start(jvm, directory.resolve("d"), arguments);
  }

  /// Sends all open chunks, and reads acknowledgements until it has all, or the daemon is gone.
  private void send(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        MessageUnpacker in = MessagePack.newDefaultUnpacker(socket.getInputStream())) {
      List<Integer> sent = List.copyOf(open);
      for (int number : sent) {
        socket.getOutputStream().write(chunk(number));
      }
      for (int number : sent) {
        assertEquals(1, in.unpackMapHeader());
        assertEquals("ack", in.unpackString());
        assertEquals("c" + number, in.unpackString());
        acknowledged.merge("c" + number, 1, Integer::sum);
        open.remove(number);
      }
    } catch (IOException | MessageInsufficientBufferException killed) { // reset, or at its end
      assertTrue(!open.isEmpty(), "all was acknowledged");
    }
  }

  @Test
  void everyChunkIsThereOnce() throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    QuickJvm jvm = QuickJvm.shared();
    int chunks = 0;
    int interrupted = 0;
    for (int round = 0; round <= KILLS; round++) {
      try (ServeProcess daemon = start(jvm)) {
        Matcher address = ADDRESS.matcher(daemon.output());
        assertTrue(address.find(), daemon.output());
        int port = Integer.parseInt(address.group(1));
        send(port);
        assertEquals(List.of(), List.copyOf(open), "seed " + seed);
        if (round == KILLS) {
          check(daemon, chunks);
          continue;
        }
        Thread killer = killer(daemon, random.nextLong(1, 60));
        while (daemon.isAlive()) {
          for (int i = 0; i < CHUNKS_A_ROUND; i++) {
            open.add(chunks++);
          }
          send(port);
        }
        killer.join();
        interrupted += open.isEmpty() ? 0 : 1;
      }
    }
    System.out.printf(
        "seed %d: %d kills, %d of them with chunks in progress; %d chunks, lost 0, twice 0%n",
        seed, KILLS, interrupted, chunks);
    assertTrue(interrupted > 0, "no kill came at a moment of work, seed " + seed);
  }

  private static Thread killer(ServeProcess daemon, long millis) {
    return Thread.ofPlatform()
        .start(() -> {
          Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(millis));
          try {
            daemon.kill();
          } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private void check(ServeProcess daemon, int chunks) throws IOException, InterruptedException {
    assertEquals(chunks, acknowledged.size(), "seed " + seed);
    Map<String, Integer> found = new TreeMap<>();
    Matcher body = BODY.matcher(daemon.get("/v1/query?type=app&limit=1000000").body());
    while (body.find()) {
      found.merge(body.group(1), 1, Integer::sum);
    }
    Map<String, Integer> expected = new TreeMap<>();
    for (int number = 0; number < chunks; number++) {
      for (int i = 0; i < 3; i++) {
        expected.put("event-%d-%d".formatted(number, i), 1);
      }
    }
    assertEquals(expected, found, "seed " + seed);
  }
}
