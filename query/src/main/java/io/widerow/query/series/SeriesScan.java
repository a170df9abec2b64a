package io.widerow.query.series;

import io.widerow.event.AttributeName;
import io.widerow.event.TimeUuid;
import io.widerow.query.QueryExecution;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Grouping;
import io.widerow.storage.StoreView;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads the series of a selector in a range of time.
///
/// - Threads: one, that of the execution.
public final class SeriesScan {
  private static final long NANOS_PER_MILLISECOND = 1_000_000;
  private static final AttributeName VALUE = AttributeName.of("value");
  private static final AttributeName SCHEMA = AttributeName.of("schema");
  private static final AttributeName SCALE = AttributeName.of("scale");
  private static final AttributeName ZERO_COUNT = AttributeName.of("zero_count");
  private static final AttributeName ZERO_THRESHOLD = AttributeName.of("zero_threshold");

  private SeriesScan() {}

  /// Milliseconds since the Unix epoch; both ends are inside. A range may be empty: its end is
  /// before its start.
  public record Range(long fromMillis, long lastMillis) {
    /// The part of it that another range has, too.
    public Range and(Range other) {
      return new Range(
          Math.max(fromMillis, other.fromMillis), Math.min(lastMillis, other.lastMillis));
    }

    private static long nanos(long millis) {
      long most = TimeUuid.NANOS_LIMIT / NANOS_PER_MILLISECOND;
      return Math.clamp(millis, 0, most) * NANOS_PER_MILLISECOND;
    }

    /// The events of the series of a selector; null when the range is empty.
    @Nullable RangeQuery query(QueryExecution execution, SeriesSelector selector) {
      if (fromNanos() >= untilNanos()) {
        return null;
      }
      RangeQuery bounds = RangeQuery.ALL.withRange(fromNanos(), untilNanos());
      RangeQuery ofTypes = bounds.withFilter(SeriesFilter.types(selector.matchers()));
      return selector.range(bounds, execution.attributeNames(ofTypes));
    }

    long fromNanos() {
      return nanos(fromMillis);
    }

    /// End (exclusive).
    long untilNanos() {
      return lastMillis == Long.MAX_VALUE ? TimeUuid.NANOS_LIMIT : nanos(lastMillis + 1);
    }
  }

  /// True when the range may have native histograms, which no chunk of samples carries: as far as
  /// the store knows which attributes there are.
  public static boolean mayHaveNatives(
      QueryExecution execution, SeriesSelector selector, Range range) {
    RangeQuery query = range.query(execution, selector);
    if (query == null) {
      return false;
    }
    Set<AttributeName> names = execution.attributeNames(query);
    return names != null
        && ((names.contains(SCHEMA) && names.contains(ZERO_THRESHOLD))
            || (names.contains(SCALE) && names.contains(ZERO_COUNT)));
  }

  /// All series of the range.
  ///
  /// @param samples false to leave out their samples
  public static SeriesSet read(
      QueryExecution execution, SeriesSelector selector, Range range, boolean samples) {
    SeriesSet found = new SeriesSet(execution, selector, false);
    RangeQuery query = range.query(execution, selector);
    if (query != null) {
      SeriesTable table = new SeriesTable(execution, selector, found);
      ReadMode mode = samples ? ReadMode.IN_ORDER : ReadMode.ANY_ORDER;
      try (RangeReader reader = execution.open(query, mode)) {
        while (reader.nextWhenReady() == Step.EVENT) {
          if (samples) {
            table.add(reader.event());
          } else {
            table.note(reader.event());
          }
        }
      }
    }
    found.end();
    if (samples) {
      found.dropEmpty();
    }
    return found;
  }

  /// All series with their samples in columns, see [SampledSeries#columns]; samples outside some
  /// ranges may be left out.
  ///
  /// @param ranges ascending and disjoint, at least one
  public static SeriesSet columns(
      QueryExecution execution, SeriesSelector selector, List<Range> ranges) {
    SeriesSet found = new SeriesSet(execution, selector, true);
    Range whole = new Range(ranges.getFirst().fromMillis, ranges.getLast().lastMillis);
    RangeQuery query = whole.query(execution, selector);
    if (query != null) {
      SeriesTable table = new SeriesTable(execution, selector, found);
      List<StoreView.Span> spans =
          ranges.stream()
              .map(each -> new StoreView.Span(each.fromNanos(), each.untilNanos()))
              .toList();
      Grouping runs = Grouping.ofRuns(new Grouping.Runs(VALUE, spans));
      try (RangeReader reader = execution.open(query, ReadMode.grouped(runs))) {
        while (reader.nextWhenReady() == Step.EVENT) {
          table.add(reader.event());
        }
      }
    }
    found.end();
    found.dropEmpty();
    return found;
  }
}
