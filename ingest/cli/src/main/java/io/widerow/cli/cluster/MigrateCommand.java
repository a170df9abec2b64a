package io.widerow.cli.cluster;

import io.widerow.cli.ClusterDirectory;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.QueryException;
import io.widerow.storage.cassandra.migrate.HourMismatch;
import io.widerow.storage.cassandra.migrate.Migration;
import io.widerow.storage.cassandra.migrate.MigrationOutcome;
import io.widerow.storage.cassandra.migrate.Settings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `widerow cluster migrate`: copies a store between a directory and a cluster.
@Command(
    description = {
      "Copies a store from a directory to a cluster, or back, and compares both. Ids are kept. A"
          + " run continues after a kill; a second run copies only new events. The source does not"
          + " change."
    },
    footer = {
      "Examples, for a daemon that runs until the last steps:",
      "  widerow snapshot --to before-cluster",
      "  widerow cluster migrate --from widerow-data-snapshots/before-cluster \\",
      "      --to 'cassandra://db1,db2/widerow?dc=dc1&replication=3'",
      "  (stop the daemon)",
      "  widerow cluster migrate --from widerow-data \\",
      "      --to 'cassandra://db1,db2/widerow?dc=dc1'",
      "  widerow serve --store 'cassandra://db1,db2/widerow?dc=dc1' --data front",
      "And back:",
      "  widerow cluster migrate --from 'cassandra://db1/widerow?dc=dc1' --to DIR",
      "Exit codes: 0 both sides are the same, 1 they differ, 64 usage, 65 damaged data, 66 no"
          + " store, or a target that cannot be copied into, 69 cluster unavailable, 73 disk full,"
          + " 74 input/output, 75 store in use, or the daemon's number taken."
    })
public final class MigrateCommand implements Callable<Integer> {
  private static final String SCHEME = "cassandra://";
  private static final int DIFFERENCES_SHOWN = 50;

  private final ClusterConnector connector;
  private final Shell shell;

  @Option(
      names = "--from",
      paramLabel = "SOURCE",
      required = true,
      description = "Directory of a stopped store or a snapshot, or a cassandra:// URI.")
  String from = "";

  @Option(
      names = "--to",
      paramLabel = "TARGET",
      required = true,
      description = "A cassandra:// URI, or a directory, new or of an earlier run.")
  String to = "";

  @Option(names = "--verify", description = "Copy nothing; compare everything.")
  boolean verify;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Partitions copied at once, 1 to 64. Default: one a processor.")
  int threads = Math.min(64, Runtime.getRuntime().availableProcessors());

  @Option(names = "--insecure", description = "Allow another machine without TLS or a user.")
  boolean insecure;

  @Spec @Nullable CommandSpec spec;

  public MigrateCommand(Shell shell) {
    this(DriverConnector::open, shell);
  }

  MigrateCommand(ClusterConnector connector, Shell shell) {
    this.connector = connector;
    this.shell = shell;
  }

  @Override
  public Integer call() {
    boolean intoCluster = to.startsWith(SCHEME);
    if (intoCluster == from.startsWith(SCHEME)) {
      throw new QueryException.Refused(
          "to",
          "one of --from and --to is a directory and the other a cassandra:// URI, got %s and %s"
              .formatted(from, to));
    }
    if (threads < 1 || threads > 64) {
      throw new QueryException.Refused("threads", "--threads must be 1 to 64, got " + threads);
    }
    String uri = intoCluster ? to : from;
    Path directory = Path.of(intoCluster ? from : to).toAbsolutePath();
    ClusterDirectory.refuse(directory, "its daemon applies them to the cluster when it runs");
    MigrationBar bar = new MigrationBar(shell.err(), shell.errToTerminal(), System::nanoTime);
    MigrationOutcome outcome;
    try (OpenCluster cluster = open(uri, intoCluster && !verify);
        ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      Migration migration =
          new Migration(cluster.keyspace(), cluster::view, Settings.of(executor, threads), bar);
      outcome = run(migration, directory, intoCluster);
    } finally {
      bar.end();
    }
    return tell(outcome, uri, intoCluster);
  }

  private OpenCluster open(String uri, boolean make) {
    try {
      return connector.open(uri, insecure, make);
    } catch (IllegalArgumentException refused) {
      throw new QueryException.Refused(
          uri.equals(to) ? "to" : "from", String.valueOf(refused.getMessage()));
    }
  }

  private MigrationOutcome run(Migration migration, Path directory, boolean intoCluster) {
    if (intoCluster) {
      return verify ? migration.verifyCluster(directory) : migration.toCluster(directory);
    }
    return verify ? migration.verifyDirectory(directory) : migration.toDirectory(directory);
  }

  private int tell(MigrationOutcome outcome, String uri, boolean intoCluster) {
    CommandSpec own = spec;
    if (own == null) {
      throw new IllegalStateException("not run by picocli");
    }
    PrintWriter out = own.commandLine().getOut();
    if (!verify) {
      out.printf("copied %,d events%n", outcome.copied());
    }
    List<HourMismatch> differences = outcome.differences();
    out.printf(
        "compared %,d events: %s%n",
        outcome.compared(),
        differences.isEmpty()
            ? "both sides are the same"
            : "%,d hours differ".formatted(differences.size()));
    differences.stream().limit(DIFFERENCES_SHOWN).forEach(out::println);
    if (differences.size() > DIFFERENCES_SHOWN) {
      out.printf("and %,d more%n", differences.size() - DIFFERENCES_SHOWN);
    }
    if (differences.isEmpty() && !verify) {
      out.printf(
          "when the source receives no more events, run this command once more, then:%n  %s%n",
          intoCluster
              ? "widerow serve --store '%s' --data %s".formatted(uri, from + "-front")
              : "widerow serve --data " + to);
    }
    out.flush();
    return (differences.isEmpty() ? ExitCode.OK : ExitCode.DAMAGE_FOUND).number;
  }
}
