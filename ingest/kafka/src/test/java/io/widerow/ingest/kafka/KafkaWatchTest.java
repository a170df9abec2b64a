package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.widerow.ingest.doctor.Finding;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: findings come when their time or number is reached, and go with their cause; metrics are
/// those of the topic. Method: a watch over states and a clock that the test sets.
class KafkaWatchTest {
  private static final long SECOND = 1_000_000_000;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private long now;
  private @Nullable String reason;
  private boolean diskFull;
  private int unread;
  private PartitionState state = state("reading", 0, 0, 0);
  private final KafkaWatch watch =
      new KafkaWatch(
          "kafka",
          () -> List.of(state),
          () -> reason,
          () -> diskFull,
          () -> unread,
          () -> 4,
          registry,
          () -> now);

  private static PartitionState state(String state, long lag, long records, long rejected) {
    return state(state, lag, records, rejected, 0);
  }

  private static PartitionState state(
      String state, long lag, long records, long rejected, double owed) {
    return new PartitionState(
        "kafka", "t", "id", 0, state, 0, lag, 1.5, records, rejected, 0, 3, owed, 7, List.of(),
        null);
  }

  private List<String> findingsAfter(int seconds) {
    for (int i = 0; i < seconds; i++) {
      now += SECOND;
      watch.look();
    }
    return watch.findings().stream().map(Finding::code).toList();
  }

  @Test
  void absentBrokersAreReportedAfterHalfAMinute() {
    reason = "no broker answers";
    assertEquals(List.of(), findingsAfter(30));
    assertEquals(List.of("kafka-away"), findingsAfter(1));
    reason = null;
    assertEquals(List.of(), findingsAfter(1));
  }

  @Test
  void aLagThatGrowsForFiveMinutesIsReported() {
    assertEquals(List.of(), findingsAfter(31));
    for (int step = 1; step < 10; step++) {
      state = state("reading", step, 0, 0);
      assertEquals(List.of(), findingsAfter(30), "step " + step);
    }
    state = state("reading", 10, 0, 0);
    assertEquals(List.of("kafka-lag"), findingsAfter(30));
    assertEquals(List.of(), findingsAfter(30), "it does not grow any more");
  }

  @Test
  void aThousandRefusalsInARowAreReported() {
    state = state("reading", 0, 999, 999);
    assertEquals(List.of(), findingsAfter(1));
    state = state("reading", 0, 1_000, 1_000);
    assertEquals(List.of("kafka-format"), findingsAfter(10));
    state = state("reading", 0, 1_002, 1_001);
    assertEquals(List.of(), findingsAfter(1));
  }

  @Test
  void lettersThatAreOwedForHalfAMinuteAreReported() {
    state = state("reading", 0, 0, 0, 30);
    assertEquals(List.of(), findingsAfter(1));
    state = state("reading", 0, 0, 0, 31);
    assertEquals(List.of("kafka-dead-letter"), findingsAfter(1));
    state = state("reading", 0, 0, 0);
    assertEquals(List.of(), findingsAfter(1));
  }

  @Test
  void partitionsThatNobodyReadsAreReportedAfterHalfAMinute() {
    unread = 2;
    assertEquals(List.of(), findingsAfter(30));
    assertEquals(List.of("kafka-unread"), findingsAfter(1));
    unread = 0;
    assertEquals(List.of(), findingsAfter(1));
    assertEquals(4.0, registry.get("widerow.kafka.rebalances").functionCounter().count());
  }

  @Test
  void pausesAreCountedByTheirCause() {
    state = state("paused", 0, 0, 0);
    List<String> _ = findingsAfter(3);
    diskFull = true;
    List<String> _ = findingsAfter(2);
    assertEquals(3.0, paused("room"));
    assertEquals(2.0, paused("disk"));
    assertEquals(
        7.0,
        registry
            .get("widerow.kafka.bytes")
            .tags("source", "kafka", "topic", "t")
            .functionCounter()
            .count());
  }

  private double paused(String why) {
    return registry.get("widerow.kafka.paused.seconds").tags("why", why).functionCounter().count();
  }
}
