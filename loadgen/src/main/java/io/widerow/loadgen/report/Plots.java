package io.widerow.loadgen.report;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.run.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.markers.SeriesMarkers;

/// Plots of a run: latency by percentile; rate and latency over time; CPU and memory of target and
/// client over time.
public final class Plots {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 450;
  private static final int MIB = 1 << 20;

  private Plots() {}

  public static void write(
      Path folder, RunReport report, List<ProcessReading> target, List<ProcessReading> client)
      throws IOException {
    RunResult result = report.result();
    XYChart latency = chart("Latency by percentile", "1 / (1 - percentile)", "ms");
    latency.getStyler().setXAxisLogarithmic(true).setYAxisLogarithmic(true);
    boolean drawn = percentiles(latency, "response", result.response());
    drawn |= percentiles(latency, "service", result.service());
    if (drawn) {
      save(latency, folder.resolve("latency.png"));
    }
    rates(folder, result.seconds());
    process(folder, "target", target);
    process(folder, "client", client);
  }

  private static XYChart chart(String title, String across, String up) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(across)
            .yAxisTitle(up)
            .build();
    chart.getStyler().setMarkerSize(4);
    return chart;
  }

  private static boolean percentiles(XYChart chart, String name, Histogram histogram) {
    List<Double> across = new ArrayList<>();
    List<Double> up = new ArrayList<>();
    for (HistogramIterationValue value : histogram.percentiles(5)) {
      if (value.getPercentileLevelIteratedTo() < 100) {
        across.add(100 / (100 - value.getPercentileLevelIteratedTo()));
        up.add(value.getValueIteratedTo() / (double) Quantity.MILLI);
      }
    }
    if (!across.isEmpty()) {
      line(chart, name, across, up);
    }
    return !across.isEmpty();
  }

  private static void rates(Path folder, List<RunResult.Second> seconds) throws IOException {
    if (seconds.isEmpty()) {
      return;
    }
    List<Double> at = seconds.stream().map(RunResult.Second::atSeconds).toList();
    XYChart rate = chart("Acknowledged", "s", "events/s");
    line(rate, "events/s", at, seconds.stream().map(RunResult.Second::eventsPerSecond).toList());
    save(rate, folder.resolve("rate.png"));
    XYChart latency = chart("Response over time", "s", "ms");
    line(latency, "p99", at, seconds.stream().map(s -> s.p99Nanos() / 1e6).toList());
    line(latency, "p50", at, seconds.stream().map(s -> s.p50Nanos() / 1e6).toList());
    save(latency, folder.resolve("response.png"));
  }

  private static void process(Path folder, String who, List<ProcessReading> readings)
      throws IOException {
    if (readings.size() < 2) {
      return;
    }
    List<Double> at = new ArrayList<>();
    List<Double> cores = new ArrayList<>();
    List<Double> resident = new ArrayList<>();
    for (int i = 1; i < readings.size(); i++) {
      ProcessReading before = readings.get(i - 1);
      ProcessReading now = readings.get(i);
      at.add((now.atNanos() - readings.get(0).atNanos()) / (double) Quantity.SECOND);
      cores.add(
          (now.cpuNanos() - before.cpuNanos())
              / (double) Math.max(1, now.atNanos() - before.atNanos()));
      resident.add(now.residentBytes() / (double) MIB);
    }
    XYChart cpu = chart("CPU of the " + who, "s", "cores");
    line(cpu, "cores", at, cores);
    save(cpu, folder.resolve(who + "-cpu.png"));
    XYChart memory = chart("Memory of the " + who, "s", "MiB");
    line(memory, "resident", at, resident);
    save(memory, folder.resolve(who + "-memory.png"));
  }

  private static void line(XYChart chart, String name, List<Double> across, List<Double> up) {
    chart.addSeries(name, across, up).setMarker(SeriesMarkers.NONE);
  }

  private static void save(XYChart chart, Path file) throws IOException {
    Files.write(file, ChartEncoder.getBytes(chart, "png"));
  }
}
