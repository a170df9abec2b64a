package io.widerow.query;

import io.widerow.fuzz.FuzzSlice;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: any input gives a value or a refusal. Method: a short run of the fuzzing that `mvn -Pfuzz`
/// does for hours.
class FuzzSliceTest {
  @ParameterizedTest
  @EnumSource(FuzzTargets.class)
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void anyInputIsReadOrRefused(FuzzTargets target) throws IOException {
    boolean writesFiles = target.name().startsWith("PARQUET");
    FuzzSlice.run(target, writesFiles ? 1_000 : 10_000);
  }
}
