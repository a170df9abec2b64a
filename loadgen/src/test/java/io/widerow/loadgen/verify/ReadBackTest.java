package io.widerow.loadgen.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.LoadCommand;
import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.verify.Findings.Kind;
import io.widerow.loadgen.verify.Ledger.Entry;
import io.widerow.loadgen.wire.Failure;
import io.widerow.loadgen.wire.FakeTarget;
import io.widerow.loadgen.wire.Reply;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.PreparedBatch;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.SamplePool;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Stamper;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a target that loses, repeats, reorders, changes or invents is found out, and a right one
/// is not accused. Method: the answer of a right target, with one fault planted at a random place.
class ReadBackTest {
  private static final int EVENTS = 200;
  private static final Workload WORKLOAD =
      new Workload(Scenario.ACCESS, 3, 10, EVENTS, 2, 1, 1, 0, 0, 0, 1_795_000_000_000_000_000L, 7);

  @TempDir private Path directory;

  private final List<List<Sample>> samples = new ArrayList<>();
  private final List<Entry> entries = new ArrayList<>();

  /// What a right target answers.
  private List<Map<String, String>> answer() {
    BatchPool pool = BatchPool.prepare(WORKLOAD, Target.WIDEROW_JSON, 1);
    SamplePool drawn = new SamplePool(WORKLOAD);
    List<Map<String, String>> events = new ArrayList<>();
    for (int slot = 0; slot < pool.batches().size(); slot++) {
      samples.add(drawn.nextBatch());
      entries.add(new Entry(slot * 10L, slot, 10, 10));
      PreparedBatch batch = pool.batches().get(slot);
      batch.stamp(new Stamper(), WORKLOAD, slot * 10L);
      ByteBuffer bytes = batch.bytes().clear();
      for (String line : StandardCharsets.UTF_8.decode(bytes).toString().split("\n", -1)) {
        if (!line.isEmpty()) {
          Map<String, String> event = new HashMap<>(FlatJson.parse(line));
          event.put("id", id(events.size()).toString());
          events.add(event);
        }
      }
    }
    assertEquals(EVENTS, events.size());
    return events;
  }

  private static UUID id(int number) {
    return new UUID(((long) number << 32) | 0x1000, 0x8000_0000_0000_0000L);
  }

  private Findings check(List<Map<String, String>> answer) {
    ReadBackCheck check = new ReadBackCheck(WORKLOAD, Target.WIDEROW_JSON, samples, entries);
    answer.forEach(check::see);
    return check.finish();
  }

  @Test
  void rightAnswerIsNotAccused() {
    assertTrue(check(answer()).isEmpty());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void lossIsFound(long seed) {
    List<Map<String, String>> answer = answer();
    answer.remove(new SplittableRandom(seed).nextInt(EVENTS));
    Findings findings = check(answer);
    assertEquals(1, findings.count(Kind.LOST), findings.toString());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void repeatIsFound(long seed) {
    List<Map<String, String>> answer = answer();
    Map<String, String> again =
        new HashMap<>(answer.get(new SplittableRandom(seed).nextInt(EVENTS)));
    again.put("id", id(EVENTS).toString());
    answer.add(again);
    Findings findings = check(answer);
    assertEquals(1, findings.count(Kind.REPEATED), findings.toString());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void disorderIsFound(long seed) {
    List<Map<String, String>> answer = answer();
    int place = new SplittableRandom(seed).nextInt(EVENTS - 1);
    Collections.swap(answer, place, place + 1);
    Findings findings = check(answer);
    assertTrue(findings.count(Kind.DISORDER) >= 1, findings.toString());
    assertEquals(0, findings.count(Kind.LOST), findings.toString());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void changeAndInventionAreFound(long seed) {
    List<Map<String, String>> answer = answer();
    Map<String, String> event = answer.get(new SplittableRandom(seed).nextInt(EVENTS));
    event.merge("body", "", (body, _) -> "x" + body);
    answer.add(Map.of("id", id(EVENTS).toString(), "body", "hello"));
    Findings findings = check(answer);
    assertEquals(1, findings.count(Kind.CHANGED), findings.toString());
    assertEquals(1, findings.count(Kind.INVENTED), findings.toString());
  }

  @Test
  void eventsWithoutAcknowledgementMayBeThereOrNot() {
    List<Map<String, String>> answer = answer();
    Entry unsure = entries.get(3);
    entries.set(3, new Entry(unsure.sequenceFirst(), unsure.slot(), unsure.events(), 0));
    answer.remove(31);
    assertTrue(check(answer).isEmpty());
  }

  @Test
  void ledgerGivesBackWhatItWasToldAndRefusesDamage() throws IOException {
    Path path = directory.resolve("ledger");
    try (Ledger ledger = new Ledger(path)) {
      ledger.answered(0, 1, 10, Reply.accepted(10));
      ledger.answered(10, 2, 10, Reply.failed(Failure.CLOSED, ""));
    }
    assertEquals(List.of(new Entry(0, 1, 10, 10), new Entry(10, 2, 10, 0)), Ledger.read(path));
    byte[] bytes = Files.readAllBytes(path);
    bytes[30] ^= 1;
    Files.write(path, bytes);
    assertThrows(IOException.class, () -> Ledger.read(path));
  }

  @Test
  void wholeRunIsReadBackFromItsTarget() throws IOException {
    try (FakeTarget target = new FakeTarget()) {
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      int code =
          LoadCommand.run(
              new PrintWriter(out),
              new PrintWriter(err),
              "--url=" + target.url(),
              "--target=widerow-json",
              "--batch=10",
              "--events=500",
              "--warmup=0s",
              "--connections=1",
              "--step=1us",
              "--verify",
              "--ledger=" + directory.resolve("ledger"));
      assertEquals(0, code, out.toString() + err);
      assertTrue(out.toString().contains("each once, in order"), out.toString());
    }
  }
}
