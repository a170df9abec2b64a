package io.widerow.ingest;

import io.widerow.fuzz.FuzzSlice;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: any input becomes events or refusals. Method: a few seconds of what `mvn -Pfuzz` does for
/// hours.
class FuzzSliceTest {
  @ParameterizedTest
  @EnumSource(FuzzTargets.class)
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void whateverIsSentIsDecodedOrRefused(FuzzTargets target) throws IOException {
    FuzzSlice.run(target, 2_000);
  }
}
