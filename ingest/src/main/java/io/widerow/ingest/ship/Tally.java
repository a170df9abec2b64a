package io.widerow.ingest.ship;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// Counts what was sent, and tells each kind of refusal once.
///
/// - Threads: any.
final class Tally {
  private static final int KINDS_MAX = 20;

  private final Console console;
  private final Map<String, Long> reasons = new LinkedHashMap<>();
  private final long startNanos = System.nanoTime();
  private long accepted;
  private long repeated;
  private long refused;
  private long bytes;

  // At the last line of status.
  private long shownNanos = startNanos;
  private long shownEvents;

  Tally(Console console) {
    this.console = console;
  }

  synchronized long refused() {
    return refused;
  }

  synchronized long accepted() {
    return accepted;
  }

  synchronized long events() {
    return accepted + repeated + refused;
  }

  /// Bytes of files that are done with.
  synchronized void passed(long count) {
    bytes += count;
  }

  synchronized void add(Batch batch, Answer answer) {
    accepted += answer.accepted();
    repeated += answer.repeated();
    refused += answer.refused();
    bytes += batch.until - batch.from;
    for (Answer.Refusal refusal : answer.reasons()) {
      String kind = kind(refusal.reason());
      if (reasons.merge(kind, 1L, Long::sum) == 1) {
        console.tell(
            "refused: %s (record %d after byte %d of %s); more of this kind are only counted"
                .formatted(refusal.reason(), refusal.index() + 1, batch.from, batch.source));
      }
    }
  }

  /// Reasons that differ in numbers are of one kind.
  private String kind(String reason) {
    String kind = reason.replaceAll("\\d+", "N");
    return reasons.containsKey(kind) || reasons.size() < KINDS_MAX ? kind : "other reasons";
  }

  /// One line: what was done since the last such line, and what is left.
  ///
  /// @param behindBytes bytes of files that are not acknowledged
  synchronized String status(int files, long behindBytes) {
    long now = System.nanoTime();
    double seconds = Math.max(1e-3, (now - shownNanos) / 1e9);
    double rate = (events() - shownEvents) / seconds;
    shownNanos = now;
    shownEvents = events();
    return String.format(
        Locale.ROOT,
        "%,d files, %,d events sent (%,.0f/s), %,d refused, %s left",
        files,
        events(),
        rate,
        refused,
        Progress.size(behindBytes));
  }

  /// One line: all of it.
  synchronized String summary() {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    String text =
        String.format(
            Locale.ROOT,
            "%,d events stored, %,d repeated, %,d refused; %s in %.1f s, %,.0f events/s, %s/s",
            accepted,
            repeated,
            refused,
            Progress.size(bytes),
            seconds,
            events() / seconds,
            Progress.size((long) (bytes / seconds)));
    StringBuilder all = new StringBuilder(text);
    reasons.forEach((kind, count) -> all.append("; refused %,d: %s".formatted(count, kind)));
    return all.toString();
  }

  /// The bar of an import.
  ///
  /// @param doneBytes of `totalBytes`; the total is 0 when it is not known
  synchronized String bar(long doneBytes, long totalBytes) {
    double seconds = Math.max(1e-3, (System.nanoTime() - startNanos) / 1e9);
    return Progress.bar(doneBytes, totalBytes, seconds, events() / seconds, bytes / seconds);
  }
}
