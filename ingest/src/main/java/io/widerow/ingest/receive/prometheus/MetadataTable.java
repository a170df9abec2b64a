package io.widerow.ingest.receive.prometheus;

import io.widerow.ingest.series.MetricDescription;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;

/// The descriptions of metrics that senders gave: a few for each name, the newest last. When there
/// are too many, those of the metrics that came first go.
///
/// - Threads: any. A decoder that knows a fingerprint takes no lock.
/// - Memory: up to [#HEAP_BYTES_MAX], and 256 KiB of fingerprints.
final class MetadataTable {
  static final int PER_METRIC_MAX = 4; // programs of several versions describe a metric in turn
  static final long HEAP_BYTES_MAX = 16 << 20;
  private static final int NAME_HEAP_BYTES = 200; // of an entry, besides its text
  private static final int FINGERPRINTS = 1 << 15;

  private final ReentrantLock lock = new ReentrantLock();
  private final MetadataFile file;
  private final AtomicLongArray fingerprints = new AtomicLongArray(FINGERPRINTS);
  private final LinkedHashMap<String, List<MetricDescription>> metrics = new LinkedHashMap<>();
  private long heapBytes;
  private boolean changed; // since the file was written

  /// A description of one metric.
  ///
  /// @param fingerprint of all of it
  record Named(long fingerprint, String name, MetricDescription description) {}

  /// A table with what the file has, if there is one.
  ///
  /// @param directory in which the file is kept
  MetadataTable(Path directory) {
    file = new MetadataFile(directory);
    file.read(this::add);
    changed = false;
  }

  /// Whether a description is in the table, to all appearances.
  boolean knows(long fingerprint) {
    return fingerprints.getOpaque(place(fingerprint)) == fingerprint;
  }

  private static int place(long fingerprint) {
    return (int) (fingerprint >>> 32) & (FINGERPRINTS - 1);
  }

  /// Adds descriptions. When this returns they are durable.
  ///
  /// @throws IOException when the file cannot be written; they are in the table nevertheless
  void keep(Collection<Named> named) throws IOException {
    lock.lock();
    try {
      for (Named each : named) {
        add(each.name, each.description);
      }
      if (changed) {
        file.write(metrics);
        changed = false;
      }
      for (Named each : named) { // now others may rely on it
        List<MetricDescription> there = metrics.get(each.name);
        if (there != null && there.contains(each.description)) {
          fingerprints.setOpaque(place(each.fingerprint), each.fingerprint);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void add(String name, MetricDescription description) {
    List<MetricDescription> there = metrics.get(name);
    if (there == null) {
      there = new ArrayList<>(1);
      metrics.put(name, there);
      heapBytes += NAME_HEAP_BYTES + name.length();
    }
    if (there.contains(description)) {
      return;
    }
    there.add(description);
    heapBytes += description.heapBytes();
    if (there.size() > PER_METRIC_MAX) {
      heapBytes -= there.removeFirst().heapBytes();
      forgetFingerprints();
    }
    changed = true;
    while (heapBytes > HEAP_BYTES_MAX) {
      Map.Entry<String, List<MetricDescription>> first = metrics.pollFirstEntry();
      heapBytes -= NAME_HEAP_BYTES + first.getKey().length();
      first.getValue().forEach(gone -> heapBytes -= gone.heapBytes());
      forgetFingerprints();
    }
  }

  private void forgetFingerprints() {
    for (int i = 0; i < FINGERPRINTS; i++) {
      fingerprints.setOpaque(i, 0);
    }
  }

  /// The descriptions of all metrics, sorted by name; of each the newest first.
  ///
  /// @param metric one name only; empty for all
  Map<String, List<MetricDescription>> copy(String metric) {
    Map<String, List<MetricDescription>> copy = new TreeMap<>();
    lock.lock();
    try {
      if (metric.isEmpty()) {
        metrics.forEach((name, all) -> copy.put(name, List.copyOf(all.reversed())));
      } else if (metrics.containsKey(metric)) {
        copy.put(metric, List.copyOf(metrics.get(metric).reversed()));
      }
    } finally {
      lock.unlock();
    }
    return copy;
  }
}
