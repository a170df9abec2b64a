package io.widerow.query.series;

import io.widerow.storage.sketch.EventColumns;
import io.widerow.storage.sketch.EventRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The samples of one series in columns, which may be added in any order: mostly whole runs of them
/// are in order. Runs of the store are referred to where they are. When they do not overlap, they
/// follow each other by their first times.
///
/// ```
///   as added    30 45 60 | 0 15 | 75 90       three rising runs
///   in order    0 15 30 45 60 75 90           laid out by their first times; merged where they
///                                             overlap
/// ```
///
/// Of samples in one millisecond the last counts; of those with one time, the last that arrived.
///
/// - Threads: one.
/// - Memory: 24 bytes a sample, and half as much again while single ones are added; 16 after
///   [#end].
public final class SampleColumns {
  private static final int FIRST = 16;
  private static final int FEW = 16; // chains that a run is tried at
  private static final long NANOS_PER_MILLISECOND = 1_000_000; // no event is before 1970

  private final List<Slice> slices = new ArrayList<>(0);
  private long[] nanos = {};
  private long[] arrivals = {};
  private long[] bits = {};
  private byte @Nullable [] @Nullable [] messages; // of histograms; null while there are none
  private int count;
  private int[] starts = new int[2]; // of rising runs; there is room for the end of the last
  private long[] millis = {}; // after `end`
  private double[] values = {}; // after `end`
  private int runs = 1;
  private long messageBytes;
  private int histograms;
  private int collapsed;
  private int sliced; // samples in slices

  /// A run of the store.
  ///
  /// @param whole whether its numbers are whole
  private record Slice(EventColumns of, int from, int size, boolean whole, long first, long last) {
    static Slice of(EventRun run, boolean whole) {
      int last = run.size() - 1;
      return new Slice(
          run.columns(), run.from(), run.size(), whole, run.timeNanos(0), run.timeNanos(last));
    }

    boolean isEarlier(int one, int other) {
      return of.arrivals()[one] < of.arrivals()[other];
    }

    long bits(int at) {
      long number = of.bits()[at];
      return whole ? Double.doubleToRawLongBits((double) number) : number;
    }
  }

  /// Number of samples. After [#end].
  public int count() {
    return count;
  }

  /// Number of samples that were added. Before [#end].
  long added() {
    return (long) count + sliced;
  }

  /// Memory held.
  long bytes() {
    return (long) Long.BYTES * (nanos.length + arrivals.length + bits.length)
        + (long) EventColumns.EVENT_BYTES * sliced
        + 2L * Long.BYTES * millis.length
        + messageBytes;
  }

  /// Number of samples that others of their milliseconds replace. After [#end].
  int collapsed() {
    return collapsed;
  }

  private void reserve(int more) {
    int wanted = Math.addExact(count, more);
    if (wanted > nanos.length) {
      int room = Math.max(Math.max(FIRST, wanted), nanos.length + (nanos.length >> 1));
      nanos = Arrays.copyOf(nanos, room);
      arrivals = Arrays.copyOf(arrivals, room);
      bits = Arrays.copyOf(bits, room);
      byte @Nullable [] @Nullable [] all = messages;
      messages = all == null ? null : Arrays.copyOf(all, room);
    }
  }

  /// Adds a sample.
  ///
  /// @param message a histogram instead of a number; null for a number
  void add(long atNanos, long arrival, long valueBits, byte @Nullable [] message) {
    reserve(1);
    put(atNanos, arrival, valueBits);
    if (message != null) {
      byte @Nullable [] @Nullable [] all = messages;
      if (all == null) {
        all = new byte[nanos.length][];
        messages = all;
      }
      all[count - 1] = message;
      messageBytes += message.length;
      histograms++;
    }
  }

  /// Adds the numbers of a run.
  ///
  /// @param whole whether they are whole numbers
  void add(EventRun run, boolean whole) {
    slices.add(Slice.of(run, whole));
    sliced += run.size();
  }

  private void put(long atNanos, long arrival, long valueBits) {
    nanos[count] = atNanos;
    arrivals[count] = arrival;
    bits[count] = valueBits;
    if (count > 0 && compare(count - 1, count) > 0) {
      starts[runs++] = count;
      if (runs == starts.length) {
        starts = Arrays.copyOf(starts, 2 * runs);
      }
    }
    count++;
  }

  private int compare(int one, int other) {
    int order = Long.compare(nanos[one], nanos[other]);
    return order == 0 ? Long.compare(arrivals[one], arrivals[other]) : order;
  }

  /// Ends after the last sample: puts them in order, and lets one of each millisecond count.
  void end() {
    slices.sort(Comparator.comparingLong(Slice::first));
    int apart = count > 0 ? 0 : apart();
    int all = sliced + count;
    unslice(apart);
    int singles = count;
    int[] order = runs == 1 ? null : order();
    millis = new long[all];
    values = new double[all];
    count = 0;
    slices.subList(0, apart).forEach(this::endSlice);
    endSingles(order, singles);
    slices.clear();
    sliced = 0;
    nanos = new long[0];
    arrivals = nanos;
    bits = nanos;
  }

  /// Number of slices, from the first on, that end before any other begins.
  private int apart() {
    for (int i = 1; i < slices.size(); i++) {
      int apart = i;
      while (apart > 0 && slices.get(apart - 1).last >= slices.get(i).first) {
        apart--;
      }
      if (apart < i) {
        return apart;
      }
    }
    return slices.size();
  }

