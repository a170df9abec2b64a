package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the limits fit any heap, and always make a valid configuration. Method: the shares of
/// heaps of all sizes, and the expected values of common ones.
class HeapSharesTest {
  private static final long MIB = 1L << 20;

  @Test
  void theUsualHeapHasTheUsualLimits() {
    int body = (int) (20 * MIB);
    assertEquals(new HeapShares(256 * MIB, 260 * MIB, body, 96 * MIB), HeapShares.of(256 * MIB));
    assertEquals(
        new HeapShares(256 * MIB, 1_220 * MIB, body, 480 * MIB), HeapShares.of(1_024 * MIB));
    assertEquals(
        new HeapShares(20 * MIB, 20 * MIB, (int) (2 * MIB), 8 * MIB), HeapShares.of(64 * MIB));
  }

  @Test
  void largerBodiesGetMoreCreditWhereTheHeapHasIt() {
    HeapShares shares = HeapShares.of(1_024 * MIB);
    assertEquals(256 * MIB, shares.creditBytes((int) (64 * MIB)));
    assertEquals(400 * MIB, shares.creditBytes((int) (100 * MIB)));
    int tooLarge = (int) (1_500 * MIB);
    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> DaemonConfig.of(Map.of("body-bytes-max", Integer.toString(tooLarge))));
    assertTrue(
        String.valueOf(refused.getMessage()).contains("give a larger heap in WIDEROW_JAVA_OPTS"),
        refused.getMessage());
  }

  @ParameterizedTest(name = "{0} MiB")
  @ValueSource(longs = {8, 32, 48, 64, 96, 128, 200, 247, 256, 1_000, 100_000})
  void defaultsMakeAValidConfigurationForAnyHeap(long mebibytes) {
    HeapShares shares = HeapShares.of(mebibytes * MIB);
    assertTrue(shares.creditBytes() >= 4L * shares.bodyBytesMax());
    assertTrue(shares.queryMemoryBytes() <= Math.max(8, mebibytes) * MIB / 2 + 4 * MIB);
    assertTrue(mebibytes < 64 || shares.creditBytes() <= 5 * mebibytes * MIB / 4);
  }
}
