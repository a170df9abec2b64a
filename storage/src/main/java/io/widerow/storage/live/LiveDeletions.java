package io.widerow.storage.live;

import io.widerow.event.AttributeName;
import io.widerow.event.Text;
import io.widerow.event.TypeGlob;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.manifest.Deletion;
import io.widerow.storage.manifest.Deletion.State;
import io.widerow.storage.manifest.DeletionSection;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The deletions of a store, and the events that running deletions hide.
///
/// - Threads: any. The lock of this object orders the changes.
public final class LiveDeletions {
  /// In a test of types every name stands for the type.
  private static final AttributeName TYPE = AttributeName.of("type");

  private final StoreContents contents;
  private volatile DeletionSection section; // replaced under the lock of this
  private volatile @Nullable Filter shown;
  private volatile boolean changing; // a change is on its way to the manifest

  LiveDeletions(StoreContents contents, DeletionSection section) {
    this.contents = contents;
    this.section = section;
    this.shown = shownBy(section);
  }

  /// Changes the deletions by one edit, which may swap segments too. Durable before readers see it;
  /// nothing changes when `change` throws.
  ///
  /// @param written segments that replace others
  /// @param removed the other ones
  public void change(
      UnaryOperator<DeletionSection> change, List<LiveSegment> written, List<LiveSegment> removed) {
    boolean _ = change(change, SegmentReplacement.of(written, removed), () -> true);
  }

  /// The same with files of aggregates.
  ///
  /// @param still asked under the lock of the changes; when false, nothing happens
  /// @return its result
  public synchronized boolean change(
      UnaryOperator<DeletionSection> change, SegmentReplacement swap, BooleanSupplier still) {
    contents.requireWriting();
    DeletionSection next = change.apply(section);
    boolean[] stays = {true};
    changing = true;
    try {
      boolean _ =
          contents.replaced(
              swap,
              () -> {
                stays[0] = still.getAsBoolean();
                return stays[0];
              },
              next.toSections());
      if (!stays[0]) {
        return false;
      }
      shown = shownBy(next);
      section = next;
      return true;
    } finally {
      changing = false;
    }
  }

  /// True while no deletion hides anything and none is about to: aggregates that are computed now
  /// contain no deleted events. When called under the lock of the contents, the result holds until
  /// the lock is released.
  public boolean isQuiet() {
    return shown == null && !changing;
  }

  public DeletionSection section() {
    return section;
  }

  /// The running deletions.
  public List<Deletion> running() {
    return section.deletions().stream().filter(each -> each.state() == State.RUNNING).toList();
  }

  /// The filter of the events that readers may see; null when nothing is hidden.
  public @Nullable Filter shown() {
    return shown;
  }

  private static @Nullable Filter shownBy(DeletionSection section) {
    List<Filter> parts =
        section.deletions().stream()
            .filter(each -> each.state() == State.RUNNING)
            .<Filter>map(each -> new Filter.Not(hiddenBy(each)))
            .toList();
    return parts.isEmpty() ? null : new Filter.And(parts);
  }

  /// Keeps the events to hide. An event that arrives later is shown: a reader that follows would
  /// otherwise have skipped it.
  private static Filter hiddenBy(Deletion deletion) {
    return new Filter.And(
        List.of(filterOf(deletion), new Filter.ArrivedBefore(deletion.arrivedBefore())));
  }

  /// The types of a deletion.
  public static Predicate<String> typesOf(List<String> globs) {
    return type -> globs.isEmpty() || globs.stream().anyMatch(glob -> TypeGlob.matches(glob, type));
  }

  /// Keeps the events that a deletion is about, whenever they arrived: its types, times and filter.
  public static Filter filterOf(Deletion deletion) {
    List<Filter> parts = new ArrayList<>();
    if (!deletion.globs().isEmpty()) {
      parts.add(ofTypes(deletion.globs()));
    }
    if (deletion.fromNanos() != Long.MIN_VALUE) {
      parts.add(new Filter.OfTime(Comparison.GREATER_OR_EQUAL, deletion.fromNanos()));
    }
    if (deletion.untilNanos() != Long.MAX_VALUE) {
      parts.add(new Filter.OfTime(Comparison.LESS, deletion.untilNanos()));
    }
    parts.add(deletion.filter());
    return new Filter.And(parts);
  }

  /// Keeps the events of some types, by name or glob.
  static Filter ofTypes(List<String> globs) {
    return new Filter.OfType(new Filter.Or(globs.stream().map(LiveDeletions::ofType).toList()));
  }

  private static Filter ofType(String glob) {
    return TypeGlob.isExact(glob)
        ? new Filter.Compare(TYPE, Comparison.EQUAL, new Filter.Literal.Word(Text.of(glob)))
        : new Filter.Matches(
            TYPE,
            (memory, offset, length) -> {
              byte[] utf8 = new byte[length];
              for (int i = 0; i < length; i++) {
                utf8[i] = memory.get(ValueLayout.JAVA_BYTE, offset + i);
              }
              return TypeGlob.matches(glob, new String(utf8, StandardCharsets.UTF_8));
            });
  }
}
