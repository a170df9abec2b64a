package io.widerow.loadgen.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.format.Quantity;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a seed decides every byte, for every scenario and target, and no event repeats. Method:
/// prepare and stamp twice, and compare.
class BatchPoolTest {
  private static final long FROM_NANOS = 1_795_000_000L * Quantity.SECOND;

  /// Targets that send any number of the scenario's events in a request.
  private static List<Target> carrying(Scenario scenario) {
    return Stream.of(Target.values())
        .filter(target -> target.carries(scenario) && target.batchEventsMax() > 20)
        .toList();
  }

  private static Workload workload(Scenario scenario, long seed) {
    return new Workload(
        scenario, seed, 20, 100, 5, 1, 7, 0.1, Quantity.SECOND, 0.3, FROM_NANOS, 1_000_003);
  }

  private static String bytes(Workload workload, Target target) {
    StringBuilder all = new StringBuilder();
    long sequence = 0;
    for (PreparedBatch batch : BatchPool.prepare(workload, target, 1).batches()) {
      batch.stamp(new Stamper(), workload, sequence);
      sequence += batch.events();
      byte[] bytes = new byte[batch.bytes().capacity()];
      batch.bytes().get(0, bytes);
      all.append(batch.type()).append('\n').append(new String(bytes, StandardCharsets.UTF_8));
    }
    return all.toString();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void seedDecidesEveryByte(long seed) {
    for (Scenario scenario : Scenario.values()) {
      for (Target target : carrying(scenario)) {
        String once = bytes(workload(scenario, seed), target);
        assertEquals(once, bytes(workload(scenario, seed), target));
        assertNotEquals(once, bytes(workload(scenario, seed + 1), target));
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void textAndJsonCarryTheSameLines(long seed) {
    Workload workload = workload(Scenario.BROKER, seed);
    List<String> text =
        bytes(workload, Target.WIDEROW_TEXT).lines().filter(line -> line.startsWith("[")).toList();
    List<String> json =
        bytes(workload, Target.WIDEROW_JSON)
            .lines()
            .filter(line -> line.startsWith("{"))
            .map(line -> line.substring(line.indexOf("\"body\":\"") + 8, line.length() - 2))
            .map(line -> line.replace("\\\"", "\"").replace("\\\\", "\\"))
            .toList();
    assertEquals(text, json);
  }

  @ParameterizedTest
  @EnumSource
  void noEventRepeatsAndAllAreWhole(Scenario scenario) {
    Set<String> seen = new HashSet<>();
    Pattern sequence =
        Pattern.compile(scenario == Scenario.FIELDS ? "\"ts\":\"[^\"]*\"" : "(seq|value)=\\d{13}");
    List<String> lines =
        bytes(
                workload(scenario, 1),
                scenario == Scenario.FIELDS ? Target.WIDEROW_JSON : Target.WIDEROW_TEXT)
            .lines()
            .filter(line -> sequence.matcher(line).find())
            .toList();
    assertEquals(100, lines.size());
    for (String line : lines) {
      Matcher matcher = sequence.matcher(line);
      assertTrue(matcher.find(), line);
      assertTrue(seen.add(scenario == Scenario.FIELDS ? line : matcher.replaceAll("")), line);
      assertTrue(line.chars().noneMatch(c -> c == 0 || Stamp.isMark((char) c)), line);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void syslogFramesAreAsLongAsTheySay(long seed) {
    byte[] bytes =
        bytes(
                new Workload(Scenario.ACCESS, seed, 50, 50, 1, 1, 7, 0, 0, 0, FROM_NANOS, 1_000),
                Target.SYSLOG)
            .substring("access\n".length())
            .getBytes(StandardCharsets.UTF_8);
    int frames = 0;
    for (int at = 0; at < bytes.length; frames++) {
      int space = at;
      while (bytes[space] != ' ') {
        space++;
      }
      int length = Integer.parseInt(new String(bytes, at, space - at, StandardCharsets.US_ASCII));
      at = space + 1 + length;
    }
    assertEquals(50, frames);
  }
}
