package io.widerow.loadgen.report;

import io.widerow.loadgen.run.AckListener;
import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.run.GroupCounts;
import io.widerow.loadgen.run.GroupOptions;
import io.widerow.loadgen.run.HourEnd;
import io.widerow.loadgen.run.LiveLine;
import io.widerow.loadgen.run.LoadRun;
import io.widerow.loadgen.run.NewestEvent;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.ReadOptions;
import io.widerow.loadgen.run.Reader;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.run.RunWatcher;
import io.widerow.loadgen.run.Watchers;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Runs of one workload against one target; prints and stores the report of each.
///
/// - Threads: one.
public final class LoadSession {
  public static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Endpoint endpoint;
  private final Workload workload;
  private final BatchPool pool;
  private final ReportOptions options;
  private final ReadOptions reads;
  private final List<String> command;
  private final PrintWriter out;
  private final PrintWriter err;
  private long sequenceNext;

  public LoadSession(
      Endpoint endpoint,
      Workload workload,
      BatchPool pool,
      ReportOptions options,
      ReadOptions reads,
      List<String> command,
      PrintWriter out,
      PrintWriter err) {
    this.endpoint = endpoint;
    this.workload = workload;
    this.pool = pool;
    this.options = options;
    this.reads = reads;
    this.command = List.copyOf(command);
    this.out = out;
    this.err = err;
  }

  /// A run that is reported in full.
  public RunResult run(Pace pace, AckListener acks) throws InterruptedException, IOException {
    String name = name(pace);
    CostWatcher costs = new CostWatcher(options.pids(), options.dataDirectory);
    CostWatcher own = new CostWatcher(List.of(ProcessHandle.current().pid()), null);
    HourEnd hourEnd = new HourEnd(System::currentTimeMillis);
    NewestEvent newest = new NewestEvent(workload, acks);
    List<Reader> readers = readers(newest);
    List<RunWatcher> watchers = new ArrayList<>(List.of(new LiveLine(err), costs, own, hourEnd));
    watchers.addAll(readers);
    if (options.results == null) {
      RunResult result = execute(pace, newest, watchers);
      show(report(name, pace, result, costs), hourEnd, readers);
      return result;
    }
    try (RunFolder folder =
        new RunFolder(options.results, name, command, options.pid, options.plots)) {
      watchers.add(folder.log());
      RunResult result = execute(pace, newest, watchers);
      RunReport report = report(name, pace, result, costs);
      Map<String, Object> members = report.members();
      members.put("command", ResultsLayout.commandLine(command));
      readers.forEach(reader -> members.putAll(reader.members()));
      folder.finish(
          report, members, show(report, hourEnd, readers), costs.readings(), own.readings());
      out.println("written to " + folder.path());
      return result;
    }
  }

  /// A run without a report.
  RunResult probe(Pace pace) throws InterruptedException {
    return execute(pace, AckListener.NONE, List.of());
  }

  private RunResult execute(Pace pace, AckListener acks, List<RunWatcher> watchers)
      throws InterruptedException {
    LoadRun run =
        new LoadRun(endpoint, workload, pace, pool, sequenceNext, acks, new Watchers(watchers));
    RunResult result = run.execute();
    sequenceNext += run.eventsTaken();
    return result;
  }

  private RunReport report(String name, Pace pace, RunResult result, CostWatcher costs) {
    boolean clientBound = result.isClientBound(pace.connections(), cores());
    return new RunReport(
        name, options.note, endpoint, workload, pace, result, costs.costs(), clientBound);
  }

  private List<Reader> readers(NewestEvent newest) {
    InetSocketAddress address = new InetSocketAddress(endpoint.host(), endpoint.port());
    String types = workload.typeGlob();
    GroupOptions groups = reads.groups(workload.scenario());
    return reads.reads().stream()
        .map(read -> {
          GroupCounts counts = new GroupCounts(types, groups, newest::limitNanos);
          return new Reader(address, types, read, counts);
        })
        .toList();
  }

  public static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }

  private String show(RunReport report, HourEnd hourEnd, List<Reader> readers) {
    StringBuilder whole = new StringBuilder(FinalTable.render(report)).append(hourEnd.render());
    readers.forEach(reader -> whole.append(reader.render()));
    String table = whole.toString();
    out.print(table);
    out.flush();
    return table;
  }

  private String name(Pace pace) {
    return "%s-%s-%s-%s"
        .formatted(
            STAMP.format(Instant.now()),
            endpoint.target(),
            workload.scenario().name().toLowerCase(Locale.ROOT),
            pace.rates().label());
  }
}
