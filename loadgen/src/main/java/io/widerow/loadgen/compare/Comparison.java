package io.widerow.loadgen.compare;

import io.widerow.loadgen.report.LoadSession;
import io.widerow.loadgen.report.Machine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Result of a comparison: a ratio for each figure, and the number of pairs.
///
/// @param name of its folder
/// @param what both sides did, in a few words
/// @param pairs number of pairs that count
/// @param discarded pairs with too much steal time
public record Comparison(
    String name,
    String what,
    Contestant a,
    Contestant b,
    int pairs,
    int discarded,
    List<Row> rows) {
  public Comparison {
    rows = List.copyOf(rows);
  }

  /// The result of runs in turn.
  public static Comparison of(
      String name, String what, Contestant a, Contestant b, PairedRuns<?> runs, List<Row> rows) {
    return new Comparison(name, what, a, b, runs.a().size(), runs.discarded(), rows);
  }

  /// One figure.
  public record Row(String figure, int decimals, PairedRatio ratio) {}

  public static String name(String kind, Contestant a, Contestant b) {
    String sides = (a.name() + "-" + b.name()).replace(':', '.');
    return "%s-%s-%s".formatted(LoadSession.STAMP.format(Instant.now()), kind, sides);
  }

  /// The report in Markdown.
  public String table() {
    List<String> out = new ArrayList<>();
    out.add("# " + what);
    out.add("");
    out.add("- A: " + a + ", " + a.note());
    out.add("- B: " + b + ", " + b.note());
    out.add(
        "- %d pairs that took turns (A B B A ...), %d discarded for steal above %s"
            .formatted(pairs, discarded, percent(PairedRuns.STEAL_SHARE_MAX)));
    out.add("");
    out.add("| figure | A, median | B, median | A / B, median of pairs | 95 % CI | differs |");
    out.add("| --- | --- | --- | --- | --- | --- |");
    for (Row row : rows) {
      PairedRatio ratio = row.ratio();
      out.add(
          "| %s | %s | %s | %s | %s | %s |"
              .formatted(
                  row.figure(),
                  Figure.text(ratio.medianA(), row.decimals()),
                  Figure.text(ratio.medianB(), row.decimals()),
                  Figure.text(ratio.ratio(), 3),
                  ratio.span(),
                  ratio.isClaim() ? "yes" : "not shown"));
    }
    return String.join("\n", out) + "\n";
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f %%", share * 100);
  }

  /// Lines for `data/comparisons.ndjson`, one for each figure.
  List<Map<String, Object>> lines() {
    Map<String, String> origin = Machine.origin();
    List<Map<String, Object>> lines = new ArrayList<>();
    for (Row row : rows) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("comparison", name);
      members.putAll(origin);
      members.put("what", what);
      members.put("a", a.toString());
      members.put("b", b.toString());
      members.put("b_note", b.note());
      members.put("figure", row.figure());
      members.put("a_median", Figure.text(row.ratio().medianA(), row.decimals()));
      members.put("b_median", Figure.text(row.ratio().medianB(), row.decimals()));
      members.put("ratio", Figure.text(row.ratio().ratio(), 3));
      members.put("ci95", row.ratio().span());
      members.put("differs", row.ratio().isClaim() ? "yes" : "not shown");
      members.put("pairs", pairs);
      members.put("discarded", discarded);
      lines.add(members);
    }
    return lines;
  }
}
