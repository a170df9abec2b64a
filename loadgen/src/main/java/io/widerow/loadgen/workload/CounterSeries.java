package io.widerow.loadgen.workload;

import io.widerow.loadgen.format.SnappyBlock;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/// Counters as a Prometheus sends them: `hits_total` of many instances and paths, by remote write
/// 1.0. Each begins again now and then.
///
/// - Threads: one.
public final class CounterSeries {
  /// The name of the metric.
  public static final String NAME = "hits_total";

  private static final int PATHS = 20;
  private static final int VARINT = 0;
  private static final int FIXED = 1;
  private static final int BYTES = 2;
  private static final double RESETS = 1e-4; // a sample
  private static final int HITS_MAX = 200; // between two samples

  private final byte[][] labels; // by series, as fields of its message
  private final double[] values;
  private final SplittableRandom random = new SplittableRandom(1);

  /// @param series how many
  public CounterSeries(int series) {
    labels = new byte[series][];
    values = new double[series];
    for (int i = 0; i < series; i++) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      label(all, "__name__", NAME);
      label(all, "code", i % 10 == 0 ? "500" : "200");
      label(all, "instance", "10.0.%d.%d:9100".formatted(i / PATHS / 250, i / PATHS % 250));
      label(all, "job", "api");
      label(all, "path", "/v1/path-" + i % PATHS);
      labels[i] = all.toByteArray();
      values[i] = i;
    }
  }

  /// The next samples of all series: a body of a request.
  ///
  /// @param count samples of each
  public byte[] next(long fromMillis, long everyMillis, int count) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    for (int i = 0; i < labels.length; i++) {
      ByteArrayOutputStream series = new ByteArrayOutputStream();
      series.writeBytes(labels[i]);
      for (int sample = 0; sample < count; sample++) {
        boolean resets = random.nextDouble() < RESETS;
        values[i] = (resets ? 0 : values[i]) + random.nextInt(HITS_MAX);
        field(series, 2, sample(values[i], fromMillis + sample * everyMillis));
      }
      field(request, 1, series.toByteArray());
    }
    return SnappyBlock.compress(request.toByteArray(), new int[0], new int[0]).bytes();
  }

  private static byte[] sample(double value, long millis) {
    ByteArrayOutputStream sample = new ByteArrayOutputStream();
    sample.write((1 << 3) | FIXED);
    sample.writeBytes(
        ByteBuffer.allocate(Double.BYTES).order(ByteOrder.LITTLE_ENDIAN).putDouble(value).array());
    sample.write((2 << 3) | VARINT);
    varint(sample, millis);
    return sample.toByteArray();
  }

  private static void label(ByteArrayOutputStream to, String name, String value) {
    ByteArrayOutputStream label = new ByteArrayOutputStream();
    field(label, 1, name.getBytes(StandardCharsets.UTF_8));
    field(label, 2, value.getBytes(StandardCharsets.UTF_8));
    field(to, 1, label.toByteArray());
  }

  private static void field(ByteArrayOutputStream to, int number, byte[] content) {
    to.write((number << 3) | BYTES);
    varint(to, content.length);
    to.writeBytes(content);
  }

  private static void varint(ByteArrayOutputStream to, long number) {
    long rest = number;
    while (rest >= 0x80) {
      to.write((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    to.write((int) rest);
  }
}
