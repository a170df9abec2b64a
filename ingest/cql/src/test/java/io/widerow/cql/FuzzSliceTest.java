package io.widerow.cql;

import io.widerow.fuzz.FuzzSlice;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: any statement, frame or file is read or refused. Method: a short run of the fuzzing that
/// `mvn -Pfuzz` does for hours.
class FuzzSliceTest {
  @ParameterizedTest
  @EnumSource(FuzzTargets.class)
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void anyInputIsReadOrRefused(FuzzTargets target) throws IOException {
    FuzzSlice.run(target, target == FuzzTargets.CQL ? 10_000 : 1_000);
  }
}
