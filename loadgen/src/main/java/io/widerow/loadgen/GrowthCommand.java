package io.widerow.loadgen;

import io.widerow.loadgen.compare.CompareOptions;
import io.widerow.loadgen.compare.Comparison;
import io.widerow.loadgen.compare.ComparisonFolder;
import io.widerow.loadgen.compare.ContestRun;
import io.widerow.loadgen.compare.Contestant;
import io.widerow.loadgen.compare.PairedRatio;
import io.widerow.loadgen.compare.Question;
import io.widerow.loadgen.compare.ResultOptions;
import io.widerow.loadgen.compare.ServerProcess;
import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.FileTree;
import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.run.LiveLine;
import io.widerow.loadgen.run.LoadRun;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.run.RunCounters;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.wire.TimedQuery;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.Workload;
import io.widerow.loadgen.workload.WorkloadOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow load growth`: one store that grows, measured at several sizes.
@Command(
    name = "growth",
    description = {
      "Fills one store and measures it at each size: rate of the events up to there, CPU, memory,"
          + " open files, the latest 100, bytes at rest, and how long it takes to be ready again"
          + " after SIGKILL."
    })
final class GrowthCommand extends LoadgenCommand {
  private static final int LATEST_TIMES = 200;
  private static final long SIZE_NANOS_MAX = 7_200 * Quantity.SECOND;

  @Parameters(
      index = "0",
      arity = "0..1",
      defaultValue = "widerow-text:disk",
      paramLabel = "WHO",
      description = "widerow-text|widerow-lines|widerow-json")
  private String who = "";

  @Option(
      names = "--sizes",
      defaultValue = "1M,3M,10M",
      split = ",",
      description = "sizes at which to measure, in events")
  private List<String> sizes = List.of();

  @Option(names = "--connections", defaultValue = "2")
  private int connections;

  @Option(
      names = "--rest",
      defaultValue = "30s",
      paramLabel = "TIME",
      description = "longest wait for sealing and merging before each measurement")
  private String rest = "";

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "put the store here, in a new directory, and keep it")
  private @Nullable Path keep;

  private long restNanos;

  @Mixin private final CompareOptions options = new CompareOptions();
  @Mixin private final ResultOptions output = new ResultOptions();
  @Mixin private final WorkloadOptions workloadOptions = new WorkloadOptions();

  @Override
  public Integer call() throws Exception {
    Contestant contestant = options.contestant(who);
    requireDaemon(contestant, who);
    Workload workload = workloadOptions.workload(Instant.now(), 0);
    List<Long> steps = sizes.stream().map(Quantity::count).sorted().toList();
    restNanos = Quantity.nanos("--rest", rest); // fail before hours of loading
    if (keep != null && Files.exists(keep)) {
      throw new IllegalArgumentException("--keep: there is something at " + keep);
    }
    Path work = options.workDirectory();
    Path data = keep == null ? work.resolve("data") : keep;
    String name = Comparison.name("growth-" + workload.scenario().type, contestant, contestant);
    try {
      ComparisonFolder folder = output.begin(work, name, arguments());
      List<Map<String, Object>> rows = grow(contestant, workload, steps, data);
      String table = table(rows);
      folder.finish("growth", "events", rows, "# Growth of " + contestant + "\n\n" + table);
      output.show(table, folder, out());
      return ExitCode.OK;
    } finally {
      FileTree.remove(work);
    }
  }

  private List<Map<String, Object>> grow(
      Contestant contestant, Workload workload, List<Long> steps, Path data)
      throws IOException, InterruptedException {
    BatchPool pool = workloadOptions.pool(workload, contestant.target(), connections);
    InetSocketAddress address = ServerProcess.freeAddress();
    List<Map<String, Object>> rows = new ArrayList<>();
    ServerProcess server = contestant.startReady(data, address);
    try {
      long before = 0;
      for (long size : steps) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("events", size);
        fill(contestant, workload, pool, address, server, before, size - before, row);
        before = size;
        long endedNanos = System.nanoTime();
        boolean rested = ContestRun.rest(server, restNanos);
        row.put("rest_s", (System.nanoTime() - endedNanos) / Quantity.SECOND);
        row.put("rested", rested ? 1 : 0);
        look(workload, address, server, data, row);
        long killedNanos = System.nanoTime();
        server.kill();
        server.close();
        server = contestant.startReady(data, address);
        row.put("ready_after_kill_ms", (System.nanoTime() - killedNanos) / Quantity.MILLI);
        rows.add(row);
        print(FlatJson.render(row));
      }
    } finally {
      server.close();
    }
    return rows;
  }

  private void fill(
      Contestant contestant,
      Workload workload,
      BatchPool pool,
      InetSocketAddress address,
      ServerProcess server,
      long sequenceBase,
      long count,
      Map<String, Object> row)
      throws IOException, InterruptedException {
    Pace pace = new Pace(0, 0, SIZE_NANOS_MAX, count, connections, 30 * Quantity.SECOND);
    CostWatcher costs = new CostWatcher(server.pids(), null);
    LoadRun run =
        new LoadRun(
            contestant.endpoint(address),
            workload,
            pace,
            pool,
            sequenceBase,
            new LiveLine(err()),
            costs);
    RunResult result = run.execute();
    if (result.failedBatches() > 0) {
      throw new IOException("batches failed: " + result.failures() + " " + result.failureExample());
    }
    row.put("events_per_second", Math.round(result.eventsPerSecond()));
    // The first size starts with a cold daemon; the median of the seconds excludes that start.
    double[] seconds =
        result.seconds().stream().mapToDouble(RunResult.Second::eventsPerSecond).toArray();
    row.put("events_per_second_median", Math.round(PairedRatio.median(seconds)));
    row.put("response_p99_us", result.response().getValueAtPercentile(99) / Quantity.MICRO);
    row.put(
        "server_us_per_event",
        costs.costs().targetCpuNanos() / (double) Quantity.MICRO / Math.max(1, result.events()));
  }

  private static void look(
      Workload workload,
      InetSocketAddress address,
      ServerProcess server,
      Path data,
      Map<String, Object> row)
      throws IOException {
    String path = Question.LATEST.widerowPath(Question.Subject.of(workload, List.of(), ""));
    Histogram latest = RunCounters.histogram();
    try (TimedQuery query = TimedQuery.open(address)) {
      row.put("heap_used_mb", heapBytes(query.get("/metrics", true).body()) / 1_000_000);
      for (int i = 0; i < LATEST_TIMES; i++) {
        latest.recordValue(query.get(path, false).nanos());
      }
    }
    row.put("latest100_p50_us", latest.getValueAtPercentile(50) / Quantity.MICRO);
    row.put("latest100_p99_us", latest.getValueAtPercentile(99) / Quantity.MICRO);
    ProcessReading reading = ProcessReading.of(server.pid());
    row.put("rss_mb", reading.residentBytes() / 1_000_000);
    row.put("rss_peak_mb", reading.residentBytesPeak() / 1_000_000);
    try (Stream<Path> files = Files.list(Path.of("/proc", server.pid() + "", "fd"))) {
      row.put("open_files", files.count());
    }
    row.put("at_rest_mb", CostWatcher.bytesBelow(data) / 1_000_000);
  }

  /// The used heap, garbage included, as Prometheus text has it.
  private static long heapBytes(String metrics) {
    double bytes =
        metrics
            .lines()
            .filter(line -> line.startsWith("jvm_memory_used_bytes{area=\"heap\""))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
            .sum();
    return (long) bytes;
  }

  private static String table(List<Map<String, Object>> rows) {
    List<String> lines = new ArrayList<>();
    List<String> titles = List.copyOf(rows.get(0).keySet());
    lines.add("| " + String.join(" | ", titles) + " |");
    lines.add("| " + "--- | ".repeat(titles.size()).strip());
    for (Map<String, Object> row : rows) {
      lines.add(
          "| "
              + String.join(" | ", row.values().stream().map(GrowthCommand::cell).toList())
              + " |");
    }
    return String.join("\n", lines) + "\n";
  }

  private static String cell(Object value) {
    return value instanceof Double number
        ? String.format(Locale.ROOT, "%.3f", number)
        : String.format(Locale.ROOT, "%,d", ((Number) value).longValue());
  }
}
