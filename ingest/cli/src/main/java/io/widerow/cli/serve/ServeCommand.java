package io.widerow.cli.serve;

import io.widerow.cli.ClusterDirectory;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Main;
import io.widerow.cli.PlainStart;
import io.widerow.cli.Shell;
import io.widerow.cli.cluster.ClusterDaemonStore;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.ListenException;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.SourceFormats;
import io.widerow.ingest.SourceRefusedException;
import io.widerow.ingest.alert.RuleDirectory;
import io.widerow.ingest.config.ConfigCheck;
import io.widerow.ingest.config.ConfigKeys;
import io.widerow.ingest.config.ConfigRule;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.FileBudget;
import io.widerow.ingest.config.FixedLimits;
import io.widerow.ingest.config.Key;
import io.widerow.ingest.config.MemoryPlan;
import io.widerow.ingest.serve.reply.LowPriorityThread;
import io.widerow.ingest.socket.PortProvider;
import io.widerow.ingest.socket.SocketProtocol;
import io.widerow.ingest.socket.SocketReceiver;
import io.widerow.ingest.transform.TransformFile;
import io.widerow.ingest.transform.TransformSet;
import io.widerow.storage.ClusterReport;
import io.widerow.storage.Damage;
import io.widerow.storage.EventStore;
import io.widerow.storage.RecoveryReport;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `widerow serve`: runs the daemon until it is asked to stop. The exit codes are those of
/// [ExitCode].
///
/// When the disk fails while it runs, it answers queries for `readOnSeconds` of [FixedLimits], or
/// until it is asked to stop.
@Command(
    description = {
      "Receives events over HTTP, syslog and other protocols, and serves queries, until it is"
          + " stopped by SIGTERM or Ctrl-C. No event is lost."
    },
    footer = {
      "Example:",
      "  widerow serve --data ./widerow-data --http 127.0.0.1:7380",
      "Each key of the configuration is an option; the advanced ones are in"
          + " ingest/docs/CONFIGURATION.md. Precedence: option, environment variable, file. The"
          + " variable of the key open-age is WIDEROW_OPEN_AGE. --print-config shows all keys.",
      "Other machines connect with TLS and tokens: see ingest/docs/SECURITY.md."
    })
public final class ServeCommand implements Callable<Integer>, PlainStart {
  private static final String LOSS_ADVICE =
      "widerow: nothing was changed; `widerow query --data` reads the rest, "
          + "`widerow check verify` lists all damage, "
          + "and `widerow check repair --accept-loss` continues without it";
  private final StoreOpener opener;
  private final Map<String, String> environment;
  private final UnaryOperator<FixedLimits> limits;
  private final Shell shell;
  private final Map<String, String> flags = new LinkedHashMap<>();

  private volatile ExitCode exit = ExitCode.INPUT_OUTPUT;

  private @Nullable CommandSpec spec;

  @Option(names = "--config", description = "File of key=value lines.", paramLabel = "FILE")
  private @Nullable Path file;

  @Option(names = "--print-config", description = "Print the configuration in force, and exit.")
  private boolean printConfig;

  @Option(
      names = "--changed",
      description = "With --print-config: only keys without their default.")
  private boolean changedOnly;

  @Option(
      names = "--check-config",
      description = "Report all mistakes of the configuration, and exit.")
  private boolean checkConfig;

  @Option(
      names = "--accept-clock",
      description = "For this start: accept the clock, whatever its time.")
  private boolean acceptClock;

  @Option(
      names = "--accept-repeats",
      description =
          "For this start: apply also events that have waited longer than claim-keep. Events that a"
              + " sender retried at another daemon are then stored twice.")
  private boolean acceptRepeats;

