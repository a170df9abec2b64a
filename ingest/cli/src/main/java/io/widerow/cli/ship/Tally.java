package io.widerow.cli.ship;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// Counts sent records, and reports the first refusals of each kind.
///
/// - Threads: any.
final class Tally {
  private static final int KINDS_MAX = 20;

  private final Console console;
  private final int told;
  private final Map<String, Long> reasons = new LinkedHashMap<>();
  private final long startNanos = System.nanoTime();
  private long accepted;
  private long repeated;
  private long refused;
  private boolean sentAgain;
  private long bytes;

  // At the last line of status.
  private long shownNanos = startNanos;
  private long shownEvents;

  /// @param told the number of reported refusals of each kind
  Tally(Console console, int told) {
    this.console = console;
    this.told = told;
  }

  synchronized long refused() {
    return refused;
  }

  synchronized long events() {
    return accepted + repeated + refused;
  }

  /// Bytes of files that are done with.
  synchronized void passed(long count) {
    bytes += count;
  }

  /// @param all the daemon's response to the batch
  /// @param remedy the retries for it
  synchronized void add(Delivery batch, BatchResponse all, Delivery.Remedy remedy) {
    if (!remedy.again().isEmpty() && !sentAgain && !all.reasons().isEmpty()) {
      sentAgain = true;
      BatchResponse.Refusal first = all.reasons().getFirst();
      console.tell(
          "refused at first: %s (%s); such records are sent again, see ingest/docs/SHIP.md"
              .formatted(first.reason(), batch.place(first.index())));
    }
    BatchResponse answer = remedy.answer();
    accepted += answer.accepted();
    repeated += answer.repeated();
    refused += answer.refused();
    bytes += batch.fileBytes();
    for (BatchResponse.Refusal refusal : answer.reasons()) {
      tell(refusal.reason(), batch.place(refusal.index()));
    }
  }

  /// Counts an event that was not sent, because it is none.
  synchronized void refuse(String reason, String place) {
    refused++;
    tell(reason, place);
  }

  private void tell(String reason, String place) {
    long count = reasons.merge(kind(reason), 1L, Long::sum);
    if (count <= told) {
      String end = count == told ? "; more of this kind are only counted" : "";
      console.tell("refused: %s (%s)%s".formatted(reason, place, end));
    }
  }

  /// Reasons that differ in numbers are of one kind.
  private String kind(String reason) {
    String kind = reason.replaceAll("\\d+", "N");
    return reasons.containsKey(kind) || reasons.size() < KINDS_MAX ? kind : "other reasons";
  }

  /// One line: the progress since the last such line, and the rest.
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

  /// Draws how far an import is.
  ///
  /// ```
  ///   [=========>          ]  45 %  1.2 GB of 2.7 GB  85.3 MB/s  412,000 events/s  18 s left
  /// ```
  private static final class Progress {
    private static final int WIDTH = 20;
    private static final String[] UNITS = {"kB", "MB", "GB", "TB", "PB", "EB"};

    private Progress() {}

    /// Bytes in decimal units, such as `1.2 GB`.
    static String size(long bytes) {
      double value = bytes;
      int unit = -1;
      while (value >= 999.95 && unit + 1 < UNITS.length) {
        value /= 1_000;
        unit++;
      }
      return unit < 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }

    /// @param total 0 when it is not known
    /// @param seconds since the start
    /// @param events a second
    /// @param bytes a second, unpacked
    static String bar(long done, long total, double seconds, double events, double bytes) {
      String rates = String.format(Locale.ROOT, "%s/s  %,.0f events/s", size((long) bytes), events);
      if (total <= 0) {
        return "%s  %s  %d s".formatted(size(done), rates, (long) seconds);
      }
      double share = Math.min(1, (double) done / total);
      int filled = (int) (share * WIDTH);
      String bar =
          "=".repeat(filled) + (filled < WIDTH ? ">" + " ".repeat(WIDTH - 1 - filled) : "");
      long left = share <= 0 ? 0 : (long) Math.ceil(seconds / share - seconds);
      return String.format(
          Locale.ROOT,
          "[%s] %3d %%  %s of %s  %s  %s left",
          bar,
          (int) (100 * share),
          size(done),
          size(total),
          rates,
          left < 120 ? left + " s" : (left + 59) / 60 + " min");
    }
  }
}
