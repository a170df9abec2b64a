package io.widerow.query.patterns;

import io.widerow.event.AttributeValue;
import io.widerow.query.QueryMemory;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.survey.BudgetedScan;
import io.widerow.query.survey.SkippedDamage;
import io.widerow.query.survey.Survey;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import java.util.List;

/// Counts the patterns of a range within a budget of time, see [BudgetedScan].
///
/// - Threads: one; any thread may call [#cancel].
final class PatternsScan implements Survey {
  private final SkippedDamage damage;
  private final BudgetedScan scan;
  private final PatternsRequest asked;
  private final PatternCounts counts;
  private final AttributeValue line = new AttributeValue();
  private long events;

  /// @param view remains the caller's
  PatternsScan(StoreView view, PatternsRequest asked, QueryMemory memory) {
    this.damage = new SkippedDamage(asked.skipsDamage(), memory);
    this.scan = new BudgetedScan(view, memory, damage);
    this.asked = asked;
    this.counts = new PatternCounts(memory, 0);
  }

  @Override
  public void write(OutputBuffer out) {
    PatternsResult.write(asked, this, out);
  }

  @Override
  public void cancel() {
    scan.cancel();
  }

  /// Reads, and returns how much of the range was read, 0 to 1.
  double run() {
    return scan.read(
        asked.query(),
        System.nanoTime() + asked.budgetNanos(),
        event -> {
          events++;
          if (event.find(asked.field(), line)) {
            counts.add(event, line);
          }
        });
  }

  /// Events that were read.
  long events() {
    return events;
  }

  PatternCounts counts() {
    return counts;
  }

  SkippedDamage damage() {
    return damage;
  }

  @Override
  public List<ScanWatch.Unread> unread() {
    return damage.parts();
  }

  @Override
  public void close() {
    counts.close();
    damage.close();
  }
}
