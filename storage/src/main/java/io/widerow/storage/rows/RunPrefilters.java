package io.widerow.storage.rows;

import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.cursor.ParallelPrefetch;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Iterator over the entries of a run that a filter keeps, in the order of a scan. It filters the
/// run in growing pieces, so that a reader of few events does not wait for many. Other threads
/// filter the large pieces ahead.
///
/// ```
///   scan ->    [32 entries] [64] ... [1024] [2048] [4096] [4096] ...
///   alone      |--------------------------|
/// ```
///
/// - Threads: the cursor's; others only evaluate the filter, see [ParallelPrefetch].
/// - Memory: borrows the rows' memory until [#close], which waits for the other threads.
final class RunPrefilters implements ParallelPrefetch.Pieces<RunPrefilter>, AutoCloseable {
  /// No entry is left.
  static final int NONE = -1;

  /// No entry of the piece is kept; there are further pieces.
  static final int PASSED = -2;

  /// Least size of a piece that is worth another thread.
  private static final int ENTRIES_FOR_OTHERS = 1 << 11;

  private static final int LEAST_SHIFT = 5;

  /// Largest piece. A larger one would keep the scan's owner waiting.
  private static final int MOST_SHIFT = Integer.numberOfTrailingZeros(ScanWatch.EVENTS_BETWEEN);

  private final MemorySegment memory;
  private final Run run;
  private final Scan scan;
  private final Filter filter;
  private final int from;
  private final int until;
  private final ParallelPrefetch<RunPrefilter> ahead;
  private RunPrefilter prefilter; // of the current piece
  private int prefilters = 1;
  private int nextPiece;
  private int entry; // of the piece, to return next
  private int left; // of the piece, from that entry on

  /// @param from first of the range's entries `[from, until)`
  /// @param threads filter pieces ahead; null for none
  RunPrefilters(
      MemorySegment memory,
      Run run,
      Scan scan,
      Filter filter,
      int from,
      int until,
      @Nullable Executor threads) {
    this.memory = memory;
    this.run = run;
    this.scan = scan;
    this.filter = filter;
    this.from = from;
    this.until = until;
    this.ahead = new ParallelPrefetch<>(this, threads);
    this.prefilter = new RunPrefilter(memory, run, filter);
  }

  /// The next kept entry of the current piece or the one after it; [#NONE] at the end, [#PASSED]
  /// when there is none.
  int search() {
    boolean opened = false;
    while (true) {
      int found =
          left == 0 ? NONE : scan.descending() ? prefilter.previous(entry) : prefilter.next(entry);
      if (found >= 0) {
        pass(Math.abs(found - entry) + 1);
        return found;
      }
      pass(left);
      if (peek(0) == END) {
        return NONE;
      }
      if (opened) {
        return PASSED;
      }
      openPiece(nextPiece++);
      opened = true;
    }
  }

  /// The first entry of the next piece, in the order of the scan. There must be one.
  int nextEntry() {
    return scan.descending() ? limitOf(nextPiece) - 1 : firstOf(nextPiece);
  }

  /// Number of entries passed, including kept ones.
  int passed() {
    int behind = startOf(nextPiece);
    return Math.min(behind, until - from) - left;
  }

  private void pass(int entries) {
    scan.watch().passed(entries);
    entry += scan.descending() ? -entries : entries;
    left -= entries;
  }

  private void openPiece(int piece) {
    RunPrefilter looked = ahead.next(piece, prefilter, entriesOf(piece) >= ENTRIES_FOR_OTHERS);
    if (looked == null) {
      lookThrough(prefilter, piece);
    } else {
      prefilter = looked;
    }
    left = limitOf(piece) - firstOf(piece);
    entry = scan.descending() ? limitOf(piece) - 1 : firstOf(piece);
  }

  private int firstOf(int piece) {
    return scan.descending() ? until - endOf(piece) : from + startOf(piece);
  }

  private int limitOf(int piece) {
    return scan.descending() ? until - startOf(piece) : from + endOf(piece);
  }

  /// Entries of the range up to a piece's end.
  private int endOf(int piece) {
    return Math.min(until - from, startOf(piece + 1));
  }

  /// Entries before a piece.
  private static int startOf(int piece) {
    int doublings = Math.min(piece, MOST_SHIFT - LEAST_SHIFT);
    return (((1 << doublings) - 1) << LEAST_SHIFT) + ((piece - doublings) << MOST_SHIFT);
  }

  private static int entriesOf(int piece) {
    return startOf(piece + 1) - startOf(piece);
  }

  @Override
  public int peek(int distance) {
    int piece = nextPiece + distance;
    return startOf(piece) < until - from ? piece : END;
  }

  @Override
  public @Nullable RunPrefilter more() {
    if (prefilters > ParallelPrefetch.AHEAD_MAX) {
      return null;
    }
    prefilters++;
    return new RunPrefilter(memory, run, filter);
  }

  @Override
  public void lookThrough(RunPrefilter looking, int piece) {
    looking.lookThrough(firstOf(piece), limitOf(piece));
  }

  @Override
  public void close() {
    ahead.close();
  }
}
