package io.widerow.ingest;

import io.widerow.ingest.config.ConfigSources;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.FileBudget;
import io.widerow.ingest.socket.SocketProtocol;
import io.widerow.ingest.socket.SocketReceiver;
import io.widerow.query.QueryThreads;
import io.widerow.storage.Damage;
import io.widerow.storage.EventStore;
import io.widerow.storage.RecoveryReport;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `widerow serve`: runs the daemon until it is asked to stop.
///
/// | exit code | because |
/// |---|---|
/// | 0 | it was asked to stop, and everything is safe |
/// | 1 | the store is in use by another process |
/// | 2 | there is no such option |
/// | 64 | a key or a value cannot work |
/// | 69 | it cannot listen on an address |
/// | 71 | the limit of open files is too low |
/// | 74 | writing has ended: the disk failed, or acknowledged data is damaged |
///
/// When the disk fails while it runs, it answers queries for `read-on-seconds` or until it is asked
/// to stop.
@Command(
    name = "serve",
    description = "Takes events in over HTTP and syslog, and answers queries, until it is stopped.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ServeCommand implements Callable<Integer> {
  private static final String LOSS_ADVICE =
      "widerow: nothing was changed; `widerow query --data` reads what is left, "
          + "`widerow verify` lists all damage, "
          + "and `widerow repair --accept-loss` goes on without it";
  private static final int EXIT_USAGE = 64;
  private static final int EXIT_UNAVAILABLE = 69;
  private static final int EXIT_TOO_LITTLE = 71;
  private static final int EXIT_FAILED = 74;

  private final StoreOpener opener;
  private final Map<String, String> environment;
  private final Map<String, String> flags = new LinkedHashMap<>();

  private volatile int exit = EXIT_FAILED;

  @Spec private @Nullable CommandSpec spec;

  @Option(names = "--config", description = "file of key=value lines", paramLabel = "FILE")
  private @Nullable Path file;

  @Option(names = "--print-config", description = "print the configuration in force, and exit")
  private boolean printConfig;

  @Option(names = "--check-config", description = "check the configuration, and exit")
  private boolean checkConfig;

  /// Opens the store for the daemon.
  @FunctionalInterface
  public interface StoreOpener {
    EventStore open(DaemonConfig config);
  }

  /// Runs the command and exits with its exit code.
  public static void main(String[] arguments) {
    LogSetup.apply();
    ServeCommand command = new ServeCommand(ServeCommand::openEmbedded, System.getenv());
    System.exit(new CommandLine(command).execute(arguments));
  }

  /// Opens the store on this machine, with its threads. One background thread for two lanes, and
  /// two more, seal rows and create journal files, so that two can seal for one lane and files need
  /// not wait for them. Merging has its own thread. That one and the threads that search blocks for
  /// queries run at low priority.
  public static EventStore openEmbedded(DaemonConfig config) {
    Executor background =
        Executors.newFixedThreadPool(
            2 + (config.lanes() + 1) / 2,
            Thread.ofPlatform().name("widerow-background-", 0).daemon().factory());
    StoreConfig storeConfig = config.store().storeConfig(config.data(), config.lanes());
    EmbeddedStore store = EmbeddedStore.open(storeConfig, background);
    store.mergeOn(Executors.newSingleThreadExecutor(LowPriorityThread.factory("widerow-merge")));
    store.readWith(QueryThreads.start(LowPriorityThread.factory("widerow-search")));
    config.store().retain(store);
    return store;
  }

  public ServeCommand(StoreOpener opener, Map<String, String> environment) {
    this.opener = opener;
    this.environment = Map.copyOf(environment);
  }

  @Option(names = "--data", description = "the store's directory", paramLabel = "DIR")
  void setData(String value) {
    flags.put("data", value);
  }

  @Option(names = "--http", description = "address of HTTP", paramLabel = "HOST:PORT")
  void setHttp(String value) {
    flags.put("http", value);
  }

  @Option(
      names = "--syslog",
      description = "address of syslog, UDP and TCP",
      paramLabel = "HOST:PORT")
  void setSyslog(String value) {
    flags.put("syslog", value);
  }

  @Option(names = "--durability", description = "disk, os or memory", paramLabel = "LEVEL")
  void setDurability(String value) {
    flags.put("durability", value);
  }

  @Option(names = "--lanes", description = "writer threads", paramLabel = "N")
  void setLanes(String value) {
    flags.put("lanes", value);
  }

  @Option(names = "--insecure", description = "let other machines connect without TLS and tokens")
  void setInsecure(boolean value) {
    flags.put("insecure", Boolean.toString(value));
  }

  @Option(
      names = "--set",
      description = "any other key of --print-config",
      paramLabel = "KEY=VALUE")
  void setOther(Map<String, String> values) {
    flags.putAll(values);
  }

  @Override
  public Integer call() {
    DaemonConfig config;
    try {
      config = ConfigSources.read(flags, environment, file);
      config.security().check();
    } catch (IllegalArgumentException wrong) {
      err().println("widerow: " + wrong.getMessage());
      return EXIT_USAGE;
    }
    if (printConfig || checkConfig) {
      out().print(printConfig ? config.print() : "the configuration works\n");
      out().flush();
      return 0;
    }
    String tooLittle = FileBudget.of(config).refusal();
    if (tooLittle != null) {
      err().println("widerow: " + tooLittle);
      return EXIT_TOO_LITTLE;
    }
    return serve(config);
  }

  private int serve(DaemonConfig config) {
    CountDownLatch stopped = new CountDownLatch(1);
    try {
      String failure = run(config, stopped);
      exit = failure == null ? 0 : EXIT_FAILED;
      return exit;
    } catch (StorageException refused) {
      err().println("widerow: " + refused.getMessage());
      if (refused instanceof StorageException.AcknowledgedDataDamaged) {
        err().println(LOSS_ADVICE);
      }
      exit = exitCode(refused);
      return exit;
    } catch (ListenException refused) {
      err().println("widerow: " + refused.getMessage());
      exit = EXIT_UNAVAILABLE;
      return exit;
    } finally {
      stopped.countDown();
    }
  }

  /// Returns why writing has ended; null when it was asked to stop.
  private @Nullable String run(DaemonConfig config, CountDownLatch stopped) {
    Thread.ofPlatform().name("widerow-start").daemon().start(Daemon::prepare);
    try (EventStore store = opener.open(config);
        Daemon daemon = Daemon.start(config, store)) {
      CountDownLatch stop = new CountDownLatch(1);
      Thread hook = Thread.ofPlatform().name("widerow-stop").unstarted(() -> stop(stop, stopped));
      Runtime.getRuntime().addShutdownHook(hook);
      announce(daemon, store);
      daemon.awaitStop(stop, failure -> tellFailed(config, failure));
      return daemon.failure();
    }
  }

  private void tellFailed(DaemonConfig config, String failure) {
    err()
        .println(
            "widerow: writing has ended: %s; nothing is taken in, queries are answered for %d s"
                    .formatted(failure, config.readOnSeconds())
                + " or until it is stopped, then it ends with exit code %d".formatted(EXIT_FAILED));
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
      Runtime.getRuntime().halt(exit); // otherwise the exit code would be the signal's
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static int exitCode(StorageException failure) {
    return switch (failure) {
      case StorageException.Locked _ -> 1;
      case StorageException.Incompatible _ -> 65;
      case StorageException.Corrupt _,
          StorageException.AcknowledgedDataDamaged _,
          StorageException.DiskFull _,
          StorageException.Failed _,
          StorageException.ReadOnly _,
          StorageException.ClockBehind _ ->
          EXIT_FAILED;
    };
  }

  private void announce(Daemon daemon, EventStore store) {
    if (store instanceof EmbeddedStore embedded) {
      announce(embedded.recovery());
    }
    announceDamage(store);
    out().println("widerow: %s on %s".formatted(daemon.httpScheme(), daemon.httpAddress()));
    for (SocketReceiver receiver : daemon.receivers()) {
      SocketProtocol protocol = receiver.protocol();
      out()
          .println(
              "widerow: %s on %s, %s"
                  .formatted(protocol.name(), receiver.address(), protocol.transports()));
    }
    String full = store.full();
    if (full != null) {
      err().println("widerow: the disk is full: " + full);
    }
    out()
        .println(
            "widerow: "
                + store.statistics().segmentEvents()
                + " events in segments, "
                + store.statistics().openEvents()
                + " in open rows; ready"
                + (full == null ? "" : " to read, and to take events when there is room"));
    out().flush();
  }

  private void announceDamage(EventStore store) {
    for (Damage damage : store.statistics().damage()) {
      err()
          .println(
              "widerow: %s; %d partitions with %d events cannot be read, all others are served"
                  .formatted(damage.sentence(), damage.partitions().size(), damage.events()));
    }
  }

  private void announce(RecoveryReport recovery) {
    out()
        .println(
            "widerow: recovered in %d ms: %d segments, %d events replayed from %d groups, %d torn"
                .formatted(
                    recovery.millis(),
                    recovery.segments(),
                    recovery.eventsReplayed(),
                    recovery.groupsReplayed(),
                    recovery.tornGroups()));
  }

  private PrintWriter out() {
    return commandLine().getOut();
  }

  private PrintWriter err() {
    return commandLine().getErr();
  }

  private CommandLine commandLine() {
    if (spec == null) {
      throw new IllegalStateException("called without picocli");
    }
    return spec.commandLine();
  }
}
