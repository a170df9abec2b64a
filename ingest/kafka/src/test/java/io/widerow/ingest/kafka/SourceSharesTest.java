package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.intake.ByteCredit;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: whatever waits in Kafka, the sources of a daemon hold at most half of the credit, and what
/// their clients fetch before they claim it is small to that. Method: the account itself, for
/// credits of 4 MiB to 4 GiB, threads and numbers of partitions, and random claims.
class SourceSharesTest {
  private static final long MIB = 1 << 20;

  @Test
  void whatIsFetchedIsAQuarterOfTheShareAtMost() {
    for (long bytes = 64 * MIB; bytes <= 4_096 * MIB; bytes *= 2) {
      for (int pollers = 1; pollers <= 16; pollers *= 2) {
        SourceShares shares = new SourceShares(new ByteCredit(bytes), pollers, Map.of());
        long fetched = (long) pollers * shares.fetchBytesMax();
        assertTrue(fetched <= bytes / 8, fetched + " of " + bytes);
        for (int partitions = 1; partitions <= shares.fetchBytesMax() >> 16; partitions *= 2) {
          long kept = (long) partitions * shares.partitionBytesMax(partitions);
          assertTrue(kept <= shares.fetchBytesMax(), kept + " of " + partitions);
        }
      }
    }
  }

  @Test
  void sourcesHoldHalfOfTheCreditAtMost() {
    SplittableRandom random = new SplittableRandom(1);
    for (int run = 0; run < 100; run++) {
      ByteCredit credit = new ByteCredit(4 * MIB);
      SourceShares shares = new SourceShares(credit, 2, Map.of());
      long held = 0;
      for (int step = 0; step < 200; step++) {
        long bytes = random.nextLong(MIB);
        if (random.nextBoolean() && shares.tryClaim(bytes, held == 0)) {
          held += bytes;
        } else if (held > 0) {
          long freed = Math.min(held, bytes);
          shares.release(freed);
          held -= freed;
        }
        assertTrue(held <= 2 * MIB, held + " bytes");
        assertEquals(held, credit.bytesUsed());
      }
    }
  }

  /// Others wait until it is stored, and it does not wait for them.
  @Test
  void aBatchAboveTheShareIsAlone() {
    ByteCredit credit = new ByteCredit(4 * MIB);
    SourceShares shares = new SourceShares(credit, 1, Map.of());
    assertTrue(shares.tryClaim(MIB, true));
    assertFalse(shares.tryClaim(3 * MIB, false));
    shares.release(MIB);
    assertTrue(shares.tryClaim(3 * MIB, true));
    assertFalse(shares.tryClaim(1, false));
    shares.release(3 * MIB);
    assertEquals(0, credit.bytesUsed());
  }
}
