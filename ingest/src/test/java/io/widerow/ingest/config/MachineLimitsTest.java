package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Goal: on any machine the memory of the daemon stays below the memory of the machine, and a
/// larger machine never gets less. Method: a grid of machines from 512 MiB to 64 GiB and from 1 to
/// 64 processors, each compared with its neighbours; the table of the document is made from it.
class MachineLimitsTest {
  private static final long MIB = 1L << 20;
  private static final Path PAGE = Path.of("docs/LIMITS.md");
  private static final String BEGIN =
      "<!-- sizes: MachineLimitsTest holds this table to the code -->";
  private static final String END = "<!-- end of sizes -->";
  private static final List<Integer> PROCESSORS = List.of(1, 2, 3, 4, 6, 8, 12, 16, 32, 48, 64);

  private static List<Long> memories() {
    List<Long> memories = new ArrayList<>();
    for (long mebibytes = 512; mebibytes <= 65_536; mebibytes += Math.max(16, mebibytes / 16)) {
      memories.add(mebibytes * MIB + mebibytes % 7); // not all round
    }
    memories.add(65_536 * MIB);
    return memories;
  }

  private static long nativeBytes(MachineLimits machine) {
    int lanes = machine.lanes();
    HeapShares shares = HeapShares.of(machine.heapBytes());
    return machine.nativeBytes(
        lanes,
        machine.openBytes(lanes),
        shares.creditBytes(shares.bodyBytesMax()),
        machine.heapBytes());
  }

  @Test
  void theSumStaysBelowTheMemory() {
    for (long memory : memories()) {
      for (int processors : PROCESSORS) {
        MachineLimits machine = new MachineLimits(memory, processors);
        long sum = machine.heapBytes() + nativeBytes(machine);
        assertTrue(sum < memory, machine + " needs " + sum / MIB + " MiB");
      }
    }
  }

  /// All limits of a machine by name.
  private static Map<String, Long> limits(MachineLimits machine) {
    int lanes = machine.lanes();
    HeapShares shares = HeapShares.of(machine.heapBytes());
    Map<String, Long> limits = new TreeMap<>();
    limits.put("heap", machine.heapBytes());
    limits.put("lanes", (long) lanes);
    limits.put("open rows", machine.openBytes(lanes));
    limits.put("buffers", machine.networkBytes());
    limits.put("network threads", (long) machine.networkThreads());
    limits.put("search threads", (long) machine.searchThreads());
    limits.put("idle batches", (long) machine.idleBatches());
    limits.put("keys of a ledger", (long) machine.ledgerKeysMax(1));
    limits.put("bodies", shares.creditBytes());
    limits.put("largest body", (long) shares.bodyBytesMax());
    limits.put("queries", shares.queryMemoryBytes());
    return limits;
  }

  private static void assertNoLess(MachineLimits smaller, MachineLimits larger) {
    Map<String, Long> before = limits(smaller);
    limits(larger)
        .forEach((name, limit) ->
            assertTrue(
                limit >= before.getOrDefault(name, 0L),
                name + " of " + larger + " below " + smaller));
  }

  @Test
  void moreMemoryOrProcessorsNeverGiveLess() {
    List<Long> memories = memories();
    for (int m = 0; m < memories.size(); m++) {
      for (int p = 0; p < PROCESSORS.size(); p++) {
        MachineLimits machine = new MachineLimits(memories.get(m), PROCESSORS.get(p));
        if (m > 0) {
          assertNoLess(new MachineLimits(memories.get(m - 1), PROCESSORS.get(p)), machine);
        }
        if (p > 0) {
          assertNoLess(new MachineLimits(memories.get(m), PROCESSORS.get(p - 1)), machine);
        }
      }
    }
  }

