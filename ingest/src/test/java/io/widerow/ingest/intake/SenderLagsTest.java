package io.widerow.ingest.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.IncomingBatch;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the least lag of the last minute of each sender is right, machines that share a name are
/// told apart, and the busiest ones stay in a full table. Method: made-up batches and times.
class SenderLagsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_763_666_100L; // seconds

  private static BatchSample sample(String host, String address, long lagSeconds, int old) {
    return new BatchSample("cpu", 0, host, address, lagSeconds * SECOND, 10, old, false);
  }

  @Test
  void leastLagOfTheLastMinuteCounts() {
    SenderLags lags = new SenderLags();
    lags.add("a", sample("", "", 95, 5), NOW);
    lags.add("a", sample("", "", 90, 0), NOW + 30);
    assertEquals(List.of(new SenderLags.Lag("a", 2, 90, 20, 5)), lags.list(NOW + 31));
    assertEquals(List.of(new SenderLags.Lag("a", 1, 90, 10, 0)), lags.list(NOW + 61));
    assertEquals(List.of(), lags.list(NOW + 100), "it sent nothing for a minute");
    lags.add("a", sample("", "", 1, 0), NOW + 200);
    assertEquals(1, lags.list(NOW + 200).getFirst().leastSeconds());
  }

  @Test
  void machinesWithOneTokenAreToldApart() {
    SenderLags lags = new SenderLags();
    lags.add("fleet", sample("web1", "10.0.0.1", 0, 0), NOW);
    lags.add("fleet", sample("web2", "10.0.0.1", 90, 0), NOW);
    lags.add("10.0.0.9", sample("", "10.0.0.9", 5, 0), NOW);
    List<String> names = lags.list(NOW).stream().map(SenderLags.Lag::name).sorted().toList();
    assertEquals(
        List.of("10.0.0.9", "fleet at 10.0.0.1, host web1", "fleet at 10.0.0.1, host web2"), names);
  }

  @Test
  void busySendersStayInAFullTable() {
    SenderLags lags = new SenderLags();
    for (int i = 0; i < 20 * SenderLags.KEPT_MAX; i++) {
      lags.add("rare" + i, sample("", "", 0, 0), NOW);
      if (i % 100 == 0) { // a hundredth of all, ten times what keeps a place for sure
        lags.add("busy", sample("", "", 90, 0), NOW);
      }
    }
    List<SenderLags.Lag> all = lags.list(NOW);
    assertEquals(SenderLags.KEPT_MAX, all.size());
    SenderLags.Lag busy =
        all.stream().filter(lag -> lag.name().equals("busy")).findFirst().orElseThrow();
    assertTrue(busy.batches() >= 190, busy::toString);
  }

  @Test
  void sampleOfABatchHasItsNewestEventAndCountsTheOld() {
    try (var events = new EventBatch(1 << 10, 1 << 20)) {
      var batch = new IncomingBatch(events, NOW * SECOND);
      byte[] text = "cpuhostweb1".getBytes(StandardCharsets.UTF_8);
      for (long age : new long[] {7_200, 40, 90, 3_601}) {
        events.begin(text, 0, 3, (NOW - age) * SECOND);
        events.putString(text, 3, 4, text, 7, 4);
        assertTrue(batch.end());
      }
      BatchSample sample = BatchSample.of(batch, (NOW - 3_600) * SECOND);
      assertEquals(
          new BatchSample("cpu", 7_200 * SECOND, "web1", "", 40 * SECOND, 4, 2, false), sample);
      assertEquals("10.0.0.1", sample.from("10.0.0.1").address());
      batch.useArrivalTime();
      assertEquals(0, BatchSample.of(batch, 0).events(), "arrival times say nothing");
    }
  }
}
