package io.widerow.ingest.serve.status;

import io.widerow.ingest.doctor.Finding;
import io.widerow.storage.BuildVersion;
import io.widerow.storage.StoreStatistics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The metrics of build, disk, store and findings.
final class StateMetrics {
  private StateMetrics() {}

  /// @param usableBytes free bytes of the store's file system
  /// @param reserveBytes free bytes below which events are refused
  static void append(
      MetricText text,
      StoreStatistics store,
      List<Finding> findings,
      long usableBytes,
      long reserveBytes) {
    text.head("widerow_build_info", "gauge", "1, with the version in the labels.");
    text.line(
        "widerow_build_info{version=\"%s\",commit=\"%s\",java=\"%s\"}"
            .formatted(BuildVersion.value(), BuildVersion.commit(), Runtime.version()),
        1);
    text.gauge("widerow_disk_usable_bytes", "Free space of the store's file system.", usableBytes);
    text.gauge(
        "widerow_disk_reserve_bytes", "Free space below which events are refused.", reserveBytes);
    text.gauge("widerow_store_open_events", "Events in open rows.", store.openEvents());
    text.gauge("widerow_store_open_bytes", "Native memory of open rows.", store.openBytes());
    text.gauge("widerow_store_segments", "Segment files.", store.segments());
    text.gauge("widerow_store_segment_events", "Events in segments.", store.segmentEvents());
    text.gauge("widerow_store_segment_bytes", "Bytes of segments.", store.segmentBytes());
    text.gauge("widerow_store_journal_bytes", "Bytes of journal files.", store.journalBytes());
    text.counter(
        "widerow_store_journal_written_bytes_total",
        "Bytes written to the journal.",
        store.journalBytesWritten());
    text.counter(
        "widerow_store_segment_written_bytes_total",
        "Bytes written to segments, merges included.",
        store.segmentBytesWritten());
    text.counter("widerow_store_sealed_total", "Open rows sealed (flushed).", store.sealed());
    text.counter("widerow_store_merged_total", "Merges (compactions).", store.merged());
    Map<String, Integer> counts = new TreeMap<>();
    for (Finding finding : findings) {
      counts.merge(
          "code=\"%s\",severity=\"%s\"".formatted(finding.code(), finding.severity().text()),
          1,
          Integer::sum);
    }
    text.head("widerow_findings", "gauge", "Findings of the doctor, by code and severity.");
    counts.forEach((labels, count) -> text.line("widerow_findings{" + labels + "}", count));
  }
}
