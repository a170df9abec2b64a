package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The table of a contest about fields: a row for each question, for each contestant the time of a
/// response and the processor time of its server, and their ratios to those of the first.
///
/// @param name of the folder
/// @param what all of them did, in a few words
/// @param resident memory of each, bytes; -1 where it is not known
public record FieldTable(
    String name,
    String what,
    List<QueryContest.Entrant> entrants,
    PairedRuns<QueriedStore.Turn> runs,
    List<Long> resident) {
  private static final String NONE = "-";

  public FieldTable {
    entrants = List.copyOf(entrants);
    resident = List.copyOf(resident);
  }

  /// @throws IOException when the memory of a server cannot be read
  public static FieldTable of(
      String name, String what, QueryContest contest, PairedRuns<QueriedStore.Turn> runs)
      throws IOException {
    List<Long> resident = new ArrayList<>();
    for (QueryContest.Entrant entrant : contest.entrants()) {
      resident.add(entrant.store().residentBytes());
    }
    return new FieldTable(name, what, contest.entrants(), runs, resident);
  }

  /// The questions that any of them answered, in the order of their kind.
  private List<Question> questions() {
    return Arrays.stream(Question.values())
        .filter(question ->
            entrants.stream().anyMatch(entrant -> entrant.questions().contains(question)))
        .toList();
  }

  /// The table in Markdown.
  public String text() {
    List<String> out = new ArrayList<>();
    out.add("# " + what);
    out.add("");
    for (int side = 0; side < entrants.size(); side++) {
      Contestant contestant = entrants.get(side).contestant();
      out.add(
          "- %s: %s, %s%s".formatted(letter(side), contestant, contestant.note(), memory(side)));
    }
    out.add(
        "- %d rounds in turn (forwards, backwards, ...), %d discarded for steal; medians in ms; CPU"
                .formatted(runs.a().size(), runs.discarded())
            + " is the server's for one response");
    out.add("");
    StringBuilder titles = new StringBuilder("| query |");
    for (int side = 0; side < entrants.size(); side++) {
      titles.append(" %1$s | %1$s CPU |".formatted(letter(side)));
      titles.append(side == 0 ? "" : " %1$s / A | %1$s / A, CPU |".formatted(letter(side)));
    }
    out.add(titles.toString());
    out.add("|" + " --- |".repeat(4 * entrants.size() - 1));
    questions().forEach(question -> out.add(row(question)));
    return String.join("\n", out) + "\n";
  }

  private static String letter(int side) {
    return Character.toString('A' + side);
  }

  private String memory(int side) {
    return resident.get(side) < 0
        ? "; CPU and memory are not known: no process of this machine and user listens there"
        : "; %s MB resident at the end".formatted(Quantity.count(resident.get(side) / 1e6));
  }

  private String row(Question question) {
    double[] first = times(question, 0);
    double firstCpu = cpu(question, 0);
    StringBuilder row = new StringBuilder("| " + question.label() + " |");
    for (int side = 0; side < entrants.size(); side++) {
      double[] times = times(question, side);
      double cpu = cpu(question, side);
      row.append(cell(times.length == 0 ? Double.NaN : PairedRatio.median(times), 1));
      row.append(cell(cpu, 1));
      if (side > 0) {
        boolean both = first.length > 0 && first.length == times.length;
        row.append(cell(both ? PairedRatio.of(times, first).ratio() : Double.NaN, 2));
        row.append(cell(cpu / firstCpu, 2));
      }
    }
    return row.toString();
  }

  private static String cell(double figure, int decimals) {
    return " %s |".formatted(Double.isFinite(figure) ? Figure.text(figure, decimals) : NONE);
  }

  /// The median of each turn, ms; none where the contestant does not answer the question.
  private double[] times(Question question, int side) {
    return runs.of(side).stream()
        .filter(turn -> turn.has(question))
        .mapToDouble(turn -> turn.of(question).median() / Quantity.MILLI)
        .toArray();
  }

  /// Mean over all turns, ms, because Linux counts in steps of 10 ms; NaN where it is not known.
  private double cpu(Question question, int side) {
    return resident.get(side) < 0
        ? Double.NaN
        : runs.of(side).stream()
            .filter(turn -> turn.has(question))
            .mapToDouble(turn -> turn.of(question).cpu() / Quantity.MILLI)
            .average()
            .orElse(Double.NaN);
  }

  /// The first contestant compared with each other one, for `data/`.
  public List<Comparison> comparisons() {
    List<Comparison> comparisons = new ArrayList<>();
    for (int side = 1; side < entrants.size(); side++) {
      List<Comparison.Row> rows = new ArrayList<>();
      for (Question question : questions()) {
        double[] first = times(question, 0);
        double[] other = times(question, side);
        if (first.length > 0 && first.length == other.length) {
          rows.add(new Comparison.Row(question.label() + " ms", 2, PairedRatio.of(first, other)));
        }
        double[] cpu = {cpu(question, 0)};
        double[] otherCpu = {cpu(question, side)};
        if (cpu[0] > 0 && otherCpu[0] > 0) {
          rows.add(
              new Comparison.Row(
                  question.label() + " server CPU ms", 2, PairedRatio.of(cpu, otherCpu)));
        }
      }
      comparisons.add(
          new Comparison(
              name,
              what,
              entrants.getFirst().contestant(),
              entrants.get(side).contestant(),
              runs.a().size(),
              runs.discarded(),
              rows));
    }
    return comparisons;
  }
}
