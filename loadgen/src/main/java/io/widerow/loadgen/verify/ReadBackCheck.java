package io.widerow.loadgen.verify;

import io.widerow.loadgen.verify.Findings.Kind;
import io.widerow.loadgen.verify.Ledger.Entry;
import io.widerow.loadgen.workload.Encoder;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Stamp;
import io.widerow.loadgen.workload.Stamper;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Checks the events read back against those sent: each acknowledged event once, in order and
/// unchanged, and no event that was not sent. Events whose batch was not acknowledged may be there
/// once.
///
/// Order is that of the ids: the UUIDs' timestamps, then their low eight bytes as signed bytes.
///
/// - Threads: one.
/// - Memory: two bits an event, and the drawn samples.
public final class ReadBackCheck {
  private final Workload workload;
  private final Target target;
  private final List<List<Sample>> samples;
  private final Map<Long, Entry> batches = new HashMap<>(); // by number of the first event
  private final BitSet seen = new BitSet();
  private final Findings findings = new Findings();
  private final Stamper stamper = new Stamper();
  private @Nullable UUID last;

  /// @param samples the events of each slot, as they were drawn
  ReadBackCheck(Workload workload, Target target, List<List<Sample>> samples, List<Entry> entries) {
    this.workload = workload;
    this.target = target;
    this.samples = samples;
    for (Entry entry : entries) {
      batches.put(entry.sequenceFirst(), entry);
    }
  }

  /// Checks the next event of the result.
  void see(Map<String, String> event) {
    inOrder(event.getOrDefault("id", ""));
    long sequence = sequence(event);
    long first = Math.floorDiv(sequence, workload.batchEvents()) * workload.batchEvents();
    Entry entry = batches.get(first);
    if (sequence < 0 || entry == null) {
      findings.add(Kind.INVENTED, event.toString());
      return;
    }
    int bit = Math.toIntExact(sequence);
    if (seen.get(bit)) {
      findings.add(Kind.REPEATED, "number " + sequence);
    }
    seen.set(bit);
    Sample sample = samples.get(entry.slot()).get(Math.toIntExact(sequence - first));
    unchanged(event, sample, sequence);
  }

  private void inOrder(String text) {
    UUID id = UUID.fromString(text);
    if (last != null && compare(last, id) >= 0) {
      findings.add(Kind.DISORDER, last + " before " + id);
    }
    last = id;
  }

  /// The order of ids.
  public static int compare(UUID a, UUID b) {
    int times = Long.compare(a.timestamp(), b.timestamp());
    long low = a.getLeastSignificantBits();
    long other = b.getLeastSignificantBits();
    // Turning each byte's sign bit makes unsigned order of the whole that of signed bytes.
    long signs = 0x8080808080808080L;
    return times != 0 ? times : Long.compareUnsigned(low ^ signs, other ^ signs);
  }

  /// The event's number in the run, negative when it has none.
  private long sequence(Map<String, String> event) {
    if (workload.scenario() == Scenario.COUNTER && event.containsKey("value")) {
      double number = number(event.get("value")); // exact, far below 2^53
      return number == Math.rint(number) ? (long) number - Stamp.SEQUENCE_BASE : -1;
    }
    String number = event.get("seq");
    if (number == null) {
      String body = event.getOrDefault("body", "");
      int is = body.lastIndexOf('=');
      boolean named = body.startsWith("seq", is - 3) || body.startsWith("value", is - 5);
      number = named ? body.substring(is + 1) : "";
    }
    return number.matches("[0-9]{13}") ? Long.parseLong(number) - Stamp.SEQUENCE_BASE : -1;
  }

  private static double number(@Nullable String text) {
    try {
      return text == null ? Double.NaN : Double.parseDouble(text);
    } catch (NumberFormatException _) {
      return Double.NaN;
    }
  }

  private void unchanged(Map<String, String> event, Sample sample, long sequence) {
    long timeNanos = workload.timeNanos(sequence, sample.shiftNanos());
    String type = event.get(target.storedType() == null ? "type" : "app");
    same(sequence, "type", sample.type(), type);
    long resolution = target.resolutionNanos(workload.scenario());
    long kept = Math.floorDiv(timeNanos, resolution) * resolution;
    same(sequence, "ts", stamper.text(Stamp.RFC3339, sequence, kept), event.get("ts"));
    String body = body(sample);
    if (body != null) {
      same(sequence, "body", stamper.stamped(body, sequence, timeNanos), event.get("body"));
    }
    if (target.keepsAttributes()) {
      for (Sample.Attribute attribute : sample.attributes()) {
        String sent = stamper.stamped(attribute.text(), sequence, timeNanos);
        String found = event.get(attribute.name());
        boolean isNumber = attribute.kind() == Sample.Kind.DOUBLE;
        if (!isNumber || Double.parseDouble(sent) != number(found)) {
          same(sequence, attribute.name(), sent, found);
        }
      }
    }
  }

  /// The text that was sent to the target; null when only attributes were.
  private @Nullable String body(Sample sample) {
    return switch (target) {
      case WIDEROW_TEXT, NULL -> Encoder.textLine(sample);
      case SYSLOG, SYSLOG_UDP, CASSANDRA -> Encoder.message(sample);
      default -> sample.body();
    };
  }

  private void same(long sequence, String what, String sent, @Nullable String found) {
    if (!sent.equals(found)) {
      findings.add(
          Kind.CHANGED,
          "number %d: %s was %s, came back as %s".formatted(sequence, what, sent, found));
    }
  }

  /// Ends the check: events that were acknowledged and not seen are lost. Of a partly accepted
  /// batch only the count is known.
  Findings finish() {
    for (Entry entry : batches.values()) {
      int first = Math.toIntExact(entry.sequenceFirst());
      int found = seen.get(first, first + entry.events()).cardinality();
      int number = first - 1;
      for (int missing = found; missing < entry.accepted(); missing++) {
        number = seen.nextClearBit(number + 1);
        findings.add(Kind.LOST, "of the batch from number " + first + ", such as " + number);
      }
    }
    return findings;
  }

  /// Events acknowledged, by the ledger.
  long acknowledged() {
    return batches.values().stream().mapToLong(Entry::accepted).sum();
  }
}
