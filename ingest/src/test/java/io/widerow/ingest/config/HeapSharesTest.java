package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the defaults fit any heap, and always make a valid configuration. Method: the shares of
/// heaps of all sizes, and the expected values of common ones.
class HeapSharesTest {
  private static final long MIB = 1L << 20;

  @Test
  void theUsualHeapHasTheUsualLimits() {
    HeapShares usual = new HeapShares(256 * MIB, (int) (20 * MIB), 96 * MIB);
    assertEquals(usual, HeapShares.of(256 * MIB));
    assertEquals(usual, HeapShares.of(65_536 * MIB));
    assertEquals(new HeapShares(20 * MIB, (int) (2 * MIB), 8 * MIB), HeapShares.of(64 * MIB));
  }

  @ParameterizedTest(name = "{0} MiB")
  @ValueSource(longs = {8, 32, 48, 64, 96, 128, 200, 247, 256, 1_000, 100_000})
  void defaultsMakeAValidConfigurationForAnyHeap(long mebibytes) {
    HeapShares shares = HeapShares.of(mebibytes * MIB);
    DaemonConfig config =
        DaemonConfig.of(
            Map.of(
                "credit-bytes", Long.toString(shares.creditBytes()),
                "body-bytes-max", Integer.toString(shares.bodyBytesMax()),
                "query-memory-bytes", Long.toString(shares.queryMemoryBytes())));
    assertEquals(shares.creditBytes(), config.creditBytes());
    assertTrue(mebibytes < 64 || shares.creditBytes() <= 5 * mebibytes * MIB / 4);
  }
}
