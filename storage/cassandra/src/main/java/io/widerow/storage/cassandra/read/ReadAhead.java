package io.widerow.storage.cassandra.read;

import io.widerow.storage.ScanWatch;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The multi-get of one open query: the segments that it will read, in the order of reading, and
/// the requests for the next segments.
///
/// ```
///   by bound   s0  s1  s2  s3  s4  s5  s6  s7 ...
///              open....|in flight......|later
///                      ^ the merge waits for s2: it is asked for whatever the limits say
/// ```
///
/// Small segments of one partition that follow each other are asked for in one request, the more of
/// them the more the query has taken.
///
/// The window grows with the segments that the query takes, so one that ends soon has asked for
/// little too much. It ends at the limits of the query (requests, bytes), of the reader (requests)
/// and of the memory for queries. The segment that the merge waits for is outside these limits, so
/// no two queries wait for each other.
///
/// - Threads: one, the query's; responses come on others.
/// - Memory: reports to the watch the values that it asks for; gives all back in [#close].
final class ReadAhead implements AutoCloseable {
  private static final int WINDOW_FIRST = 8;
  private static final int WINDOW_GROWTH = 4;

  /// Segments of one request, and their bytes. Larger ones are asked for each.
  private static final int TOGETHER_MAX = 32;

  private static final int TOGETHER_BYTES_MAX = 256 << 10;

  /// Before so many were taken, each is asked for alone: the latest few events of many partitions
  /// take one or two of each, and should ask for no more.
  private static final int TOGETHER_AFTER = 32;

  /// After that, one together for each so many that were taken.
  private static final int TOGETHER_GROWTH = 4;

  private final ValueFetcher fetcher;
  private final ReadOptions options;
  private final ReadCounts counts;
  private final ScanWatch watch;
  private final PriorityQueue<SegmentFetch> upcoming;
  private final Set<SegmentFetch> begun = new HashSet<>(); // and not closed
  private final AtomicInteger inFlight = new AtomicInteger();
  private int window = WINDOW_FIRST;
  private final Set<SegmentFetch> waiting = new HashSet<>(); // first of a request, not taken
  private int taken;
  private int known; // segments that were added
  private long heldBytes;
  private @Nullable Runnable atHalf;
  private CompletableFuture<?> waitedFor = CompletableFuture.completedFuture(null);

  /// @param order in which segments are needed
  ReadAhead(
      ValueFetcher fetcher,
      ReadOptions options,
      ReadCounts counts,
      ScanWatch watch,
      Comparator<SegmentFetch> order) {
    this.fetcher = fetcher;
    this.options = options;
    this.counts = counts;
    this.watch = watch;
    this.upcoming = new PriorityQueue<>(order);
  }

  /// Runs something once, when half of the segments were taken.
  void atHalf(Runnable action) {
    atHalf = action;
  }

  /// Adds segments that will be read.
  void add(List<SegmentFetch> segments) {
    upcoming.addAll(segments);
    known += segments.size();
  }

  /// Asks for the segments that come next, as far as the limits let it.
  void pump() {
    while (waiting.size() < Math.min(window, options.readAhead())
        && inFlight.get() < options.readAhead()
        && fetcher.hasRoom()) {
      SegmentFetch next = upcoming.peek();
      if (next == null) {
        return;
      }
      if (!next.isBegun()) {
        if (!tryHold(next)) {
          return;
        }
        begin(next, followersOf(next));
      }
      upcoming.remove();
    }
  }

  private boolean tryHold(SegmentFetch segment) {
    int bytes = segment.row.bytes();
    if (heldBytes + bytes > options.readAheadBytes() || !watch.tryHold(bytes)) {
      return false;
    }
    heldBytes += bytes;
    return true;
  }

  /// Segments to ask for together with one, as far as the limits let it.
  private List<SegmentFetch> followersOf(SegmentFetch first) {
    List<SegmentFetch> together = new ArrayList<>();
    int countMax = taken < TOGETHER_AFTER ? 1 : Math.min(TOGETHER_MAX, taken / TOGETHER_GROWTH);
    int bytes = first.row.bytes();
    SegmentFetch next = first.follower();
    while (next != null && !next.isBegun() && together.size() + 1 < countMax) {
      bytes += next.row.bytes();
      if (bytes > TOGETHER_BYTES_MAX || !tryHold(next)) {
        break;
      }
      together.add(next);
      next = next.follower();
    }
    return together;
  }

  private void begin(SegmentFetch segment, List<SegmentFetch> followers) {
    begun.add(segment);
    waiting.add(segment);
    if (followers.isEmpty()) {
      segment.begin(request(segment.row, false));
      return;
    }
    begun.addAll(followers);
    List<SegmentFetch> all = new ArrayList<>(followers);
    all.addFirst(segment);
    inFlight.incrementAndGet();
    List<CompletableFuture<@Nullable ByteBuffer>> asked =
        fetcher.fetchTogether(all.stream().map(fetch -> fetch.row.key()).toList(), counts);
    var _ = asked.getFirst().whenComplete((_, _) -> inFlight.decrementAndGet());
    for (int i = 0; i < all.size(); i++) {
      all.get(i).begin(asked.get(i));
    }
  }

  /// Requests a segment whose turn has come, whatever the limits are.
  void demand(SegmentFetch segment) {
    if (!segment.isBegun()) {
      heldBytes += segment.row.bytes(); // counts although the budget may refuse it: see close
      watch.holds(segment.row.bytes());
      begin(segment, List.of());
    }
  }

  /// Sends a request for a value.
  CompletableFuture<@Nullable ByteBuffer> request(DirectoryRow row, boolean quorum) {
    inFlight.incrementAndGet();
    CompletableFuture<@Nullable ByteBuffer> asked = fetcher.fetch(row.key(), quorum, counts);
    var _ = asked.whenComplete((_, _) -> inFlight.decrementAndGet());
    return asked;
  }

  /// A segment is open: the window moves on.
  void taken(SegmentFetch segment) {
    assert begun.contains(segment) : segment.row.key();
    waiting.remove(segment);
    taken++;
    window += WINDOW_GROWTH;
    pump();
    Runnable action = atHalf;
    if (action != null && 2 * taken >= known) {
      atHalf = null;
      action.run();
    }
  }

  /// A segment is over: its memory is free.
  void released(SegmentFetch segment) {
    begun.remove(segment);
    waiting.remove(segment);
    heldBytes -= segment.row.bytes();
    watch.holds(-segment.row.bytes());
  }

  /// Records the response that the query needs to continue.
  void waitFor(CompletableFuture<?> answer) {
    waitedFor = answer;
  }

  /// Completes when the query can continue, normally also when it will fail.
  CompletableFuture<Void> ready() {
    CompletableFuture<Void> ready = new CompletableFuture<>();
    var _ = waitedFor.whenComplete((_, _) -> ready.complete(null));
    return ready;
  }

  ReadCounts counts() {
    return counts;
  }

  /// Cancels requests in flight, and gives all memory back.
  @Override
  public void close() {
    upcoming.clear();
    atHalf = null;
    List.copyOf(begun).forEach(SegmentFetch::close);
    if (heldBytes > 0) { // of a request that the budget refused
      watch.holds(-heldBytes);
      heldBytes = 0;
    }
  }
}
