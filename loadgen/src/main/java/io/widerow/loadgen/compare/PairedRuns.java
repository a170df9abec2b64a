package io.widerow.loadgen.compare;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/// Runs A and B in turn, A B B A A B ..., until enough pairs count or the time is over. A pair with
/// more than 1 % of steal time is run again. More sides than two take turns in the same way.
///
/// - Threads: one.
///
/// @param <T> what one run finds
public final class PairedRuns<T> {
  static final double STEAL_SHARE_MAX = 0.01;

  private final List<Side<T>> sides;
  private final ToDoubleFunction<T> stealShare;
  private final int pairsWanted;
  private final long budgetNanos;
  private final List<List<T>> found = new ArrayList<>(); // by side
  private int discarded;

  /// One run of one side.
  ///
  /// @param <T> what one run finds
  public interface Side<T> {
    /// @param pair its number, from 0 on, discarded ones included
    T run(int pair) throws IOException, InterruptedException;
  }

  /// @param stealShare share of the machine's time that its host took during a run (steal)
  public PairedRuns(
      Side<T> sideA,
      Side<T> sideB,
      ToDoubleFunction<T> stealShare,
      int pairsWanted,
      long budgetNanos) {
    this(List.of(sideA, sideB), stealShare, pairsWanted, budgetNanos);
  }

  /// @param stealShare share of the machine's time that its host took during a run (steal)
  public PairedRuns(
      List<Side<T>> sides, ToDoubleFunction<T> stealShare, int pairsWanted, long budgetNanos) {
    if (pairsWanted < 1 || pairsWanted > 1_000) {
      throw new IllegalArgumentException("--pairs cannot be " + pairsWanted);
    }
    this.sides = List.copyOf(sides);
    this.sides.forEach(_ -> found.add(new ArrayList<>()));
    this.stealShare = stealShare;
    this.pairsWanted = pairsWanted;
    this.budgetNanos = budgetNanos;
  }

  /// Runs until all pairs are there, or the next one would not fit into the budget.
  ///
  /// @throws IOException also when no pair counts
  public void execute() throws IOException, InterruptedException {
    long beganNanos = System.nanoTime();
    long longestNanos = 0;
    for (int pair = 0; a().size() < pairsWanted; pair++) {
      long pairBeganNanos = System.nanoTime();
      if (pair > 0 && pairBeganNanos - beganNanos + longestNanos > budgetNanos) {
        break;
      }
      List<T> runs = new ArrayList<>();
      for (Side<T> side : pair % 2 == 0 ? sides : sides.reversed()) {
        runs.add(side.run(pair));
      }
      if (runs.stream().mapToDouble(stealShare).max().orElse(0) > STEAL_SHARE_MAX) {
        discarded++;
      } else {
        List<T> bySide = pair % 2 == 0 ? runs : runs.reversed();
        for (int side = 0; side < sides.size(); side++) {
          found.get(side).add(bySide.get(side));
        }
      }
      longestNanos = Math.max(longestNanos, System.nanoTime() - pairBeganNanos);
    }
    if (a().isEmpty()) {
      throw new IOException("no pair counts: %d discarded for steal".formatted(discarded));
    }
  }

  public List<T> a() {
    return of(0);
  }

  public List<T> b() {
    return of(1);
  }

  /// Runs of a side, by its place.
  public List<T> of(int side) {
    return List.copyOf(found.get(side));
  }

  public int discarded() {
    return discarded;
  }
}
