package io.widerow.loadgen.compare;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/// Runs A and B in turn, A B B A A B ..., until enough pairs count or the time is over. A pair with
/// more than 1 % of steal time is run again.
///
/// - Threads: one.
///
/// @param <T> what one run finds
public final class PairedRuns<T> {
  static final double STEAL_SHARE_MAX = 0.01;

  private final Side<T> sideA;
  private final Side<T> sideB;
  private final ToDoubleFunction<T> stealShare;
  private final int pairsWanted;
  private final long budgetNanos;
  private final List<T> a = new ArrayList<>();
  private final List<T> b = new ArrayList<>();
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
    if (pairsWanted < 1 || pairsWanted > 1_000) {
      throw new IllegalArgumentException("--pairs cannot be " + pairsWanted);
    }
    this.sideA = sideA;
    this.sideB = sideB;
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
    for (int pair = 0; a.size() < pairsWanted; pair++) {
      long pairBeganNanos = System.nanoTime();
      if (pair > 0 && pairBeganNanos - beganNanos + longestNanos > budgetNanos) {
        break;
      }
      boolean firstA = pair % 2 == 0;
      T first = (firstA ? sideA : sideB).run(pair);
      T second = (firstA ? sideB : sideA).run(pair);
      double steal = Math.max(stealShare.applyAsDouble(first), stealShare.applyAsDouble(second));
      if (steal > STEAL_SHARE_MAX) {
        discarded++;
      } else {
        a.add(firstA ? first : second);
        b.add(firstA ? second : first);
      }
      longestNanos = Math.max(longestNanos, System.nanoTime() - pairBeganNanos);
    }
    if (a.isEmpty()) {
      throw new IOException("no pair counts: %d discarded for steal".formatted(discarded));
    }
  }

  public List<T> a() {
    return List.copyOf(a);
  }

  public List<T> b() {
    return List.copyOf(b);
  }

  public int discarded() {
    return discarded;
  }
}
