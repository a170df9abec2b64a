package io.widerow.loadgen;

import io.widerow.loadgen.compare.CompareOptions;
import io.widerow.loadgen.compare.Contestant;
import io.widerow.loadgen.compare.ManyTypes;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.FileTree;
import io.widerow.loadgen.report.Machine;
import io.widerow.loadgen.workload.Scrapes;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow load types`: what it costs that each metric is a type of its own.
@Command(
    name = "types",
    description = {
      "Sends the samples of many metrics twice, to daemons of its own: each metric as a type of its"
          + " own, and all as one type. Measures memory of open rows, sealing, restart after"
          + " SIGKILL, CPU, bytes at rest and queries. Hours of samples are sent as fast as answers"
          + " come."
    })
final class TypesCommand extends LoadgenCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      defaultValue = "widerow-lines:disk",
      paramLabel = "WHO",
      description = "widerow-lines[:disk|os|memory][@CHECKOUT]")
  private String who = "";

  @Option(names = "--names", defaultValue = "5000")
  private int names;

  @Option(names = "--series", defaultValue = "4", description = "series of each name")
  private int series;

  @Option(
      names = "--every",
      defaultValue = "15s",
      paramLabel = "TIME",
      description = "time between the samples of a series")
  private String every = "";

  @Option(names = "--hours", defaultValue = "2", description = "whole hours of samples")
  private int hours;

  @Option(names = "--batch", defaultValue = "1000", description = "samples a request")
  private int batch;

  @Option(names = "--connections", defaultValue = "2")
  private int connections;

  @Option(
      names = "--layouts",
      defaultValue = "many,one",
      split = ",",
      description = "which to measure: many, one")
  private List<String> layouts = List.of();

  @Mixin private final CompareOptions options = new CompareOptions();

  @Override
  public Integer call() throws Exception {
    Contestant contestant = options.contestant(who);
    if (contestant.isOnCluster() || !contestant.toString().startsWith("widerow-lines")) {
      throw new IllegalArgumentException(
          "samples are sent as widerow-lines to one machine, not as " + who);
    }
    long everyNanos = Quantity.nanos("--every", every);
    if (hours < 1 || everyNanos < 1) {
      throw new IllegalArgumentException(
          "--hours must be at least 1 and --every positive, got %d and %s".formatted(hours, every));
    }
    Instant end = Instant.now().truncatedTo(ChronoUnit.HOURS);
    Map<String, Map<String, Double>> figures = new LinkedHashMap<>();
    PrintWriter out = out();
    for (String layout : layouts) {
      if (!layout.equals("many") && !layout.equals("one")) {
        throw new IllegalArgumentException("--layouts: many or one, got '" + layout + "'");
      }
      Scrapes scrapes = new Scrapes(names, series, layout.equals("many"));
      var span = new ManyTypes.Span(end.minus(hours, ChronoUnit.HOURS), hours, everyNanos);
      figures.put(layout, measure(contestant, scrapes, span, layout.equals("many"), out));
    }
    out.println("machine: " + Machine.origin() + "; daemon: " + contestant + " " + options.keys());
    out.print(table(figures));
    out.flush();
    return ExitCode.OK;
  }

  private Map<String, Double> measure(
      Contestant contestant, Scrapes scrapes, ManyTypes.Span span, boolean apart, PrintWriter out)
      throws IOException, InterruptedException {
    Path work = options.workDirectory();
    try {
      return new ManyTypes(contestant, scrapes, apart, connections, batch, out).measure(span, work);
    } finally {
      FileTree.remove(work);
    }
  }

  /// A line for each figure, a column for each layout.
  private static String table(Map<String, Map<String, Double>> figures) {
    List<String> lines = new ArrayList<>();
    lines.add("| figure | " + String.join(" | ", figures.keySet()) + " |");
    lines.add("| --- |" + " ---: |".repeat(figures.size()));
    for (String figure : figures.values().iterator().next().keySet()) {
      StringBuilder line = new StringBuilder("| ").append(figure).append(" |");
      for (Map<String, Double> layout : figures.values()) {
        double value = layout.getOrDefault(figure, Double.NaN);
        String form = Math.abs(value) < 100 ? "%,.2f" : "%,.0f";
        String cell = Double.isNaN(value) ? "-" : String.format(Locale.ROOT, form, value);
        line.append(' ').append(cell).append(" |");
      }
      lines.add(line.toString());
    }
    return String.join("\n", lines) + "\n";
  }
}
