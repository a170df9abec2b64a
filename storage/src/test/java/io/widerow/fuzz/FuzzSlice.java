package io.widerow.fuzz;

import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;

/// The part of fuzzing that runs in `verify`: all seeds of a target, and a number of inputs mutated
/// from them. A failing input is printed in base64; [FuzzRun] replays it with `-Dfuzz.input`.
public final class FuzzSlice {
  private FuzzSlice() {}

  /// @throws AssertionError with the input that the target cannot read
  public static void run(FuzzTarget target, long seed, int rounds) throws IOException {
    List<byte[]> seeds = target.allSeeds();
    for (byte[] input : seeds) {
      check(target, input);
    }
    Mutator mutator = new Mutator(new SplittableRandom(seed), seeds);
    for (int round = 0; round < rounds; round++) {
      check(target, mutator.next());
    }
  }

  private static void check(FuzzTarget target, byte[] input) {
    try {
      FuzzCheck.run(target, input);
    } catch (Throwable found) {
      throw new AssertionError(
          "%s cannot read %s: %s"
              .formatted(target.name(), Base64.getEncoder().encodeToString(input), found),
          found);
    }
  }
}
