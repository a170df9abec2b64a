package io.widerow.ingest.receive.loki;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.xerial.snappy.Snappy;

/// What does the level of each line cost a push? The whole path of a body in turn with detection
/// and without: decompressed, decoded, written to the journal and to an open row, sealed. Without
/// HTTP and without forcing the disk, which cost the same in both. Prints processor time of the
/// thread for an event, and the median of the ratios of pairs, which other load on the machine
/// hardly changes.
///
/// ```
/// java -cp ... io.widerow.ingest.receive.loki.LokiPushCost loadgen/logs [pairs]
/// ```
final class LokiPushCost {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long START = 1_760_000_400_000_000_000L;
  private static final int LINES = 1_000; // of a push
  private static final int PUSHES = 60;
  private static final int PAIRS = 25;

  private final List<String> lines;
  private final Path directory;
  private int stores;

  private LokiPushCost(List<String> lines, Path directory) {
    this.lines = lines;
    this.directory = directory;
  }

  public static void main(String[] args) throws IOException {
    int pairs = args.length > 1 ? Integer.parseInt(args[1]) : PAIRS;
    for (String file : List.of("apache_access.log", "kafka_broker.log")) {
      List<String> lines = Files.readAllLines(Path.of(args[0], file));
      new LokiPushCost(lines, Files.createTempDirectory("push")).measure(file, pairs);
    }
  }

  private void measure(String name, int pairs) throws IOException {
    double[] plain = new double[pairs];
    double[] detected = new double[pairs];
    double[] ratios = new double[pairs];
    for (int pair = -pairs / 2; pair < pairs; pair++) { // the first ones warm up
      boolean plainFirst = pair % 2 == 0;
      double one = cost(!plainFirst);
      double other = cost(plainFirst);
      if (pair >= 0) {
        plain[pair] = plainFirst ? one : other;
        detected[pair] = plainFirst ? other : one;
        ratios[pair] = detected[pair] / plain[pair];
      }
    }
    Arrays.sort(plain);
    Arrays.sort(detected);
    Arrays.sort(ratios);
    System.out.printf(
        Locale.ROOT,
        "%s: %.0f ns an event without levels, %.0f ns with, ratio %.3f (quarter to quarter %.3f to"
            + " %.3f, %d pairs)%n",
        name,
        plain[pairs / 2],
        detected[pairs / 2],
        ratios[pairs / 2],
        ratios[pairs / 4],
        ratios[pairs * 3 / 4],
        pairs);
  }

  private byte[] push(int number) throws IOException {
    byte[][] entries = new byte[LINES][];
    for (int i = 0; i < LINES; i++) {
      int line = number * LINES + i;
      entries[i] = LokiMessages.entry(START + line * 1_000_123L, lines.get(line % lines.size()));
    }
    return Snappy.compress(LokiMessages.stream("{app=\"shop\",env=\"prod\",pod=\"p-1\"}", entries));
  }

  /// Nanoseconds of processor time for an event.
  private double cost(boolean levels) throws IOException {
    byte[][] pushes = new byte[PUSHES][];
    for (int i = 0; i < PUSHES; i++) {
      pushes[i] = push(i);
    }
    StoreConfig config =
        StoreConfig.at(directory.resolve("s" + stores++)).withJournal(8 << 20, 64 << 20);
    long took = 0;
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
        EventBatch events = new EventBatch(4 << 20, 64 << 20)) {
      long start = THREADS.getCurrentThreadCpuTime();
      for (byte[] push : pushes) {
        byte[] body = Snappy.uncompress(push);
        events.clear();
        IncomingBatch batch = new IncomingBatch(events, START);
        batch.equalBodiesAreRetries();
        new LokiProtobufDecoder(null, levels).decode(body, body.length, batch);
        store
            .lane(0)
            .append(
                events,
                0,
                (index, why) -> {
                  throw new IllegalStateException(index + ": " + why);
                });
        store.lane(0).commit(Durability.MEMORY);
      }
      store.sealAll();
      took = THREADS.getCurrentThreadCpuTime() - start;
    } catch (ProtobufReader.Bad bad) {
      throw new IllegalStateException(bad.reason(), bad);
    }
    return (double) took / (PUSHES * LINES);
  }
}
