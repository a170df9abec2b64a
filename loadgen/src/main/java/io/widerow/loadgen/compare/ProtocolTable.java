package io.widerow.loadgen.compare;

import io.widerow.loadgen.compare.ProtocolRun.Figures;
import io.widerow.loadgen.report.Machine;
import io.widerow.loadgen.workload.Target;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// The results of the protocols of one session, one row each: the median of the rounds.
///
/// - Threads: one.
public final class ProtocolTable {
  private static final String NONE = "-";

  private final Map<Target, List<Figures>> figures = new EnumMap<>(Target.class);
  private final Map<Target, String> notes = new EnumMap<>(Target.class);
  private final List<Target> order;

  /// @param order of the rows
  public ProtocolTable(List<Target> order) {
    this.order = List.copyOf(order);
  }

  public void add(Target target, Figures found) {
    figures.computeIfAbsent(target, _ -> new ArrayList<>()).add(found);
  }

  /// @param note why there are no numbers, or not of every round
  public void note(Target target, String note) {
    notes.put(target, note.lines().findFirst().orElse("").replace('|', '/'));
  }

  /// The rows in Markdown, below the measured work and the machine.
  ///
  /// @param what all protocols did
  public String render(String what, int rounds) {
    List<String> out = new ArrayList<>();
    out.add("# Protocols compared");
    out.add("");
    Map<String, String> origin = Machine.origin();
    out.add("- " + what);
    out.add(
        "- median of %d round%s; every second one in reverse order"
            .formatted(rounds, rounds == 1 ? "" : "s"));
    origin.forEach((fact, value) -> out.add("- %s: %s".formatted(fact, value)));
    out.add("");
    out.add(
        "| protocol | events/s | server CPU us/event | p50 ms | p99 ms | at events/s | B/event |"
            + " note |");
    out.add("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    order.forEach(target -> out.add(row(target)));
    return String.join("\n", out) + "\n";
  }

  private String row(Target target) {
    if (!figures.containsKey(target)) {
      return "| %s | - | - | - | - | - | - | %s |"
          .formatted(target, notes.getOrDefault(target, "not run"));
    }
    return "| %s | %s | %s | %s | %s | %s | %s | %s |"
        .formatted(
            target,
            text(target, Figures::eventsPerSecond, 0),
            text(target, Figures::serverMicros, 2),
            text(target, f -> f.p50Micros() / 1_000, 2),
            text(target, f -> f.p99Micros() / 1_000, 2),
            target.acknowledges() ? text(target, Figures::latencyRate, 0) : NONE,
            text(target, Figures::wireBytes, 0),
            note(target));
  }

  private String note(Target target) {
    List<String> said = new ArrayList<>();
    if (target.batchEventsMax() == 1) {
      said.add("one event a request");
    }
    if (!target.acknowledges()) {
      said.add("no acknowledgements");
    }
    double lost = median(target, Figures::lostShare);
    if (lost > 0) {
      said.add(String.format(Locale.ROOT, "%.1f %% lost", lost * 100));
    }
    if (rounds(target).stream().anyMatch(Figures::clientBound)) {
      said.add("client-bound");
    }
    if (notes.containsKey(target)) {
      said.add(rounds(target).size() + " rounds; " + notes.get(target));
    }
    return String.join("; ", said);
  }

  private List<Figures> rounds(Target target) {
    return figures.getOrDefault(target, List.of());
  }

  private double median(Target target, ToDoubleFunction<Figures> figure) {
    return PairedRatio.median(rounds(target).stream().mapToDouble(figure).toArray());
  }

  private String text(Target target, ToDoubleFunction<Figures> figure, int decimals) {
    double value = median(target, figure);
    return Double.isNaN(value) ? NONE : Figure.text(value, decimals);
  }

  /// A line for `data/runs.ndjson` of each protocol, times in microseconds; -1 where there is none.
  public List<Map<String, Object>> lines() {
    List<Map<String, Object>> lines = new ArrayList<>();
    for (Target target : order) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("target", target.label);
      line.put("rounds", rounds(target).size());
      if (!rounds(target).isEmpty()) {
        line.put("events_per_second", rounded(target, Figures::eventsPerSecond));
        line.put("target_us_per_event", rounded(target, Figures::serverMicros));
        line.put("response_p50_us", rounded(target, Figures::p50Micros));
        line.put("response_p99_us", rounded(target, Figures::p99Micros));
        line.put("latency_rate", rounded(target, Figures::latencyRate));
        line.put("bytes_per_event", rounded(target, Figures::wireBytes));
        line.put("lost_share", rounded(target, Figures::lostShare));
      }
      line.put("note", rounds(target).isEmpty() ? notes.getOrDefault(target, "") : note(target));
      lines.add(line);
    }
    return lines;
  }

  private double rounded(Target target, ToDoubleFunction<Figures> figure) {
    double value = median(target, figure);
    return Double.isNaN(value) ? -1 : Math.round(value * 1_000) / 1_000.0;
  }
}
