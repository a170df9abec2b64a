package io.widerow.storage.cassandra.apply;

import io.widerow.storage.LaneArrivals;
import io.widerow.storage.SourceRange;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SourceRows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Claims the offsets of a round, one conditional update for each partition: it moves the position
/// from where the first range begins to where the last one ends, and records in the same mutation
/// that this daemon owes the offsets. Each offset is stored once, because
///
/// - a position has one successor: of two daemons that read the same offsets, one moves it;
/// - the other one leaves its range out, and all that follow, which begin elsewhere. It needs none
///   of them: the owner of the partition begins at the position;
/// - a position never comes twice ([SourceRange#term]), so an update that is applied late, after
///   its time-out, fails;
/// - after a crash, or a lost answer, the round asks again. The update is refused then, and the
///   claim with the round's stamp shows that it was this one: so a daemon has one claim in a
///   partition until its round is applied, and a second one in a round is left out.
///
/// Keys of batches ([Claims]) would not do: two daemons divide the same offsets into other batches.
///
/// - Threads: one; any reads the counter.
final class SourceClaims {
  private final Keyspace keyspace;
  private final RetryingStatements statements;
  private final DaemonNumber number;
  private final SourceRanges ranges;
  private final LongAdder leftOut = new LongAdder();
  private @Nullable Decided decided; // of the round in progress

  /// What a round has claimed, so that it is not asked again when a later statement fails.
  private record Decided(
      long stamp, List<SourceRanges.Pending> all, List<SourceRanges.Pending> left) {}

  /// Ranges of a partition each of which begins where the one before it ended.
  private record Run(List<SourceRanges.Pending> ranges) {
    SourceRange whole() {
      SourceRange first = ranges.getFirst().range();
      SourceRange last = ranges.getLast().range();
      return new SourceRange(
          first.topic(),
          first.partition(),
          first.again(),
          first.fromTerm(),
          first.from(),
          last.term(),
          last.next(),
          last.leaderEpoch());
    }

    boolean hasEvents() {
      return ranges.stream().anyMatch(SourceRanges.Pending::hasEvents);
    }

    Run first(int many) {
      return new Run(ranges.subList(0, many));
    }

    Run without(int many) {
      return new Run(ranges.subList(many, ranges.size()));
    }
  }

  private record Asked(Run run, RetryingStatements.Try<Boolean> moved) {}

  SourceClaims(
      Keyspace keyspace, RetryingStatements statements, DaemonNumber number, SourceRanges ranges) {
    this.keyspace = keyspace;
    this.statements = statements;
    this.number = number;
    this.ranges = ranges;
  }

  /// Claims the ranges of a round, and those without events that came since the last one.
  ///
  /// @return the ranges that the round leaves out
  List<SourceRanges.Pending> claim(long stamp, LaneArrivals to) {
    Decided known = decided;
    if (known == null || known.stamp != stamp) {
      List<SourceRanges.Pending> all = ranges.before(to);
      List<SourceRanges.Pending> left = new ArrayList<>();
      claim(all, stamp, left);
      known = new Decided(stamp, all, left);
      decided = known;
    }
    return known.left;
  }

  /// The round is applied.
  void settle() {
    Decided known = decided;
    decided = null;
    if (known != null && !known.all.isEmpty()) {
      ranges.settled(known.all, known.left);
      leftOut.add(known.left.size());
    }
  }

  private void claim(List<SourceRanges.Pending> all, long stamp, List<SourceRanges.Pending> left) {
    List<Asked> asked = new ArrayList<>();
    List<Deque<Run>> partitions = runs(all);
    for (Deque<Run> runs : partitions) { // the first of each together, and most have no other
      asked.add(ask(runs.removeFirst(), stamp));
    }
    for (int i = 0; i < asked.size(); i++) {
      Deque<Run> more = partitions.get(i);
      Asked one = asked.get(i);
      boolean hasClaim = false;
      while (true) {
        int settled = claimed(one, stamp);
        hasClaim |= one.run.first(settled).hasEvents();
        Run rest = one.run.without(settled);
        if (settled == 0) {
          left.addAll(rest.ranges);
        } else if (!rest.ranges.isEmpty()) {
          more.addFirst(rest);
        }
        while (!more.isEmpty() && hasClaim && more.getFirst().hasEvents()) {
          left.addAll(more.removeFirst().ranges);
        }
        if (more.isEmpty()) {
          break;
        }
        one = ask(more.removeFirst(), stamp);
      }
    }
  }

  private static List<Deque<Run>> runs(List<SourceRanges.Pending> all) {
    Map<SourceRanges.Partition, Deque<Run>> runs = new LinkedHashMap<>();
    for (SourceRanges.Pending one : all) {
      Deque<Run> of =
          runs.computeIfAbsent(SourceRanges.Partition.of(one.range()), _ -> new ArrayDeque<>());
      if (of.isEmpty() || !follows(one.range(), of.getLast().ranges.getLast().range())) {
        of.add(new Run(new ArrayList<>()));
      }
      of.getLast().ranges.add(one);
    }
    return List.copyOf(runs.values());
  }

  /// Whether one update may move the position over both. It never goes back within one.
  private static boolean follows(SourceRange range, SourceRange before) {
    return Objects.equals(range.again(), before.again())
        && range.fromTerm() == before.term()
        && range.from() == before.next()
        && range.term() == range.fromTerm()
        && before.term() == before.fromTerm();
  }

  private Asked ask(Run run, long stamp) {
    SourceRange whole = run.whole();
    return new Asked(
        run,
        statements.start(
            "claim offsets of a source",
            () -> keyspace.advance(whole, number.daemon(), stamp, run.hasEvents())));
  }

  /// The number of ranges of a run, from its first on, that are settled and this daemon's. When
  /// there are more, they are asked for again, and when there is none, all are left out.
  private int claimed(Asked asked, long stamp) {
    List<SourceRanges.Pending> of = asked.run.ranges;
    if (asked.moved.await()) {
      return of.size();
    }
    SourceRange whole = asked.run.whole();
    SourceRows rows =
        statements.make(
            "read the position of a source",
            () -> keyspace.source(whole.topic(), whole.partition()));
    SourceRows.Owed mine = claim(rows, number.daemon(), stamp);
    SourceRange.Released again = whole.again();
    SourceRows.Owed theirs = again == null ? null : claim(rows, again.daemon(), again.stamp());
    int settled = 0;
    boolean isEmpty = true; // so far
    boolean isMine = false;
    for (int i = 0; i < of.size(); i++) {
      SourceRange range = of.get(i).range();
      // an earlier try: ranges without events may have come before and after it since
      isMine |= mine != null && isEmpty && range.from() == mine.first();
      isEmpty &= !of.get(i).hasEvents();
      boolean isThere =
          again == null
              ? rows.term() == range.term() && rows.position() == range.next()
              : theirs != null && theirs.first() == range.next();
      if ((isMine && mine != null && range.next() <= mine.next()) || (isEmpty && isThere)) {
        settled = i + 1;
      }
    }
    return settled;
  }

  private static SourceRows.@Nullable Owed claim(SourceRows rows, int daemon, long stamp) {
    return rows.claims().stream()
        .filter(each -> each.daemon() == daemon && each.stamp() == stamp)
        .findFirst()
        .orElse(null);
  }

  /// Ranges that were left out since the start.
  long leftOut() {
    return leftOut.sum();
  }
}