  /// The completions after `--set`: the names of all keys.
  static final class Assignments implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return ConfigKeys.names().map(name -> name + "=").iterator();
    }
  }

  /// Opens the store for the daemon.
  @FunctionalInterface
  public interface StoreOpener {
    EventStore open(DaemonConfig config);
  }

  /// The command with its error handling.
  public static CommandLine commandLine(StoreOpener opener, Map<String, String> environment) {
    return commandLine(opener, environment, UnaryOperator.identity());
  }

  /// The same with other limits than those of the process.
  public static CommandLine commandLine(
      StoreOpener opener, Map<String, String> environment, UnaryOperator<FixedLimits> limits) {
    Shell shell = Shell.ofProcess();
    return Main.of(new ServeCommand(shell, opener, environment, limits), shell);
  }

  /// Adds the flags of the keys.
  @Spec
  void setSpec(CommandSpec own) {
    spec = own;
    for (Key<?> key : ConfigKeys.ALL) {
      if (!key.isOfType()) {
        CommandSpec _ = own.addOption(option(key));
      }
    }
  }

  /// The flag of a key. Help shows those of the first table.
  private OptionSpec option(Key<?> key) {
    OptionSpec.Builder flag =
        OptionSpec.builder("--" + key.name())
            .paramLabel(key.form().label())
            .description(key.summary().replace("`", ""))
            .hidden(key.group() == Key.Group.ADVANCED)
            .type(String.class)
            .completionCandidates(key.form().words())
            .setter(
                new ISetter() {
                  @Override
                  @SuppressWarnings("unchecked") // of the type above
                  public <T> T set(T value) {
                    if (value != null) {
                      flags.put(key.name(), value.toString());
                    }
                    return value;
                  }
                });
    return key.isSwitch() ? flag.arity("0..1").fallbackValue("true").build() : flag.build();
  }

  /// Opens the store that is configured: on a cluster, or on this machine.
  public static EventStore openConfigured(DaemonConfig config) {
    if (config.cluster().isOn()) {
      return ClusterDaemonStore.open(config, LowPriorityThread::factory);
    }
    ClusterDirectory.refuse(
        config.data(), "start the daemon with its own directory and --store URI");
    return LocalStore.open(config);
  }

  public ServeCommand(Shell shell) {
    this(shell, ServeCommand::openConfigured, shell.environment(), UnaryOperator.identity());
  }

  private ServeCommand(
      Shell shell,
      StoreOpener opener,
      Map<String, String> environment,
      UnaryOperator<FixedLimits> limits) {
    this.shell = shell;
    this.opener = opener;
    this.environment = Map.copyOf(environment);
    this.limits = limits;
  }

  @Option(
      names = "--set",
      order = 1, // of all others it is -1; else the JVM would choose its place, as of its method
      description = "Any key of --print-config, also of a type: retention.audit=30d.",
      paramLabel = "KEY=VALUE",
      completionCandidates = Assignments.class)
  void setOther(Map<String, String> values) {
    flags.putAll(values);
  }

  @Override
  public OptionalInt start(List<String> arguments) {
    PlainArguments plain = PlainArguments.read(arguments);
    if (plain == null) {
      return OptionalInt.empty();
    }
    flags.putAll(plain.flags());
    file = plain.file();
    return OptionalInt.of(call());
  }

  /// The arguments that were read, for comparison.
  PlainArguments arguments() {
    return new PlainArguments(flags, file);
  }

  @Override
  public Integer call() {
    LogSetup.apply();
    if (changedOnly && !printConfig) {
      warn("changed: requires --print-config; give both");
      return ExitCode.USAGE.number;
    }
    List<ConfigRule> further =
        new ArrayList<>(
            List.of(
                ConfigCheck.ofTransforms(ServeCommand::requireTransforms),
                ConfigCheck.ofStore(ClusterDaemonStore::check)));
    if (checkConfig) {
      further.add(ConfigCheck.ofRules(ServeCommand::requireRules));
      further.add(ConfigCheck.ofSources(ServeCommand::requireSources));
    }
    if (!printConfig) {
      further.addAll(ConfigCheck.ofMachine());
    }
    ConfigCheck check = ConfigCheck.of(flags, environment, file, further);
    DaemonConfig read = check.config();
    if (read == null) {
      check.mistakes().forEach(this::warn);
      return ExitCode.USAGE.number;
    }
    DaemonConfig config =
        read.accepting(acceptClock, acceptRepeats).withLimits(limits.apply(read.limits()));
    if (printConfig) {
      out().print(changedOnly ? config.printChanged() : config.printWithOrigins());
      out().flush();
      return 0;
    }
    String tooLittle = FileBudget.of(config).refusal();
    if (tooLittle != null) {
      warn(tooLittle);
      return ExitCode.TOO_FEW_FILES.number;
    }
    if (checkConfig) {
      out().println("the configuration works");
      out().flush();
      return 0;
    }
    return serve(config).number;
  }

  private static void requireTransforms(DaemonConfig config) {
    if (config.transforms() != null) {
      long nowNanos = Math.multiplyExact(Instant.now().getEpochSecond(), 1_000_000_000L);
      TransformSet _ = TransformFile.read(config.transforms(), nowNanos);
    }
  }

  /// A daemon starts with a bad rule file, and reports it.
  private static void requireRules(DaemonConfig config) {
    Path directory = config.alerts().directory();
    if (directory != null) {
      RuleDirectory.check(directory, config.alerts().intervalMillis());
    }
  }

  /// A start loads the formats for its endpoints, and finds the same.
  private static void requireSources(DaemonConfig config) {
    if (!config.kafka().isEmpty()) {
      SourceFormats.check(config);
    }
  }

  private ExitCode serve(DaemonConfig config) {
    CountDownLatch stopped = new CountDownLatch(1);
    try {
      String failure = run(config, stopped);
      exit = failure == null ? ExitCode.OK : ExitCode.INPUT_OUTPUT;
      return exit;
    } catch (StorageException refused) {
      warn(String.valueOf(refused.getMessage()));
      if (refused instanceof StorageException.AcknowledgedDataDamaged) {
        err().println(LOSS_ADVICE);
      }
      exit = ExitCode.of(refused);
      return exit;
    } catch (ListenException refused) {
      warn(String.valueOf(refused.getMessage()));
      exit = ExitCode.UNAVAILABLE;
      return exit;
    } catch (SourceRefusedException refused) {
      warn(String.valueOf(refused.getMessage()));
      exit = ExitCode.USAGE;
      return exit;
    } finally {
      stopped.countDown();
    }
  }

  /// Returns why writing has ended; null when it was asked to stop.
  private @Nullable String run(DaemonConfig config, CountDownLatch stopped) {
    MemoryPlan.limitNetwork();
    announceMemory(new MemoryPlan(config));
    Thread.ofPlatform().name("widerow-start").daemon().start(() -> Daemon.prepare(config));
    String failure;
    long stopNanos;
    StoreStatistics last;
    try (EventStore store = opener.open(config)) {
      try (Daemon daemon = Daemon.start(config, store)) {
        CountDownLatch stop = new CountDownLatch(1);
        Thread hook = Thread.ofPlatform().name("widerow-stop").unstarted(() -> stop(stop, stopped));
        Runtime.getRuntime().addShutdownHook(hook);
        if (config.alerts().directory() != null) {
          ReloadSignal.install(daemon::reload);
        }
        announce(daemon, store);
        daemon.awaitStop(stop, why -> tellFailed(config, why));
        failure = daemon.failure();
        stopNanos = System.nanoTime();
        tellStopping(daemon, store);
      }
      last = store.statistics();
    }
    tellStopped(failure, System.nanoTime() - stopNanos, last);
    return failure;
  }

  /// Not by the logger: the JVM resets it as soon as a signal has come.
  private void tellStopping(Daemon daemon, EventStore store) {
    warn(
        "stopping: %d requests in progress, %d events in open rows"
            .formatted(daemon.inFlight(), store.statistics().openEvents()));
    err().flush();
  }

  private void tellStopped(@Nullable String failure, long nanos, StoreStatistics last) {
    warn(
        "stopped in %d ms: %d events stored since the start, %s"
            .formatted(
                TimeUnit.NANOSECONDS.toMillis(nanos),
                last.eventsCommitted(),
                failure == null
                    ? last.openEvents() + " sealed while stopping"
                    : "acknowledged events are replayed at the next start"));
    err().flush();
  }

  private void tellFailed(DaemonConfig config, String failure) {
    warn(
        "writing has ended: %s; no event is stored, queries are served for %d s"
                .formatted(failure, config.limits().readOnSeconds())
            + " or until it is stopped, then it ends with exit code %d"
                .formatted(ExitCode.INPUT_OUTPUT.number));
    err().flush();
  }

  /// The shutdown hook: asks for the stop, and keeps the process alive until it is done.
  private void stop(CountDownLatch stop, CountDownLatch stopped) {
    if (stopped.getCount() == 0) {
      return; // the process is exiting with its own exit code
    }
    stop.countDown();
    try {
      stopped.await();
      Runtime.getRuntime().halt(exit.number); // otherwise the exit code would be the signal's
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void announce(Daemon daemon, EventStore store) {
    if (store instanceof EmbeddedStore embedded) {
      announce(embedded.recovery());
    }
    announceCluster(store.cluster());
    announceDamage(store);
    print("%s on %s".formatted(daemon.httpScheme(), daemon.httpAddress()));
    for (SocketReceiver receiver : daemon.receivers()) {
      SocketProtocol protocol = receiver.protocol();
      print("%s on %s, %s".formatted(protocol.name(), receiver.address(), protocol.transports()));
    }
    InetSocketAddress cql = daemon.socketAddress(PortProvider.CQL);
    if (cql != null) {
      print("cql on %s".formatted(cql));
    }
    String full = store.full();
    if (full != null) {
      warn("the disk is full: " + full);
    }
    print(
        store.statistics().segmentEvents()
            + " events in segments, "
            + store.statistics().openEvents()
            + " in open rows; ready"
            + (full == null ? "" : " to read, and to take events when there is room"));
    out().flush();
  }

  private void announceMemory(MemoryPlan memory) {
    print(memory.sentence());
    String excess = memory.excess();
    if (excess != null) {
      warn(excess);
    }
  }

  private void announceCluster(@Nullable ClusterReport cluster) {
    if (cluster == null) {
      return;
    }
    print(
        "store %s, keyspace %s, daemon %d, %d nodes up, %d down, %d events to apply"
            .formatted(
                cluster.store(),
                cluster.keyspace(),
                cluster.daemon(),
                cluster.nodesUp(),
                cluster.nodesDown(),
                cluster.pendingEvents()));
    if (!cluster.trouble().isEmpty()) {
      warn("the cluster: " + cluster.trouble());
    }
  }

  private void announceDamage(EventStore store) {
    for (Damage damage : store.statistics().damage()) {
      warn(
          "%s; %d partitions with %d events cannot be read, all others are served"
              .formatted(damage.sentence(), damage.partitions().size(), damage.events()));
    }
  }

  private void announce(RecoveryReport recovery) {
    print(
        "recovered in %d ms: %d segments, %d events replayed from %d groups, %d torn"
            .formatted(
                recovery.millis(),
                recovery.segments(),
                recovery.eventsReplayed(),
                recovery.groupsReplayed(),
                recovery.tornGroups()));
    recovery.remarks().forEach(this::warn);
  }

  private void print(String line) {
    out().println("widerow: " + line);
  }

  private void warn(String line) {
    err().println("widerow: " + line);
  }

  private PrintWriter out() {
    return spec == null ? shell.outWriter() : spec.commandLine().getOut();
  }

  private PrintWriter err() {
    return spec == null ? shell.errWriter() : spec.commandLine().getErr();
  }
}
