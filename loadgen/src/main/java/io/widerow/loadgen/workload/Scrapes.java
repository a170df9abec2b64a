package io.widerow.loadgen.workload;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// What exporters send: many metrics with a few series each, a sample of every series at each
/// scrape, as line protocol. A batch holds consecutive series, so all series of a name lie together
/// as they do on an exporter's page.
///
/// - Threads: any; immutable. Each has its own buffer.
public final class Scrapes {
  private static final int LINE_BYTES_MAX = 256;
  private static final int SERIES_PRIME = 7_919;
  private static final int STEP_PRIME = 104_729;
  private static final int VALUES = 100_000;

  private final int names;
  private final int seriesPerName;
  private final byte[][] heads; // of a series' line, up to its value

  /// @param names metrics, 1 or more
  /// @param seriesPerName series of each, 1 or more
  /// @param apart whether each name is a type of its own; else all samples are of the type `sample`
  ///   and have their name in the attribute `metric`
  public Scrapes(int names, int seriesPerName, boolean apart) {
    if (names < 1 || seriesPerName < 1) {
      throw new IllegalArgumentException(
          "--names and --series must be at least 1, got %d and %d".formatted(names, seriesPerName));
    }
    this.names = names;
    this.seriesPerName = seriesPerName;
    this.heads = new byte[Math.multiplyExact(names, seriesPerName)][];
    for (int i = 0; i < heads.length; i++) {
      String name = name(i / seriesPerName);
      String head =
          "%s,instance=10.0.0.%d:9100,job=node,mode=m%d value="
              .formatted(
                  apart ? name : "sample,metric=" + name,
                  i % seriesPerName / 2,
                  i % seriesPerName % 2);
      heads[i] = head.getBytes(StandardCharsets.UTF_8);
    }
  }

  /// Name of a metric, about as long as those of exporters are.
  public String name(int number) {
    return String.format(Locale.ROOT, "node_exporter%02d_metric_%05d_total", number % 40, number);
  }

  public int names() {
    return names;
  }

  public int seriesPerName() {
    return seriesPerName;
  }

  public int series() {
    return heads.length;
  }

  /// A buffer that holds a batch of so many samples.
  public static ByteBuffer buffer(int samples) {
    return ByteBuffer.allocateDirect(samples * LINE_BYTES_MAX);
  }

  /// The samples of consecutive series at one scrape.
  ///
  /// @param into a buffer of [#buffer]; its limit is then the end of the batch, its position 0
  /// @param from the first series
  /// @param until one past the last series
  /// @param step number of the scrape, which decides the values
  /// @param timeNanos of all samples, since the Unix epoch
  public void batch(ByteBuffer into, int from, int until, long step, long timeNanos) {
    byte[] time = (" " + timeNanos + "\n").getBytes(StandardCharsets.UTF_8);
    into.clear();
    for (int i = from; i < until; i++) {
      long value = Math.floorMod(i * (long) SERIES_PRIME + step * STEP_PRIME, VALUES);
      into.put(heads[i]);
      into.put((value / 100 + "." + value % 100).getBytes(StandardCharsets.UTF_8));
      into.put(time);
    }
    into.flip();
  }
}
