package io.widerow.loadgen.workload;

import java.util.Arrays;
import java.util.SplittableRandom;

/// Zipf distribution over `0..n-1`: number `i` has the weight `1 / (i + 1)^exponent`.
final class Zipf {
  private final double[] sums;

  Zipf(int count, double exponent) {
    sums = new double[count];
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += 1 / Math.pow(i + 1.0, exponent);
      sums[i] = sum;
    }
  }

  int draw(SplittableRandom random) {
    int found = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
    return Math.min(found < 0 ? -found - 1 : found, sums.length - 1);
  }
}
