package io.widerow.storage.segment;

import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/// What do cells cost when access-log lines are sealed or merged? Both ways in turn: written, and
/// read back to be verified. Prints processor time of the thread for an event, and the median of
/// the ratios of pairs, which other load on the machine hardly changes.
///
/// ```
/// java -cp target/classes:target/test-classes:... io.widerow.storage.segment.CellsCost [pairs]
/// ```
final class CellsCost {
  private static final Path FILE = Path.of("cost.seg");
  private static final UUID STORE = new UUID(1, 2);
  private static final int PAIRS = 60;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private CellsCost() {}

  public static void main(String[] args) {
    int pairs = args.length == 0 ? PAIRS : Integer.parseInt(args[0]);
    List<TestEvent> events = SegmentSizes.access();
    for (SegmentProfile form : List.of(SegmentProfile.SEALED, SegmentProfile.FINAL)) {
      try (SegmentMemory without = new SegmentMemory(form);
          SegmentMemory with = new SegmentMemory(form)) {
        measure(
            form.equals(SegmentProfile.FINAL) ? "merged" : "sealed", pairs, events, without, with);
      }
    }
  }

  private static void measure(
      String form, int pairs, List<TestEvent> events, SegmentMemory without, SegmentMemory with) {
    double[] plain = new double[pairs];
    double[] counted = new double[pairs];
    double[] ratios = new double[pairs];
    for (int pair = -pairs / 2; pair < pairs; pair++) { // the first ones warm up
      boolean plainFirst = pair % 2 == 0;
      double a = plainFirst ? cost(events, without, false) : cost(events, with, true);
      double b = plainFirst ? cost(events, with, true) : cost(events, without, false);
      if (pair >= 0) {
        plain[pair] = plainFirst ? a : b;
        counted[pair] = plainFirst ? b : a;
        ratios[pair] = counted[pair] / plain[pair];
      }
    }
    Arrays.sort(plain);
    Arrays.sort(counted);
    Arrays.sort(ratios);
    System.out.printf(
        Locale.ROOT,
        "%s: %.0f ns an event without cells, %.0f ns with, ratio %.3f (quarter to quarter %.3f to"
            + " %.3f, %d pairs)%n",
        form,
        plain[pairs / 2],
        counted[pairs / 2],
        ratios[pairs / 2],
        ratios[pairs / 4],
        ratios[pairs * 3 / 4],
        pairs);
  }

  private static double cost(List<TestEvent> events, SegmentMemory memory, boolean cells) {
    MemoryDisk disk = new MemoryDisk();
    long start = THREADS.getCurrentThreadCpuTime();
    try (SegmentWriter writer = new SegmentWriter(disk.create(FILE), STORE, 1, memory, cells)) {
      writer.begin(SegmentSizes.key(events));
      events.forEach(writer::add);
      var _ = writer.finish();
    }
    try (Segment segment = Segment.open(disk, FILE, STORE, 1)) {
      segment.verify();
    }
    return (double) (THREADS.getCurrentThreadCpuTime() - start) / events.size();
  }
}
