package io.widerow.loadgen;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.LoadSession;
import io.widerow.loadgen.report.RateSearch;
import io.widerow.loadgen.report.ReportOptions;
import io.widerow.loadgen.run.AckListener;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.PaceOptions;
import io.widerow.loadgen.run.ReadOptions;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.run.Stage;
import io.widerow.loadgen.run.WrongAnswer;
import io.widerow.loadgen.verify.Ledger;
import io.widerow.loadgen.verify.Verification;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.wire.NullSink;
import io.widerow.loadgen.wire.TargetDown;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.PoolFile;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import io.widerow.loadgen.workload.WorkloadOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// `widerow load`: parses options, runs, reports, and maps the outcome to an exit code.
@Command(
    name = "widerow load",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    subcommands = {
      CompareCommand.class,
      ProtocolsCommand.class,
      QueriesCommand.class,
      KillCommand.class,
      GrowthCommand.class,
      TypesCommand.class,
      SeriesCommand.class,
      BesideCommand.class,
      ReportCommand.class,
      SinkCommand.class
    },
    description =
        "Sends events at a rate that the target cannot slow down, and reports what it measured.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all went well",
      "1:batches failed: each kind is counted, slow responses (--timeout) as well",
      "64:an option has an impossible value",
      "65:reading back found a mistake",
      "69:the target cannot be reached",
      "74:a file cannot be read or written",
      "99:a measurement exceeds its bound (--max-p99, --max-slip, --min-rate)"
    })
public final class LoadCommand implements Callable<Integer> {
  private static final String DEFAULT_URL = "127.0.0.1:7380";

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final WorkloadOptions workloadOptions = new WorkloadOptions();
  @Mixin private final PaceOptions paceOptions = new PaceOptions();
  @Mixin private final ReadOptions readOptions = new ReadOptions();
  @Mixin private final ReportOptions reportOptions = new ReportOptions();

  @Option(
      names = "--target",
      defaultValue = "widerow-text",
      description = "${COMPLETION-CANDIDATES}; null is a sink inside this tool")
  private Target target = Target.WIDEROW_TEXT;

  @Option(
      names = "--url",
      paramLabel = "HOST:PORT",
      description =
          "where the target listens (default "
              + DEFAULT_URL
              + "; for null, a sink inside this tool)")
  private @Nullable String url;

  @Option(
      names = "--path",
      paramLabel = "PATH",
      description = "request path, for other servers that speak the target's protocol")
  private @Nullable String path;

  @Option(
      names = "--durability",
      paramLabel = "LEVEL",
      description = "quorum, disk, os or memory (default: the target decides)")
  private @Nullable String durability;

  @Option(
      names = "--find-max",
      description = "search for the highest rate that keeps --p99, then run at that rate")
  private boolean findMax;

  @Option(
      names = "--p99",
      defaultValue = "50ms",
      paramLabel = "TIME",
      description = "bound for --find-max")
  private String p99 = "";

  @Option(
      names = "--verify",
      description = "read everything back afterwards and check it against the ledger")
  private boolean verify;

  @Option(
      names = "--ledger",
      defaultValue = "widerow-load.ledger",
      paramLabel = "FILE",
      description = "record of acknowledged batches, for --verify")
  private Path ledger = Path.of("");

  @Option(
      names = "--query-url",
      paramLabel = "HOST:PORT",
      description = "address to read back from, when it is not --url")
  private @Nullable String queryUrl;

  private LoadCommand() {}

  public static void main(String[] arguments) {
    System.setProperty("java.awt.headless", "true"); // plots need no screen
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    System.exit(run(out, err, arguments));
  }

