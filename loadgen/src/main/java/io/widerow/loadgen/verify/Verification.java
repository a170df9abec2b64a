package io.widerow.loadgen.verify;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.SamplePool;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// The read-back of a whole run: draws the samples again, reads the ledger and the target, and
/// prints the findings.
public final class Verification {
  private static final int UNACKNOWLEDGED_TRIES_MAX = 20;
  private static final long PAUSE_NANOS = 250 * Quantity.MILLI;

  private Verification() {}

  /// @param queryAddress where the target answers queries
  /// @return whether everything was right
  public static boolean run(
      Endpoint queryAddress, Workload workload, int slots, Path ledger, PrintWriter out)
      throws IOException, InterruptedException {
    List<List<Sample>> samples = SamplePool.all(workload, slots);
    List<Ledger.Entry> entries = Ledger.read(ledger);
    Target target = queryAddress.target();
    // Without acknowledgements the first answers may be too early.
    int triesMax = target.acknowledges() ? 1 : UNACKNOWLEDGED_TRIES_MAX;
    for (int tries = 1; ; tries++) {
      ReadBackCheck check = new ReadBackCheck(workload, target, samples, entries);
      long beganNanos = System.nanoTime();
      long read = read(queryAddress, workload, samples, entries, check);
      long tookNanos = System.nanoTime() - beganNanos;
      Findings findings = check.finish();
      if (findings.count(Findings.Kind.LOST) > 0 && tries < triesMax) {
        LockSupport.parkNanos(PAUSE_NANOS);
        continue;
      }
      out.printf(
          "read back      %s events in %s; %s were acknowledged: %s%n",
          Quantity.count((double) read),
          Quantity.time(tookNanos),
          Quantity.count((double) check.acknowledged()),
          findings.isEmpty() ? "each once, in order, nothing invented" : findings);
      out.flush();
      return findings.isEmpty();
    }
  }

  private static long read(
      Endpoint queryAddress,
      Workload workload,
      List<List<Sample>> samples,
      List<Ledger.Entry> entries,
      ReadBackCheck check)
      throws IOException, InterruptedException {
    long untilNanos = workload.fromNanos() + Quantity.SECOND;
    for (Ledger.Entry entry : entries) {
      long limit = entry.sequenceFirst() + entry.events();
      untilNanos = Math.max(untilNanos, workload.timeNanos(limit, 0) + Quantity.SECOND);
    }
    String stored = queryAddress.target().storedType();
    List<String> types =
        stored != null
            ? List.of(stored)
            : samples.stream().map(batch -> batch.get(0).type()).distinct().toList();
    return new ReadBack(queryAddress.host(), queryAddress.port())
        .read(types, earliestNanos(workload, samples), untilNanos, check);
  }

  private static long earliestNanos(Workload workload, List<List<Sample>> samples) {
    long shiftNanos = 0;
    for (List<Sample> batch : samples) {
      for (Sample sample : batch) {
        shiftNanos = Math.min(shiftNanos, sample.shiftNanos());
      }
    }
    return workload.fromNanos() + shiftNanos - Quantity.SECOND;
  }
}
