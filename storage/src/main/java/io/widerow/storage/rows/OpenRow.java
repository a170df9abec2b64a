package io.widerow.storage.rows;

import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// A partition's newest events, as a few sorted runs (patience sorting, "Patience is a Virtue",
/// Chandramouli and Goldstein 2014). An event goes to the run with the greatest last id that is not
/// above its own, else it starts a run. Data on time makes one run. Late data costs the same
/// append.
///
/// ```
///   runs[0]   10:00  10:01  10:03  10:07        greatest last id
///   runs[1]   10:02  10:05
///   runs[2]   10:04                             least last id
/// ```
///
/// At [#RUNS_MAX] runs, the small ones are merged into one. Each merge at least doubles the size of
/// an event's run, so an event is merged at most log(n) times, whatever the order of arrival.
///
/// - Threads: one writer; readers take the list of runs with one volatile read.
public final class OpenRow {
  static final int RUNS_MAX = 32;
  private static final int MERGED_AT_LEAST = 8;
  private static final Run[] NO_RUNS = {};
  private static final long NO_TIME = Long.MIN_VALUE;
  private static final Comparator<Run> GREATEST_TAIL_FIRST =
      (a, b) -> a.tailAbove(b) ? -1 : b.tailAbove(a) ? 1 : 0;