  public static int run(PrintWriter out, PrintWriter err, String... arguments) {
    CommandLine line =
        new CommandLine(new LoadCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(out)
            .setErr(err)
            .registerConverter(Target.class, LoadCommand::target);
    showDefaults(line.getCommandSpec());
    line.getSubcommands().values().forEach(below -> showDefaults(below.getCommandSpec()));
    line.setParameterExceptionHandler((failure, _) -> {
      err.println("widerow load: " + failure.getMessage());
      return ExitCode.USAGE;
    });
    line.setExecutionExceptionHandler((failure, _, _) -> {
      err.println("widerow load: " + sentence(failure));
      return code(failure);
    });
    return line.execute(arguments);
  }

  /// Adds its default to the description of each option, unless the description names one.
  private static void showDefaults(CommandSpec spec) {
    for (ArgSpec argument : List.copyOf(spec.args())) {
      String text = String.join(" ", argument.description());
      String standard = argument.defaultValue();
      if (standard != null && !standard.isEmpty() && !text.contains("default")) {
        text += text.isEmpty() ? "default ${DEFAULT-VALUE}" : " (default ${DEFAULT-VALUE})";
      }
      spec.remove(argument);
      spec.add(
          argument instanceof OptionSpec option
              ? option.toBuilder().description(text).build()
              : ((PositionalParamSpec) argument).toBuilder().description(text).build());
    }
  }

  private static Target target(String label) {
    try {
      return Target.of(label);
    } catch (IllegalArgumentException unknown) {
      throw new TypeConversionException(unknown.getMessage());
    }
  }

  private static String sentence(Exception failure) {
    return switch (failure) {
      case NoSuchFileException absent -> absent.getFile() + ": no such file or directory";
      case FileSystemException refused when refused.getReason() == null ->
          refused.getFile() + ": " + refused.getClass().getSimpleName();
      default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
    };
  }

  private static int code(Exception failure) {
    return switch (failure) {
      case IllegalArgumentException _ -> ExitCode.USAGE;
      case TargetDown _ -> ExitCode.UNAVAILABLE;
      case WrongAnswer _ -> ExitCode.WRONG;
      case IOException _ -> ExitCode.FILE;
      default -> throw new IllegalStateException(failure);
    };
  }

  @Override
  public Integer call() throws Exception {
    Workload workload = workloadOptions.workload(Instant.now(), paceOptions.rate());
    Pace pace = paceOptions.pace();
    target.requireCarries(workload);
    requireLevel(durability);
    reportOptions.check();
    readOptions.groups(workload.scenario());
    boolean staged = !paceOptions.stages().isEmpty();
    if (findMax && (staged || pace.rates().isRamp())) {
      throw new IllegalArgumentException(
          "--find-max looks for one rate, not for " + (staged ? "--stages" : "--rate with a ramp"));
    }
    if (verify && (findMax || staged || target == Target.NULL)) {
      throw new IllegalArgumentException(
          "--verify does not go with "
              + (findMax ? "--find-max" : staged ? "--stages" : "--target null"));
    }
    if (verify && workload.scenario() == Scenario.FIELDS) {
      throw new IllegalArgumentException(
          "--verify finds events by their number, which those of --scenario fields do not have");
    }
    if (!readOptions.reads().isEmpty() && !target.isWiderow()) {
      throw new IllegalArgumentException("--read asks Widerow over HTTP, not --target " + target);
    }
    if (workloadOptions.prepare != null) {
      BatchPool drawn = BatchPool.prepare(workload, target, pace.connections());
      PoolFile.write(workloadOptions.prepare, drawn);
      return ExitCode.OK;
    }
    if (target == Target.NULL && url == null) {
      try (NullSink sink = new NullSink()) {
        return run(
            new Endpoint(target, "127.0.0.1", sink.port(), durability, path), workload, pace);
      }
    }
    Endpoint endpoint = Endpoint.of(target, url == null ? DEFAULT_URL : url, durability, path);
    TargetDown.check(endpoint);
    return run(endpoint, workload, pace);
  }

  private int run(Endpoint endpoint, Workload workload, Pace pace)
      throws InterruptedException, IOException {
    PrintWriter out = spec.commandLine().getOut();
    BatchPool pool = workloadOptions.pool(workload, endpoint.target(), pace.connections());
    out.printf(
        Locale.ROOT,
        "prepared %s events, %.1f bytes an event%n",
        Quantity.count((double) pool.batches().size() * workload.batchEvents()),
        pool.bytes() / ((double) pool.batches().size() * workload.batchEvents()));
    LoadSession session =
        new LoadSession(
            endpoint,
            workload,
            pool,
            reportOptions,
            readOptions,
            spec.commandLine().getParseResult().originalArgs(),
            out,
            spec.commandLine().getErr());
    if (!paceOptions.stages().isEmpty()) {
      int worst = ExitCode.OK;
      for (Stage stage : paceOptions.stages()) {
        worst = Math.max(worst, judge(session.run(pace.withStage(stage), AckListener.NONE)));
      }
      return worst;
    }
    Pace last = pace;
    if (findMax) {
      double rate = new RateSearch(session, pace, Quantity.nanos("--p99", p99), out).find();
      if (rate == 0) {
        spec.commandLine().getErr().println("widerow load: no rate keeps a p99 of " + p99);
        return ExitCode.BOUND;
      }
      last = pace.withRate(rate);
    }
    if (!verify) {
      return judge(session.run(last, AckListener.NONE));
    }
    RunResult result;
    try (Ledger acks = new Ledger(ledger)) {
      result = session.run(last, acks);
    }
    Endpoint reading = queryUrl == null ? endpoint : Endpoint.of(target, queryUrl, null, null);
    boolean right = Verification.run(reading, workload, pool.batches().size(), ledger, out);
    return right ? judge(result) : ExitCode.WRONG;
  }

  private int judge(RunResult result) {
    if (result.failedBatches() > 0) {
      return ExitCode.FAILURES;
    }
    return reportOptions.isBeyondBound(result) ? ExitCode.BOUND : ExitCode.OK;
  }

  private static void requireLevel(@Nullable String level) {
    if (level != null && !level.matches("quorum|disk|os|memory")) {
      throw new IllegalArgumentException(
          "--durability is quorum, disk, os or memory, got '" + level + "'");
    }
  }
}
