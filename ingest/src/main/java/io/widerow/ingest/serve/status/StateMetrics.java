package io.widerow.ingest.serve.status;

import io.widerow.ingest.doctor.Finding;
import io.widerow.storage.StoreStatistics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The metrics of build, disk, store and findings, made anew for each scrape from one look.
final class StateMetrics {
  private final StringBuilder text;

  private StateMetrics(StringBuilder text) {
    this.text = text;
  }

  /// @param usableBytes free bytes of the store's file system
  /// @param reserveBytes free bytes below which events are refused
  static void append(
      StringBuilder text,
      StoreStatistics store,
      List<Finding> findings,
      long usableBytes,
      long reserveBytes) {
    var lines = new StateMetrics(text);
    lines.head("widerow_build_info", "gauge", "1, with the version in the labels.");
    lines.line(
        "widerow_build_info{version=\"%s\",commit=\"%s\",java=\"%s\"}"
            .formatted(BuildVersion.value(), BuildVersion.commit(), Runtime.version()),
        1);
    lines.gauge("widerow_disk_usable_bytes", "Free space of the store's file system.", usableBytes);
    lines.gauge(
        "widerow_disk_reserve_bytes", "Free space below which events are refused.", reserveBytes);
    lines.gauge("widerow_store_open_events", "Events in open rows.", store.openEvents());
    lines.gauge("widerow_store_open_bytes", "Native memory of open rows.", store.openBytes());
    lines.gauge("widerow_store_segments", "Segment files.", store.segments());
    lines.gauge("widerow_store_segment_events", "Events in segments.", store.segmentEvents());
    lines.gauge("widerow_store_segment_bytes", "Bytes of segments.", store.segmentBytes());
    lines.gauge("widerow_store_journal_bytes", "Bytes of journal files.", store.journalBytes());
    lines.counter(
        "widerow_store_journal_written_bytes_total",
        "Bytes written to the journal.",
        store.journalBytesWritten());
    lines.counter(
        "widerow_store_segment_written_bytes_total",
        "Bytes written to segments, merges included.",
        store.segmentBytesWritten());
    lines.counter("widerow_store_sealed_total", "Open rows sealed (flushed).", store.sealed());
    lines.counter("widerow_store_merged_total", "Merges (compactions).", store.merged());
    lines.findings(findings);
  }

  private void findings(List<Finding> findings) {
    Map<String, Integer> counts = new TreeMap<>();
    for (Finding finding : findings) {
      counts.merge(
          "code=\"%s\",severity=\"%s\"".formatted(finding.code(), finding.severity().text()),
          1,
          Integer::sum);
    }
    head("widerow_findings", "gauge", "Findings of the doctor, by code and severity.");
    counts.forEach((labels, count) -> line("widerow_findings{" + labels + "}", count));
  }

  private void gauge(String name, String help, long value) {
    head(name, "gauge", help);
    line(name, value);
  }

  private void counter(String name, String help, long value) {
    head(name, "counter", help);
    line(name, value);
  }

  private void head(String name, String type, String help) {
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  private void line(String name, long value) {
    text.append(name).append(' ').append(value).append('\n');
  }
}