  private static final VarHandle RECORD_BYTES;
  private static final VarHandle RECORDS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      RECORD_BYTES = lookup.findVarHandle(OpenRow.class, "recordBytes", long.class);
      RECORDS = lookup.findVarHandle(OpenRow.class, "records", long.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  public final PartitionKey key;
  private final OpenRows rows;
  private volatile Run[] runs = NO_RUNS; // in descending order of their last ids
  private volatile boolean ownIds;
  private long recordBytes; // opaque
  private long records; // opaque
  private long lookedBytes; // at the last look; of the thread that looks
  private long lookedRecords;
  private long lookedTime = NO_TIME; // the greatest id's, in ticks

  OpenRow(PartitionKey key, OpenRows rows) {
    this.key = key;
    this.rows = rows;
  }

  /// Adds the event at an offset of the rows' memory. Returns false and changes nothing if no
  /// memory is left for its entry.
  boolean append(long eventOffset, long idTime, long idTail, boolean own) {
    Run[] now = runs;
    for (Run run : now) {
      if (run.takes(idTime, idTail)) {
        return append(run, eventOffset, idTime, idTail, own);
      }
    }
    if (now.length == RUNS_MAX) {
      if (!mergeSmallRuns()) {
        return false;
      }
      return append(eventOffset, idTime, idTail, own);
    }
    Run started = new Run(rows.memory(), false);
    if (!append(started, eventOffset, idTime, idTail, own)) {
      return false;
    }
    Run[] more = Arrays.copyOf(now, now.length + 1);
    more[now.length] = started;
    runs = more;
    return true;
  }

  private boolean append(Run run, long eventOffset, long idTime, long idTail, boolean own) {
    long chunk = 0;
    long bytes = run.bytesForNext();
    if (bytes > 0) {
      chunk = rows.allocateIndex(bytes);
      if (chunk < 0) {
        return false;
      }
    }
    if (own && !ownIds) {
      ownIds = true; // before the watermark that publishes the event
    }
    run.append(chunk, eventOffset, idTime, idTail);
    return true;
  }

  /// Counts a record that was added. Writer only.
  void added(int bytes) {
    RECORD_BYTES.setOpaque(this, recordBytes + bytes);
    RECORDS.setOpaque(this, records + 1);
  }

  /// Bytes of the records that were added, committed or not. Any thread; a moment old.
  public long recordBytes() {
    return (long) RECORD_BYTES.getOpaque(this);
  }

  /// Number of the records that were added, committed or not. Any thread; a moment old.
  public long records() {
    return (long) RECORDS.getOpaque(this);
  }

  /// The growth of a row between two looks.
  ///
  /// @param nanos of event time by which the latest event became later; 0 when no new event is
  ///   later than the earlier events
  public record Growth(long records, long bytes, long nanos) {}

  /// The growth since the last call. One thread at a time; the owner orders the calls and holds a
  /// view of the rows.
  public Growth grown() {
    long bytes = recordBytes();
    long count = records();
    long ticks = advance();
    var growth =
        new Growth(count - lookedRecords, bytes - lookedBytes, ticks * TimeUuid.NANOS_PER_TICK);
    lookedBytes = bytes;
    lookedRecords = count;
    return growth;
  }

  /// Ticks by which the greatest id became greater since the last call. At the first one those
  /// count that its run covers.
  private long advance() {
    Run[] now = runs;
    int size = now.length == 0 ? 0 : now[0].size();
    if (size == 0) {
      return 0;
    }
    long last = rows.idTime(now[0].eventOffset(size - 1));
    long before = lookedTime == NO_TIME ? rows.idTime(now[0].eventOffset(0)) : lookedTime;
    lookedTime = Math.max(last, before);
    return lookedTime - before;
  }

  /// True when an event of this row came with its own id and so may replace another.
  public boolean hasOwnIds() {
    return ownIds;
  }

  List<Run> runs() {
    return List.of(runs);
  }

  /// Merges the smallest runs. Returns false if memory does not suffice.
  private boolean mergeSmallRuns() {
    Run[] bySize = runs.clone();
    Arrays.sort(bySize, Comparator.comparingInt(Run::size));
    int count = 0;
    long entries = 0;
    while (count < bySize.length && (count < MERGED_AT_LEAST || bySize[count].size() <= entries)) {
      entries += bySize[count++].size();
    }
    if (!rows.hasIndexRoom(entries)) {
      return false;
    }
    Run merged = new Run(rows.memory(), true);
    mergeInto(merged, Arrays.copyOf(bySize, count));
    List<Run> left = new ArrayList<>(Arrays.asList(bySize).subList(count, bySize.length));
    left.add(merged);
    left.sort(GREATEST_TAIL_FIRST);
    runs = left.toArray(Run[]::new);
    return true;
  }

  /// The next event of each input is at hand, because the events themselves lie far apart.
  private void mergeInto(Run merged, Run[] inputs) {
    int[] next = new int[inputs.length];
    long[] offsets = new long[inputs.length];
    long[] times = new long[inputs.length];
    long[] tails = new long[inputs.length];
    for (int i = 0; i < inputs.length; i++) {
      offsets[i] = inputs[i].eventOffset(0);
      times[i] = rows.idTime(offsets[i]);
      tails[i] = rows.idTail(offsets[i]);
    }
    for (int open = inputs.length; open > 0; ) {
      int least = least(open, offsets, times, tails);
      long bytes = merged.bytesForNext();
      long chunk = bytes == 0 ? 0 : rows.allocateIndex(bytes);
      assert chunk >= 0 : "room was checked";
      merged.append(chunk, offsets[least], times[least], tails[least]);
      if (++next[least] == inputs[least].size()) {
        open--;
        inputs[least] = inputs[open];
        next[least] = next[open];
        offsets[least] = offsets[open];
        times[least] = times[open];
        tails[least] = tails[open];
      } else {
        offsets[least] = inputs[least].eventOffset(next[least]);
        times[least] = rows.idTime(offsets[least]);
        tails[least] = rows.idTail(offsets[least]);
      }
    }
  }

  /// The least of some events: by id, then by arrival.
  private static int least(int count, long[] offsets, long[] times, long[] tails) {
    int least = 0;
    for (int i = 1; i < count; i++) {
      int order = TimeUuid.compare(times[i], tails[i], times[least], tails[least]);
      if (order < 0 || (order == 0 && offsets[i] < offsets[least])) {
        least = i;
      }
    }
    return least;
  }
}
