package io.widerow.storage.cassandra.read;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/// Counts the requests of a view to the cluster, for `--explain`.
///
/// - Threads: any.
final class ReadCounts {
  /// The kind of a request.
  enum Kind {
    CATALOG,
    DIRECTORY,
    VALUE,
    VALUE_AT_QUORUM
  }

  private final Map<Kind, LongAdder> requests =
      Arrays.stream(Kind.values())
          .collect(Collectors.toUnmodifiableMap(k -> k, _ -> new LongAdder()));
  private final LongAdder repeats = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder waits = new LongAdder();
  private final LongAdder waitNanos = new LongAdder();

  void request(Kind kind) {
    Objects.requireNonNull(requests.get(kind)).increment();
  }

  /// One of the requests was made again.
  void repeat() {
    repeats.increment();
  }

  /// A value came.
  void value(int valueBytes) {
    bytes.add(valueBytes);
  }

  /// Counts a time in which the reader waited for a response.
  void waited(long nanos) {
    waits.increment();
    waitNanos.add(nanos);
  }

  private long of(Kind kind) {
    return Objects.requireNonNull(requests.get(kind)).sum();
  }

  /// For people.
  List<String> lines() {
    return List.of(
        ("cluster: %d requests for values, %d of them at quorum, %d for directories,"
                + " %d for the catalog; %d repeated")
            .formatted(
                of(Kind.VALUE) + of(Kind.VALUE_AT_QUORUM),
                of(Kind.VALUE_AT_QUORUM),
                of(Kind.DIRECTORY),
                of(Kind.CATALOG),
                repeats.sum()),
        "cluster: %d bytes of values; waited %d times, %d ms"
            .formatted(bytes.sum(), waits.sum(), waitNanos.sum() / 1_000_000));
  }
}
