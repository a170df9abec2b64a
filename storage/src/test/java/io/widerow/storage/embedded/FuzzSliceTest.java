package io.widerow.storage.embedded;

import io.widerow.fuzz.FuzzSlice;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a forged file never crashes the program, never makes it read out of bounds, and never
/// takes unbounded memory. Method: a short run of what `mvn -Pfuzz` does for hours.
class FuzzSliceTest {
  @ParameterizedTest
  @EnumSource(FuzzTargets.class)
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void madeUpFilesAreReadOrRefused(FuzzTargets target) throws IOException {
    FuzzSlice.run(target, target == FuzzTargets.RECOVERY ? 200 : 1_000);
  }
}