  @Test
  void theDefaultsOfAnyMachineAreValid() {
    for (long memory : memories()) {
      for (int lanes = 1; lanes <= 64; lanes++) {
        long open = new MachineLimits(memory, 64).openBytes(lanes);
        assertTrue(open >= 2 * MIB * lanes && open / lanes <= 16_384 * MIB, lanes + " lanes");
        int keys = new MachineLimits(memory, 64).ledgerKeysMax(lanes);
        assertTrue(Integer.bitCount(keys) == 1 && keys > FixedLimits.LEDGER_KEYS, keys + " keys");
      }
    }
  }

  /// With two processors and 24 GiB, on which the results in bench-results were measured.
  @Test
  void theLimitsOfTheBenchmarksAreTheUsualOnes() {
    MachineLimits machine = new MachineLimits(24_105 * MIB, 2);
    assertEquals(1, machine.lanes());
    assertEquals(256 * MIB, machine.openBytes(1));
    assertEquals(2, machine.networkThreads());
    assertEquals(1, machine.searchThreads());
    assertEquals(64, machine.idleBatches());
    assertEquals(1 << 20, machine.ledgerKeysMax(1));
  }

  @Test
  void theReasonOfALimitIsTheOneThatDecides() {
    MachineLimits small = new MachineLimits(512 * MIB, 16);
    assertEquals("256 MiB each, of 512 MiB", small.lanesBasis());
    assertEquals("64 MiB each, of 512 MiB", small.networkThreadsBasis());
    assertEquals("1/16 of 512 MiB", small.openBytesBasis(2));
    assertEquals("2 MiB a lane at least", small.openBytesBasis(64));
    MachineLimits large = new MachineLimits(65_536 * MIB, 16);
    assertEquals("half the processors (16), 1 to 8", large.lanesBasis());
    assertEquals("one for each processor", large.networkThreadsBasis());
    assertEquals("128 MiB a lane at most", large.openBytesBasis(8));
    assertEquals("256 MiB at most, lanes=1", large.openBytesBasis(1));
  }

  /// The JVM computes the heap from the same memory: a quarter of it, with this initial size.
  @Test
  void theLauncherLeavesTheHeapToTheJvm() throws IOException {
    String pom = Files.readString(Path.of("../pom.xml"));
    String options = pom.replaceAll("(?s).*<jvm.serve>(.*)</jvm.serve>.*", "$1");
    assertTrue(options.contains("-Xms128m "), options);
    assertFalse(options.contains("-Xmx") || options.contains("RAMPercentage"), options);
    assertEquals(128 * MIB, new MachineLimits(MachineLimits.MEMORY_LEAST, 1).heapBytes());
  }

  @Test
  void theDocumentHasTheTable() throws IOException {
    StringBuilder table =
        new StringBuilder(
            """


            | memory | processors | heap at most | `open-bytes` | `lanes` | network threads \
            | buffers | native memory at most |
            |---|---|---|---|---|---|---|---|
            """);
    long[][] machines = {
      {512, 1}, {1_024, 1}, {2_048, 2}, {4_096, 2}, {8_192, 4}, {24_576, 2}, {65_536, 64}
    };
    for (long[] of : machines) {
      MachineLimits machine = new MachineLimits(of[0] * MIB, (int) of[1]);
      int lanes = machine.lanes();
      table.append(
          "| %s | %d | %s | %s | %d | %d | %s | %s |\n"
              .formatted(
                  Size.text(machine.memoryBytes()),
                  machine.processors(),
                  Size.text(machine.heapBytes()),
                  Size.text(machine.openBytes(lanes)),
                  lanes,
                  machine.networkThreads(),
                  Size.text(machine.networkBytes()),
                  Size.text(nativeBytes(machine))));
    }
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    if (Boolean.getBoolean("write")) {
      page = page.substring(0, begin) + table + "\n" + page.substring(end);
      Path _ = Files.writeString(PAGE, page);
      end = page.indexOf(END);
    }
    assertEquals(table + "\n", page.substring(begin, end), "run with -Dwrite=true");
  }
}