  private void endSlice(Slice slice) {
    long[] times = slice.of.nanos();
    long[] numbers = slice.of.bits();
    long[] toMillis = millis;
    double[] toValues = values;
    int to = count;
    int latest = slice.from;
    for (int i = slice.from; i < slice.from + slice.size; i++) {
      long at = times[i] / NANOS_PER_MILLISECOND;
      if (to > 0 && toMillis[to - 1] == at) {
        collapsed++;
        if (i > latest && times[i] == times[latest] && slice.isEarlier(i, latest)) {
          continue; // of one time the last arrival counts
        }
        to--;
      }
      latest = i;
      toMillis[to] = at;
      toValues[to++] = slice.whole ? numbers[i] : Double.longBitsToDouble(numbers[i]);
    }
    count = to;
  }

  /// Returns where it is.
  private int keep(long atMillis, long valueBits) {
    if (count > 0 && millis[count - 1] == atMillis) {
      count--;
      collapsed++;
    }
    millis[count] = atMillis;
    values[count] = Double.longBitsToDouble(valueBits);
    return count++;
  }

  /// Makes single samples of some slices.
  private void unslice(int first) {
    for (Slice slice : slices.subList(first, slices.size())) {
      reserve(slice.size);
      for (int i = slice.from; i < slice.from + slice.size; i++) {
        put(slice.of.nanos()[i], slice.of.arrivals()[i], slice.bits(i));
      }
    }
  }

  private void endSingles(int @Nullable [] order, int singles) {
    byte @Nullable [] @Nullable [] given = messages;
    byte @Nullable [] @Nullable [] kept = given == null ? null : new byte[millis.length][];
    for (int i = 0; i < singles; i++) {
      int from = order == null ? i : order[i];
      int at = keep(nanos[from] / NANOS_PER_MILLISECOND, bits[from]);
      if (given != null && kept != null) {
        kept[at] = given[from];
      }
    }
    messages = kept;
  }

  /// The order of the samples. Rising runs that follow each other in time are chains; these are
  /// merged. Each shard of a store makes a chain, mostly.
  private int[] order() {
    starts[runs] = count;
    Integer[] byTime = IntStream.range(0, runs).boxed().toArray(Integer[]::new);
    Arrays.sort(byTime, Comparator.comparingLong(run -> nanos[starts[run]]));
    List<List<Integer>> chains = new ArrayList<>();
    for (int run : byTime) {
      List<Integer> into = null;
      for (List<Integer> chain : chains.subList(Math.max(0, chains.size() - FEW), chains.size())) {
        if (into == null && compare(starts[chain.getLast() + 1] - 1, starts[run]) <= 0) {
          into = chain;
        }
      }
      if (into == null) {
        into = new ArrayList<>();
        chains.add(into);
      }
      into.add(run);
    }
    int[] order = new int[count];
    int[] ends = new int[chains.size() + 1];
    int at = 0;
    for (int chain = 0; chain < chains.size(); chain++) {
      for (int run : chains.get(chain)) {
        for (int i = starts[run]; i < starts[run + 1]; i++) {
          order[at++] = i;
        }
      }
      ends[chain + 1] = at;
    }
    while (ends.length > 2) {
      order = mergedPairs(order, ends);
      ends = everySecond(ends);
    }
    return order;
  }

  private static int[] everySecond(int[] ends) {
    int[] left = new int[ends.length / 2 + 1];
    for (int i = 0; i < left.length; i++) {
      left[i] = ends[Math.min(2 * i, ends.length - 1)];
    }
    return left;
  }

  /// @param ends of the chains, after a 0
  private int[] mergedPairs(int[] order, int[] ends) {
    int[] merged = new int[count];
    int at = 0;
    for (int chain = 0; chain < ends.length - 1; chain += 2) {
      int left = ends[chain];
      int middle = ends[chain + 1];
      int right = middle;
      int end = chain + 2 < ends.length ? ends[chain + 2] : middle;
      while (left < middle && right < end) { // stretches, because a body is of one shard
        int from = left;
        while (left < middle && compare(order[left], order[right]) <= 0) {
          left++;
        }
        at = copy(order, from, left, merged, at);
        from = right;
        while (left < middle && right < end && compare(order[right], order[left]) < 0) {
          right++;
        }
        at = copy(order, from, right, merged, at);
      }
      at = copy(order, left, middle, merged, at);
      at = copy(order, right, end, merged, at);
    }
    return merged;
  }

  private static int copy(int[] order, int from, int until, int[] to, int at) {
    System.arraycopy(order, from, to, at, until - from);
    return at + until - from;
  }

  /// The times, milliseconds since the Unix epoch. After [#end].
  public long[] millis() {
    return millis.length == count ? millis : Arrays.copyOf(millis, count);
  }

  /// The numbers; 0 for histograms. After [#end].
  public double[] values() {
    return values.length == count ? values : Arrays.copyOf(values, count);
  }

  /// Number of histograms that were added.
  public int histograms() {
    return histograms;
  }

  /// The histograms, null for a number: messages of Prometheus; null when there are none. After
  /// [#end].
  public byte @Nullable [] @Nullable [] messages() {
    return messages;
  }
}
