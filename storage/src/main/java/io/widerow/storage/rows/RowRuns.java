package io.widerow.storage.rows;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.RecordTemplate;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import io.widerow.event.WrappedEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.Filters;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView.Span;
import io.widerow.storage.sketch.EventColumns;
import io.widerow.storage.sketch.EventRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Cursor over one run of an open row that shows runs of events, see [Grouping.Runs]: of a piece of
/// the entries at a time. Most records of samples differ from one seen before in one number only,
/// and mostly from the one that came next last time. For these nothing else is looked at, and the
/// filter is evaluated once.
///
/// ```
///   entries     hits a=1 9.0 | hits a=2 7.0 | hits a=1 9.5 | hits a=2 7.1      a piece
///   known       A              B              A              B                 A, then B, then A
///   shown       A: 9.0 9.5     B: 7.0 7.1
/// ```
///
/// Events that no record is known for are shown one by one, after the runs of their piece.
///
/// - Threads: one.
/// - Memory: known records up to [#KNOWN_BYTES_MAX] in all; a piece. Borrows the rows' memory.
final class RowRuns implements EventCursor {
  private static final int PIECE = ScanWatch.EVENTS_BETWEEN;
  private static final long KNOWN_BYTES_MAX = 16 << 20;
  private static final int KNOWN_BYTES = 200; // of the objects of a known record
  private static final int TEXT_BYTES_MAX = 1 << 10;
  private static final int ALIKE_MAX = 8; // known records whose texts have one hash

  private final RunCursor.Entries of;
  private final AttributeName value;
  private final Filter filter;
  private final boolean ofEach; // whether the filter depends on more than equal attributes
  private final ScanWatch watch;
  private final int[] spans; // entries [from, until) of each, in pairs
  private final RecordView view = new RecordView();
  private final AttributeValue scratch = new AttributeValue();
  private final Map<Long, Known> table = new HashMap<>();
  private @Nullable Known last;
  private long heldBytes;
  private int span;
  private int next;

  // The piece.
  private final Known[] owners = new Known[PIECE];
  private final int[] owned = new int[PIECE]; // entries
  private final int[] singles = new int[PIECE]; // entries
  private final List<Known> met = new ArrayList<>();
  private EventColumns columns = EventColumns.of(0);
  private int showing; // of those met, then of the singles
  private int singleCount;
  private final Shown shown = new Shown();
  private EventView event = view;
  private long scanned;
  private long kept;

  /// A record that others fit.
  private static final class Known {
    private final RecordTemplate record = new RecordTemplate();
    private final long event; // its offset
    private final int place; // of the number; negative when such events are shown one by one
    private final long[] others; // the other numbers, by place
    private final boolean keeps; // whether the filter does
    private final @Nullable Known alike; // of the same hash
    private @Nullable Known next; // that followed it last
    private int count; // in the piece
    private int from; // in the columns

    Known(RecordView view, long event, int place, boolean keeps, @Nullable Known alike) {
      view.copyTo(record);
      this.event = event;
      this.place = place;
      this.keeps = keeps;
      this.alike = alike;
      this.others = new long[record.attributes()];
      for (int i = 0; i < others.length; i++) {
        others[i] = isOther(i) ? view.bits(record, i) : 0;
      }
    }

    private boolean isOther(int at) {
      return at != place && !record.kind(at).isText();
    }

    boolean fits(RecordView view) {
      if (!view.fits(record)) {
        return false;
      }
      for (int i = 0; place >= 0 && i < others.length; i++) {
        if (isOther(i) && view.bits(record, i) != others[i]) {
          return false;
        }
      }
      return true;
    }

    long heldBytes() {
      return KNOWN_BYTES + record.heldBytes() + (long) Long.BYTES * others.length;
    }
  }

  /// @param of events none of which replaces another
  RowRuns(RunCursor.Entries of, Grouping.Runs runs, Scan scan, Filter filter) {
    this.of = of;
    this.value = runs.value();
    this.filter = filter;
    this.ofEach = Filters.testsTime(filter) || Filters.testsValue(filter, value);
    this.watch = scan.watch();
    int visible = Math.min(of.until(), RunCursor.visible(of.run(), of.watermark()));
    int from = Math.max(of.from(), of.firstNotBelow(scan.from(), visible));
    int until = Math.max(from, of.firstNotBelow(scan.until(), visible));
    int[] all = {from, until};
    if (!runs.spans().isEmpty()) {
      all = new int[2 * runs.spans().size()];
      for (int i = 0; i < runs.spans().size(); i++) {
        Span each = runs.spans().get(i);
        all[2 * i] = entry(each.fromNanos(), visible, from, until);
        all[2 * i + 1] = entry(each.untilNanos(), visible, from, until);
      }
    }
    this.spans = all;
    this.next = all[0];
  }

  private int entry(long nanos, int visible, int least, int most) {
    return Math.clamp(of.firstNotBelow(EventId.leastOf(nanos), visible), least, most);
  }

