package io.widerow.ingest.serve.prometheus;

import io.widerow.query.series.Labels;
import io.widerow.query.series.SampledSeries;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The sizes of messages of remote read, which precede the messages.
final class WireSize {
  private static final int SAMPLE_FIXED = 2 + 9 + 1; // tag and length, value, tag of the time

  private WireSize() {}

  static int varint(long value) {
    return (Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(value)) + 6) / 7;
  }

  /// A field of a message or a text, whose number is below 16.
  static long field(long bytes) {
    return 1 + varint(bytes) + bytes;
  }

  static int utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /// A label without its tag and length.
  static long label(Labels.Label label) {
    return field(utf8(label.name())) + field(utf8(label.value()));
  }

  static long labels(Labels labels) {
    long bytes = 0;
    for (Labels.Label label : labels.all()) {
      bytes += field(label(label));
    }
    return bytes;
  }

  /// A series with its samples, without its tag and length.
  static long series(SampledSeries series) {
    long bytes = labels(series.labels());
    for (SampledSeries.Chunk chunk : series.chunks()) {
      bytes += chunk(chunk);
    }
    for (SampledSeries.Native histogram : series.natives()) {
      bytes += field(histogram.message().length);
    }
    return bytes;
  }

  private static long chunk(SampledSeries.Chunk chunk) {
    int least = varint(chunk.firstMillis());
    int most = varint(chunk.lastMillis());
    long bytes = (long) chunk.samples() * (SAMPLE_FIXED + least);
    for (int longer = least + 1; longer <= most; longer++) {
      bytes += chunk.notBefore(1L << (7 * (longer - 1)));
    }
    return bytes;
  }

  /// The result of a query, without its tag and length.
  static long result(List<SampledSeries> all) {
    long bytes = 0;
    for (SampledSeries series : all) {
      bytes += field(series(series));
    }
    return bytes;
  }
}
