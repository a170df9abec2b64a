package io.widerow.fuzz;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;

/// The part of fuzzing that runs in `verify`: all seeds of a target, and a number of inputs mutated
/// from them, a fifth of it in the first tier. A failing input is printed in base64; [FuzzRun]
/// replays it with `-Dfuzz.input`.
public final class FuzzSlice {
  private FuzzSlice() {}

  /// @param rounds how many inputs all of it has
  /// @throws AssertionError with the input that the target cannot read
  public static void run(FuzzTarget target, int rounds) throws IOException {
    List<byte[]> seeds = target.allSeeds();
    for (byte[] input : seeds) {
      check(target, input);
    }
    Mutator mutator = new Mutator(new SplittableRandom(Seeds.one()), seeds);
    int some = Slice.of(Math.ceilDiv(rounds, 5), rounds);
    for (int round = 0; round < some; round++) {
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