  @Override
  public Step next() {
    return EventCursor.searchThrough(this);
  }

  @Override
  public @Nullable Step search() {
    if (showNext()) {
      return Step.EVENT;
    }
    while (span < spans.length && next >= spans[span + 1]) {
      span += 2;
      next = span < spans.length ? spans[span] : next;
    }
    if (span >= spans.length) {
      return Step.END;
    }
    takePiece(Math.min(spans[span + 1], next + PIECE));
    return showNext() ? Step.EVENT : null;
  }

  private boolean showNext() {
    if (showing < met.size()) {
      Known run = met.get(showing++);
      view.show(of.memory(), run.event);
      shown.show(run);
      event = shown;
      return true;
    }
    int single = showing - met.size();
    if (single < singleCount) {
      showing++;
      view.show(of.memory(), of.run().eventOffset(singles[single]));
      event = view;
      return true;
    }
    return false;
  }

  private void takePiece(int limit) {
    met.forEach(run -> run.count = 0);
    met.clear();
    singleCount = 0;
    showing = 0;
    int count = 0;
    int passed = limit - next;
    for (; next < limit; next++) {
      long offset = of.run().eventOffset(next);
      if (offset >= of.watermark()) {
        continue;
      }
      view.show(of.memory(), offset);
      Known run = find(offset);
      if (run == null || run.place < 0) {
        if (keeps()) {
          singles[singleCount++] = next;
        }
      } else if (run.keeps) {
        if (run.count++ == 0) {
          met.add(run);
        }
        owners[count] = run;
        owned[count++] = next;
      }
    }
    spread(count);
    watch.passed(passed);
    scanned += passed;
    kept += count + singleCount;
  }

  private boolean keeps() {
    return FilterEvaluation.keeps(filter, view, scratch);
  }

  private void spread(int count) {
    int from = 0;
    for (Known run : met) {
      run.from = from;
      from += run.count;
      run.count = 0;
    }
    columns = EventColumns.of(count);
    for (int i = 0; i < count; i++) {
      Known run = owners[i];
      int at = run.from + run.count++;
      view.show(of.memory(), of.run().eventOffset(owned[i]));
      columns.nanos()[at] = TimeUuid.nanosOf(view.idTime(), view.idTail());
      columns.arrivals()[at] = EventLayout.arrival(view.version(), view.idTail());
      columns.bits()[at] = view.bits(run.record, run.place);
    }
  }

  /// The known record that the event fits, which may be its own; null without one.
  private @Nullable Known find(long offset) {
    Known guess = last == null ? null : last.next;
    if (guess == null || !guess.fits(view)) {
      guess = lookUp(offset);
    }
    if (guess != null) {
      if (last != null) {
        last.next = guess;
      }
      last = guess;
    }
    return guess;
  }

  private @Nullable Known lookUp(long offset) {
    long hash = view.seriesHash(TEXT_BYTES_MAX);
    if (hash == 0) {
      return null;
    }
    Known first = table.get(hash);
    int alike = 0;
    for (Known each = first; each != null; each = each.alike) {
      if (each.fits(view)) {
        return each;
      }
      alike++;
    }
    if (heldBytes >= KNOWN_BYTES_MAX || alike >= ALIKE_MAX) {
      return null;
    }
    Known learnt = new Known(view, offset, placeOfNumber(), keeps(), first);
    table.put(hash, learnt);
    long bytes = learnt.heldBytes();
    heldBytes += bytes;
    watch.holds(bytes);
    return learnt;
  }

  /// The place of the number that may differ; negative when others may, too, or when the filter
  /// must see each event.
  private int placeOfNumber() {
    int[] found = {0, -1, ofEach ? 1 : 0}; // place, that of the number, others that differ
    view.forEach(
        scratch,
        (name, read) -> {
          boolean isFraction = read.kind() == AttributeKind.DOUBLE;
          if ((isFraction || read.kind() == AttributeKind.LONG) && name.equals(value)) {
            found[1] = found[0];
          } else if (isFraction) {
            found[2]++;
          }
          found[0]++;
        });
    return found[2] == 0 ? found[1] : -1;
  }

  @Override
  public EventView event() {
    return event;
  }

  @Override
  public ScanStatistics statistics() {
    return new ScanStatistics(0, 0, 0, scanned, kept);
  }

  @Override
  public void close() {
    table.clear();
    met.clear();
    Arrays.fill(owners, null);
    watch.holds(-heldBytes);
    heldBytes = 0;
  }

  /// The run that is shown.
  private final class Shown extends WrappedEvent implements EventRun {
    private @Nullable Known run;

    void show(Known newRun) {
      run = newRun;
      wrap(view);
    }

    private Known run() {
      return Objects.requireNonNull(run, "no current run");
    }

    @Override
    public Object key() {
      return run();
    }

    @Override
    public int size() {
      return run().count;
    }

    @Override
    public EventColumns columns() {
      return columns;
    }

    @Override
    public int from() {
      return run().from;
    }
  }
}
