package io.widerow.storage.aggregate;

import io.widerow.event.AttributeName;
import io.widerow.event.PartitionKey;
import io.widerow.event.TypeGlob;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupRequest;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Filters;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.cursor.ChainCursor;
import io.widerow.storage.cursor.LazyCursor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Chooses for each type the rollup that can serve a query: the rollup with the fewest cells.
///
/// - Threads: any; immutable.
public final class RollupChoice {
  private static final Comparator<RollupDefinition> FEWEST_CELLS =
      Comparator.comparingInt((RollupDefinition rollup) -> rollup.shape().by().size())
          .thenComparing(rollup -> rollup.shape().minutes(), Comparator.reverseOrder())
          .thenComparing(RollupDefinition::name);

  private final List<RollupDefinition> defined;
  private final RollupRequest question;

  public RollupChoice(List<RollupDefinition> defined, RollupRequest question) {
    this.defined = defined;
    this.question = question;
  }

  /// The rollup that can serve the query for a type; null when there is none.
  public @Nullable RollupDefinition of(String type, Filter filter) {
    Filter decided = Filters.ofType(filter, type);
    if (!Filters.isOfAttributes(decided)) {
      return null;
    }
    Set<AttributeName> columns = Filters.groupColumns(decided);
    return columns == null
        ? null
        : defined.stream()
            .filter(rollup ->
                TypeGlob.matches(rollup.glob(), type) && rollup.shape().answers(question, columns))
            .min(FEWEST_CELLS)
            .orElse(null);
  }

  /// The time for which usable aggregates of a type's events are kept, in nanoseconds from the end
  /// of their bucket on; 0 when none are kept beyond their events.
  public long keepNanos(String type, Filter filter) {
    Filter decided = Filters.ofType(filter, type);
    if (question.isOfMinutes() && decided instanceof Filter.Everything) {
      return RollupDefinition.keepNanos(defined, type);
    }
    if (!Filters.isOfAttributes(decided)) {
      return 0;
    }
    Set<AttributeName> columns = Filters.groupColumns(decided);
    return columns == null
        ? 0
        : RollupDefinition.keepNanos(
            defined.stream().filter(rollup -> rollup.shape().answers(question, columns)).toList(),
            type);
  }

  RollupRequest question() {
    return question;
  }

  /// The values of groups that the filter of a served query examines.
  static Set<AttributeName> columns(Filter filter) {
    return Objects.requireNonNull(Filters.groupColumns(filter), "no rollup answers the filter");
  }

  /// A cursor over partitions of a view: each type from the rollup that was chosen for it, or from
  /// its events.
  ///
  /// @param keys partitions that are kept
  public EventCursor open(CellView view, List<PartitionKey> keys, Scan scan) {
    Map<String, List<PartitionKey>> byType = CellCount.byType(keys);
    var readers = new MinuteCells.Readers(view.readers().deadline(), byType.size() > 1);
    Grouping steps = new Grouping(List.of(), question.stepNanos());
    List<EventCursor> types = new ArrayList<>();
    byType.forEach((type, partitions) -> {
      if (question.isOfMinutes()
          && Filters.ofType(scan.filter(), type) instanceof Filter.Everything) {
        var source = new MinuteCells(type, scan, steps, question.bytes(), readers);
        types.add(CellCount.lazily(view, partitions, scan, source));
        return;
      }
      RollupDefinition rollup = of(type, scan.filter());
      if (rollup == null) {
        types.add(new LazyCursor(scan.from(), () -> view.unordered(partitions, scan)));
      } else {
        scan.watch().answeredBy(rollup.name());
        Filter filter = Filters.ofType(scan.filter(), type);
        types.add(
            CellCount.lazily(
                view,
                partitions,
                scan,
                new GroupCellSource(
                    type,
                    scan,
                    filter,
                    question,
                    columns(filter),
                    rollup.shape().minutes(),
                    view.readers().deadline())));
      }
    });
    return new ChainCursor(types);
  }
}
