package io.widerow.query.survey;

import io.widerow.query.HeldMemory;
import io.widerow.query.QueryMemory;
import io.widerow.query.ReadMode;
import io.widerow.storage.ScanWatch;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Damaged parts of the store that a survey skips, each once, however many of its reads have met
/// it; or none, when damage ends the survey.
///
/// - Threads: one.
/// - Memory: a record of each part, counted in [QueryMemory] until [#close].
public final class SkippedDamage implements AutoCloseable {
  private final boolean passesOver;
  private final HeldMemory held;
  private final Set<ScanWatch.Unread> parts = new LinkedHashSet<>();

  /// @param passesOver false when damage ends the survey
  public SkippedDamage(boolean passesOver, QueryMemory memory) {
    this.passesOver = passesOver;
    this.held = new HeldMemory(memory);
  }

  /// The mode in which a survey reads: in any order.
  ReadMode mode() {
    return ReadMode.ANY_ORDER.withDamageSkipped(passesOver);
  }

  /// A watch for a scan of the survey, which passes over damage when the survey does.
  public ScanWatch watch() {
    ScanWatch watch = new ScanWatch(() -> {});
    if (passesOver) {
      watch.passOverDamage();
    }
    return watch;
  }

  /// Adds skipped parts.
  public void add(List<ScanWatch.Unread> unread) {
    for (ScanWatch.Unread part : unread) {
      if (parts.add(part)) {
        held.accept(ScanWatch.UNREAD_BYTES);
      }
    }
  }

  /// The damaged parts that the survey lacks, in the order in which they were found.
  public List<ScanWatch.Unread> parts() {
    return List.copyOf(parts);
  }

  @Override
  public void close() {
    held.close();
  }
}
