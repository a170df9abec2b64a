package io.widerow.ingest.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.ingest.intake.SenderLags.Lag;
import io.widerow.query.sizing.PlannedForm;
import io.widerow.query.sizing.TypePlan;
import io.widerow.storage.ClockReport;
import io.widerow.storage.StoreStatistics;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: each finding appears above its limit and not at it, and the worst comes first. Method: the
/// pure function with made-up facts.
class DiagnosisTest {
  private static final StoreStatistics NOTHING =
      new StoreStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "", "", List.of());

  private static TypeState type(String name, double weight, double share, int closed) {
    PartitionKey key = new PartitionKey(0, 60, name, 3);
    return new TypeState(
        new TypePlan(
            name,
            5,
            5,
            5,
            key,
            weight,
            60,
            2,
            new PlannedForm(15, 1),
            PartitionWeights.DEFAULT,
            closed,
            1),
        share * 40_000,
        share);
  }

  private static Facts facts(List<TypeState> types, List<Lag> senders, List<Facts.Lane> lanes) {
    return new Facts(types, senders, lanes, Facts.Backlog.NONE, 65 * 60_000_000_000L);
  }

  private static List<String> codes(Facts facts) {
    return Diagnosis.of(facts).stream().map(Finding::code).toList();
  }

  private static List<String> ofTypes(TypeState... types) {
    return codes(facts(List.of(types), List.of(), List.of()));
  }

  private static List<String> ofSender(Lag sender) {
    return codes(facts(List.of(), List.of(sender), List.of()));
  }

  @Test
  void nothingIsFoundWhereNothingIs() {
    assertEquals(List.of(), codes(Facts.NONE));
    assertEquals(List.of(), ofTypes(type("cpu", 2, 1, 1_001)));
    assertEquals(List.of(), ofSender(new Lag("a", 100, 30, 100, 20)));
    assertEquals(List.of(), ofSender(new Lag("a", 100, -1, 100, 20)));
  }

  @Test
  void partitionsAndTypesAreNamed() {
    assertEquals(List.of("hot-type"), ofTypes(type("cpu", 2, 1.01, 0)));
    assertEquals(List.of("oversize-partition"), ofTypes(type("cpu", 2.01, 1, 0)));
    assertEquals(List.of("undersize-partitions"), ofTypes(type("cpu", 2, 1, 1_002)));
    Finding wide =
        Diagnosis.of(facts(List.of(type("cpu", 9.5, 0, 0)), List.of(), List.of())).getFirst();
    assertEquals("1970-01-01T00|cpu|3", wide.subject());
    assertEquals(9.5, wide.value());
    assertEquals(2.0, wide.limit());
    List<TypeState> many = new ArrayList<>();
    for (int i = 0; i <= Diagnosis.TYPES_MAX; i++) {
      many.add(type("t" + i, 3, 0, 0));
    }
    List<String> named = codes(facts(many, List.of(), List.of()));
    assertEquals(Diagnosis.OF_CODE_MAX + 1, named.size(), "the worst of each code");
    assertTrue(named.contains("many-types"));
  }

  @Test
  void aLoadOfOldEventsIsAsHotAsTheyWereThen() {
    TypePlan plan = type("cpu", 1, 0, 0).plan();
    double now = TypeState.of(plan, 400_000, 100, 1).share();
    assertEquals(now / 100, TypeState.of(plan, 400_000, 100, 100).share(), now / 1e9);
    assertTrue(now > 1);
  }

  @Test
  void sendersAreNamed() {
    assertEquals(List.of("clock-skew"), ofSender(new Lag("a", 2, 30.1, 2, 0)));
    assertEquals(List.of("clock-skew"), ofSender(new Lag("a", 2, -1.1, 2, 0)));
    assertEquals(List.of(), ofSender(new Lag("a", 1, 90, 1, 0)), "one batch may be a retry");
    assertEquals(List.of("late-share"), ofSender(new Lag("a", 100, 5, 100, 21)));
    assertEquals(List.of(), ofSender(new Lag("a", 100, 5, 99, 99)));
  }

  @Test
  void lanesAreNamedWhenItIsNoChance() {
    List<Facts.Lane> skewed = List.of(new Facts.Lane(90_000, 80), new Facts.Lane(10_000, 40));
    assertEquals(List.of("lane-skew"), codes(facts(List.of(), List.of(), skewed)));
    List<Facts.Lane> few = List.of(new Facts.Lane(90_000, 5), new Facts.Lane(10_000, 4));
    assertEquals(List.of(), codes(facts(List.of(), List.of(), few)));
    assertEquals(
        List.of(), codes(facts(List.of(), List.of(), List.of(new Facts.Lane(90_000, 80)))));
  }

  @Test
  void backlogIsNamedWhenItStays() {
    assertEquals(List.of("retention-backlog"), backlog(65L << 20, 100L << 20, 121));
    assertEquals(List.of(), backlog(65L << 20, 100L << 20, 120), "it may go yet");
    assertEquals(List.of(), backlog(64L << 20, 100L << 20, 121), "less is left by merging");
    assertEquals(List.of(), backlog(65L << 20, 651L << 20, 121));
  }

  private static List<String> backlog(long bytes, long ofBytes, double seconds) {
    return codes(
        new Facts(List.of(), List.of(), List.of(), new Facts.Backlog(bytes, ofBytes, seconds), 0));
  }

  private static Conditions conditions(long usable, ClockReport clock) {
    return new Conditions(null, null, usable, 500, clock, NOTHING, null, 0);
  }

  @Test
  void conditionsAreFindings() {
    assertEquals(List.of(), conditions(1_000, ClockReport.right()).findings());
    assertEquals("disk", conditions(999, ClockReport.right()).findings().getFirst().code());
    var jumped = new ClockReport(ClockReport.State.REFUSED, "it is 2036");
    Finding clock = conditions(1_000, jumped).findings().getFirst();
    assertEquals("clock-jump", clock.code());
    assertEquals(
        "{\"code\":\"clock-jump\",\"severity\":\"bad\",\"subject\":\"clock\",\"value\":null,"
            + "\"limit\":null,\"sentence\":\"events without a time of their own are refused: it is"
            + " 2036 (POST /v1/admin/accept-clock)\",\"do\":\"set the clock right, or accept it as"
            + " it is with POST /v1/admin/accept-clock\"}",
        clock.append(new StringBuilder()).toString());
    var broken =
        new Conditions("disk gone", "no room", 1, 500, ClockReport.right(), NOTHING, null, 0);
    assertEquals(
        List.of("write-failure", "disk"), broken.findings().stream().map(Finding::code).toList());
  }

  @Test
  void worstComesFirst() {
    List<Finding> findings = new ArrayList<>(conditions(999, ClockReport.right()).findings());
    findings.addAll(
        Diagnosis.of(
            facts(List.of(type("a", 2.5, 0, 2_000), type("b", 9, 0, 0)), List.of(), List.of())));
    findings.add(Finding.of("x", Finding.Severity.BAD, "s", "is", "do"));
    assertEquals(
        List.of("x", "oversize-partition", "oversize-partition", "disk", "undersize-partitions"),
        findings.stream().sorted(Finding.WORST_FIRST).map(Finding::code).toList());
  }
}
