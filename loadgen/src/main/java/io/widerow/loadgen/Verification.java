package io.widerow.loadgen;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The read-back of a whole run: draws the samples again, reads the ledger and the target, and says
/// what it found.
final class Verification {
  private Verification() {}

  /// @param queryAddress where the target answers queries
  /// @return whether all was well
  static boolean run(
      Endpoint queryAddress, Workload workload, int connections, Path ledger, PrintWriter out)
      throws IOException, InterruptedException {
    List<List<Sample>> samples = samples(workload, connections);
    List<Ledger.Entry> entries = Ledger.read(ledger);
    ReadBackCheck check = new ReadBackCheck(workload, queryAddress.target(), samples, entries);
    long untilNanos = workload.fromNanos() + Quantity.SECOND;
    for (Ledger.Entry entry : entries) {
      long limit = entry.sequenceFirst() + entry.events();
      untilNanos = Math.max(untilNanos, workload.timeNanos(limit, 0) + Quantity.SECOND);
    }
    List<String> types = samples.stream().map(batch -> batch.get(0).type()).distinct().toList();
    long beganNanos = System.nanoTime();
    long read =
        new ReadBack(queryAddress.host(), queryAddress.port())
            .read(types, earliestNanos(workload, samples), untilNanos, check);
    long tookNanos = System.nanoTime() - beganNanos;
    Findings findings = check.finish();
    out.printf(
        "read back      %s events in %s; %s were acknowledged: %s%n",
        Quantity.count((double) read),
        Quantity.time(tookNanos),
        Quantity.count((double) check.acknowledged()),
        findings.isEmpty() ? "each once, in order, nothing invented" : findings);
    out.flush();
    return findings.isEmpty();
  }

  private static List<List<Sample>> samples(Workload workload, int connections) {
    SamplePool pool = new SamplePool(workload);
    List<List<Sample>> samples = new ArrayList<>();
    for (int slot = 0; slot < workload.slots(connections); slot++) {
      samples.add(pool.nextBatch());
    }
    return samples;
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
