package io.widerow.cli.cluster;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.event.RetentionPolicy;
import io.widerow.ingest.config.Age;
import io.widerow.query.QueryException;
import io.widerow.query.filter.FilterParser;
import io.widerow.storage.RetentionSettings;
import io.widerow.storage.RetentionSettings.Going;
import io.widerow.storage.RetentionSettings.Sum;
import io.widerow.storage.RetentionSettings.Where;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.KeyspaceHealth;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.maintenance.ClusterPolicies;
import io.widerow.storage.cassandra.maintenance.ClusterVerifier;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow cluster`: manages a store on a cluster, without a daemon.
@Command(
    description = {"The commands read and write the cluster themselves, without a daemon."},
    footer = {
      "Examples:",
      "  widerow cluster init \\",
      "      --store 'cassandra://db1/widerow?dc=dc1&replication=3'",
      "  widerow cluster status --store 'cassandra://db1/widerow?dc=dc1'",
      "  widerow cluster retain cpu 30d --store 'cassandra://db1/widerow?dc=dc1'",
      "  widerow cluster retain forever --store 'cassandra://db1/widerow?dc=dc1'",
      "  widerow cluster retain 'shop.*' 1d --where 'level <= debug' --store URI",
      "Exit codes: 0 ok, 1 verify: damage found, 64 usage, 66 no store, 69 cluster unavailable or"
          + " refusing, 75 in use."
    })
public final class ClusterCommand {
  /// A daemon that was heard of within this time may still run.
  private static final Duration LATELY = Duration.ofMinutes(10);

  private final ClusterConnector connector;
  private final PrintWriter out;
  private final LongSupplier nowMillis;

  /// The cluster of a command.
  static final class Target {
    @Option(
        names = "--store",
        paramLabel = "URI",
        required = true,
        description = "cassandra://host[:port][,..]/keyspace?dc=dc1[&replication=3].")
    String store = "";

    @Option(names = "--insecure", description = "Allow another machine without TLS or a user.")
    boolean insecure;
  }

  public ClusterCommand(Shell shell) {
    this(DriverConnector::open, shell, System::currentTimeMillis);
  }

  /// @param nowMillis the wall clock, milliseconds since the Unix epoch
  ClusterCommand(ClusterConnector connector, Shell shell, LongSupplier nowMillis) {
    this.connector = connector;
    out = new PrintWriter(shell.out(), true, StandardCharsets.UTF_8);
    this.nowMillis = nowMillis;
  }

  @Command(
      name = "init",
      mixinStandardHelpOptions = true,
      description = "Creates them only if they are missing.")
  int init(@Mixin Target target) {
    return with(
        target,
        true,
        keyspace -> {
          out.printf(
              "store %s, format %d%n", keyspace.identity().id(), keyspace.identity().format());
          return ExitCode.OK.number;
        });
  }

  @Command(name = "status", mixinStandardHelpOptions = true)
  int status(@Mixin Target target) {
    return with(
        target,
        false,
        keyspace -> {
          KeyspaceHealth health = keyspace.health();
          out.printf("store %s%n", keyspace.identity().id());
          out.printf(
              "nodes: %d up, %d down, %d replicas%n",
              health.nodesUp(), health.nodesDown(), health.replication());
          List<DaemonRow> daemons = answer(keyspace.daemons());
          out.printf(
              "%6s  %-24s  %-12s  %-9s  %s%n", "DAEMON", "HOST", "APPLIED", "BEHIND", "SEEN");
          for (DaemonRow row : daemons) {
            out.printf(
                "%6d  %-24s  %-12s  %-9s  %s%n",
                row.daemon(),
                row.owner() == null ? "(released)" : row.host(),
                Stamp.text(row.applied().stamp()),
                row.oldestMillis() == 0 ? "-" : ago(row.oldestMillis()),
                row.seenMillis() == 0 ? "-" : ago(row.seenMillis()) + " ago");
          }
          answer(keyspace.policies())
              .forEach((name, body) -> out.printf("policy %s: %s%n", name, oneLine(name, body)));
          return ExitCode.OK.number;
        });
  }

  private static String oneLine(String name, String body) {
    List<String> lines = body.lines().toList();
    boolean filtered = name.equals(ClusterPolicies.FILTERED); // their first words are for programs
    return lines.size() <= 1
        ? body.strip()
        : lines.stream()
            .skip(1)
            .map(line -> filtered ? line.substring(line.indexOf(' ') + 1) : line)
            .collect(Collectors.joining("; "));
  }

  private String ago(long millis) {
    long seconds = Math.max(0, (nowMillis.getAsLong() - millis) / 1_000);
    return seconds < 120 ? seconds + " s" : seconds / 60 + " min";
  }

  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      description =
          "Checks checksums, counts and order of every directory and every value that readers use;"
              + " changes nothing. Daemons may run.")
  int verify(@Mixin Target target) {
    return with(
        target,
        false,
        keyspace -> {
          long now = nowMillis.getAsLong();
          ClusterVerifier.Verification found;
          try {
            found =
                ClusterVerifier.verify(
                    keyspace,
                    new ClusterPolicies(keyspace, nowMillis),
                    _ -> true,
                    true,
                    now * 1_000_000,
                    (_, _, _, _) -> {});
          } catch (KeyspaceException failed) {
            throw unreachable(failed);
          }
          found.damage().forEach(damage -> out.printf("%s: %s%n", damage.file(), damage.found()));
          found.remarks().forEach(remark -> out.println(remark));
          out.printf(
              "checked %,d partitions (%,d segments, %,d events, %,d bytes): %s%n",
              found.partitions(),
              found.segments(),
              found.events(),
              found.bytes(),
              found.damage().isEmpty() ? "no damage" : found.damage().size() + " damaged");
          return (found.damage().isEmpty() ? ExitCode.OK : ExitCode.DAMAGE_FOUND).number;
        });
  }

  @Command(
      name = "release",
      mixinStandardHelpOptions = true,
      description =
          "Events that the daemon had not applied are lost. The number is never given again, and a"
              + " daemon cannot start on its directory any more.")
  int release(
      @Parameters(paramLabel = "N", description = "Number of the daemon, 0 to 511.") int daemon,
      @Option(names = "--yes", description = "Release it even if it was seen recently.")
          boolean yes,
      @Mixin Target target) {
    return with(
        target,
        false,
        keyspace -> {
          DaemonRow row =
              answer(keyspace.daemons()).stream()
                  .filter(one -> one.daemon() == daemon)
                  .findFirst()
                  .orElseThrow(() -> refused("no daemon has the number " + daemon));
          if (row.owner() == null) {
            throw refused("daemon %d is released already".formatted(daemon));
          }
          out.printf(
              "daemon %d, %s of %s: applied up to round %s, seen %s%n",
              daemon,
              row.owner(),
              row.host(),
              Stamp.text(row.applied().stamp()),
              row.seenMillis() == 0 ? "never" : Instant.ofEpochMilli(row.seenMillis()).toString());
          boolean lately = nowMillis.getAsLong() - row.seenMillis() < LATELY.toMillis();
          if (!yes) {
            out.printf(
                "%s--yes releases it%n",
                lately ? "it was seen less than ten minutes ago and may still run; " : "");
            out.flush();
            return (lately ? ExitCode.IN_USE : ExitCode.USAGE).number;
          }
          if (!answer(keyspace.begin(daemon, row, null, row.host(), row.epoch(), row.reserved()))) {
            throw new StorageException.ReadOnly(
                "daemon %d has started and was not released".formatted(daemon));
          }
          out.printf("released%n");
          return ExitCode.OK.number;
        });
  }

  @Command(
      name = "retain",
      mixinStandardHelpOptions = true,
      description =
          "Sets the retention period of a type, or of all other types. Daemons apply it within ten"
              + " seconds; a shorter period hides events at once. With --where it holds for the"
              + " events of these types that a filter keeps: they are hidden at once, and deleted"
              + " after the grace; until then forever shows them again.")
  int retain(
      @Parameters(
              arity = "1..2",
              paramLabel = "[TYPE] AGE",
              description = "A type, with --where a glob, and an age such as 30d, or forever.")
          List<String> words,
      @Option(
              names = "--where",
              paramLabel = "FILTER",
              description = "Only events that this keeps, as in 'level <= debug'.")
          @Nullable String where,
      @Option(
              names = "--plan",
              description = "With --where: count the events that it hides; change nothing.")
          boolean plan,
      @Option(
              names = "--grace",
              paramLabel = "AGE",
              description =
                  "With --where: delete hidden events not before so long after this change"
                      + " (default: 15m).")
          @Nullable String grace,
      @Mixin Target target) {
    String type = words.size() == 2 ? words.getFirst() : null;
    Duration age = age(words.getLast());
    if (plan && (where == null || age == null)) {
      throw refused("--plan: needs --where and an age");
    }
    if (grace != null && where == null) {
      throw refused("--grace: needs --where, got " + grace);
    }
    if (where != null) {
      if (type == null) {
        throw refused("--where: give a type or a glob before the age, such as 'shop.*'");
      }
      RetentionPolicy policy =
          new RetentionPolicy(
              type, age, RetentionPolicy.UNLIMITED, grace(grace), RetentionPolicy.Source.API);
      return opened(target, false, cluster -> retain(cluster, policy, where.strip(), plan));
    }
    return with(
        target,
        false,
        keyspace -> {
          change(policies -> policies.set(type, age), keyspace);
          out.printf(
              "%s: retention period %s%n",
              type == null ? "all other types" : type, words.getLast());
          return ExitCode.OK.number;
        });
  }

  private int retain(OpenCluster cluster, RetentionPolicy policy, String where, boolean plan) {
    RetentionSettings settings = cluster.retention();
    Where filter = new Where(where, FilterParser.parse(where, nowMillis.getAsLong() * 1_000_000));
    if (policy.age() == null) {
      settings.unset(policy.glob(), filter);
      out.printf("%s where %s: retention period forever%n", policy.glob(), where);
      return ExitCode.OK.number;
    }
    Sum hidden = Sum.NONE;
    if (plan) {
      for (Going going : settings.plan(policy, filter)) {
        out.printf("%s: %,d events%n", going.key(), going.events());
        hidden = hidden.and(new Sum(1, going.events(), going.bytes()));
      }
    } else {
      hidden = settings.set(policy, filter).hidden();
    }
    out.printf(
        "%s where %s: retention period %s; %s %,d events of %,d partitions, not yet deleted%n",
        policy.glob(),
        where,
        Age.text(policy.age()),
        plan ? "would hide" : "hides",
        hidden.events(),
        hidden.partitions());
    return ExitCode.OK.number;
  }

  private void change(Consumer<ClusterPolicies> change, Keyspace keyspace) {
    try {
      change.accept(new ClusterPolicies(keyspace, nowMillis));
    } catch (KeyspaceException failed) {
      throw unreachable(failed);
    }
  }

  private static Duration grace(@Nullable String text) {
    try {
      return text == null ? RetentionPolicy.GRACE : Age.parseGrace("grace", text);
    } catch (IllegalArgumentException wrong) {
      throw refused("--" + wrong.getMessage());
    }
  }

  private static @Nullable Duration age(String text) {
    try {
      return Age.parse("age", text).duration();
    } catch (IllegalArgumentException wrong) {
      throw new QueryException.Refused("retain", String.valueOf(wrong.getMessage()));
    }
  }

  private int with(Target target, boolean make, ToIntFunction<Keyspace> work) {
    return opened(target, make, cluster -> work.applyAsInt(cluster.keyspace()));
  }

  private int opened(Target target, boolean make, ToIntFunction<OpenCluster> work) {
    try (OpenCluster cluster = connector.open(target.store, target.insecure, make)) {
      return work.applyAsInt(cluster);
    } catch (IllegalArgumentException bad) {
      throw refused(String.valueOf(bad.getMessage()));
    }
  }

  private static QueryException.Refused refused(String why) {
    return new QueryException.Refused("cluster", why);
  }

  private static <T extends @Nullable Object> T answer(CompletableFuture<T> statement) {
    try {
      return statement.join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof KeyspaceException known ? unreachable(known) : failed;
    }
  }

  private static StorageException unreachable(KeyspaceException failure) {
    return new StorageException.Unreachable(String.valueOf(failure.getMessage()), failure);
  }
}
