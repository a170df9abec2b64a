package io.widerow.query;

import io.widerow.event.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// The environment variables whose names begin with `WIDEROW_`: those of the commands, and one for
/// each key of the daemon. Any other name is refused, because it is misspelt, and the intended
/// setting would keep its default.
///
/// Kubernetes sets variables for a Service called `widerow`, or `widerow-` and more, in every pod
/// of its namespace (`WIDEROW_SERVICE_HOST`, `WIDEROW_PORT=tcp://10.0.0.1:7380`,
/// `WIDEROW_PORT_7380_TCP_ADDR`, ...), and so do links of Docker. These are ignored.
public final class Variables {
  private static final String PREFIX = "WIDEROW_";
  private static final List<String> COMMANDS =
      List.of("WIDEROW_CACERT", "WIDEROW_JAVA_OPTS", "WIDEROW_TOKEN", "WIDEROW_URL");

  /// The daemon's keys, except the keys that name a type. `VariablesTest` of the daemon holds this
  /// list to its configuration.
  private static final List<String> KEYS =
      List.of(
          "alertmanagers",
          "backup",
          "backup-checkpoint",
          "backup-daily",
          "backup-every",
          "backup-keep",
          "backup-spool-bytes",
          "body-bytes-max",
          "bucket-minutes",
          "claim-keep",
          "cluster-journal-bytes",
          "cluster-rows",
          "cluster-ttl",
          "cold",
          "cold-after",
          "cold-cache-bytes",
          "cold-min-bytes",
          "cold-read-budget",
          "connections-max",
          "connections-per-address-max",
          "cql",
          "daemon-number",
          "data",
          "deduplicate-for",
          "disk-reserve-bytes",
          "drain-seconds",
          "durability",
          "elasticsearch-version",
          "event-bytes-max",
          "external-labels",
          "external-url",
          "final",
          "fluent",
          "fluent-shared-key",
          "fluent-tls",
          "forward",
          "gelf",
          "gelf-tls",
          "graphite",
          "graphite-tls",
          "hosts",
          "http",
          "insecure",
          "journal-bytes",
          "journal-file-bytes",
          "kafka",
          "kafka-ca",
          "kafka-cert",
          "kafka-key",
          "kafka-mechanism",
          "kafka-oauth",
          "kafka-password-file",
          "kafka-user",
          "lanes",
          "logql-text-bytes",
          "loki-discover-levels",
          "loki-labels",
          "loki-max-series",
          "loki-tenants",
          "merge-after",
          "open-age",
          "open-bytes",
          "partition-bytes",
          "partition-events",
          "quorum-wait",
          "retention",
          "retention-grace",
          "rules-dir",
          "rules-interval",
          "rules-late",
          "rules-resend",
          "rules-settle",
          "s3-ca",
          "s3-credentials-file",
          "s3-endpoint",
          "s3-path-style",
          "s3-region",
          "self-metrics",
          "shard-rate",
          "shards",
          "snapshot-dir",
          "statsd",
          "statsd-tls",
          "store",
          "syslog",
          "syslog-tls",
          "syslog-zone",
          "tls-certificate",
          "tls-client-ca",
          "tls-key",
          "tokens",
          "transforms",
          "types-max",
          "types-per-hour",
          "ui");

  private static final Pattern OF_SERVICES =
      Pattern.compile(
          "WIDEROW_(\\w+_)?(SERVICE_HOST|SERVICE_PORT(_\\w+)?"
              + "|PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)");
  private static final Pattern PORT_OF_SERVICE = Pattern.compile("WIDEROW_(\\w+_)?PORT");
  private static final Pattern URL_OF_SERVICE = Pattern.compile("(tcp|udp|sctp)://.*");

  private Variables() {}

  /// The variable of a key of the daemon.
  public static String of(String key) {
    return PREFIX + key.replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /// All of them, sorted.
  public static List<String> names() {
    TreeSet<String> names = new TreeSet<>(COMMANDS);
    KEYS.forEach(key -> names.add(of(key)));
    return new ArrayList<>(names);
  }

  /// @throws IllegalArgumentException when one is unknown; it names it, the nearest, and all
  public static void check(Map<String, String> environment) {
    List<String> mistakes = mistakes(environment);
    if (!mistakes.isEmpty()) {
      throw new IllegalArgumentException(mistakes.getFirst());
    }
  }

  /// A sentence for each that is unknown, with the nearest, and all.
  public static List<String> mistakes(Map<String, String> environment) {
    List<String> mistakes = new ArrayList<>();
    List<String> names = names();
    for (String name : new TreeSet<>(environment.keySet())) {
      if (name.startsWith(PREFIX)
          && !names.contains(name)
          && !isOfService(name, environment.getOrDefault(name, ""))) {
        mistakes.add(
            "there is no environment variable %s%s Those there are: %s"
                .formatted(name, meant(name, names), String.join(", ", names)));
      }
    }
    return mistakes;
  }

  private static String meant(String name, List<String> names) {
    return NearestName.question(name.substring(PREFIX.length()), shortNames(names), ".")
        .replace("mean ", "mean " + PREFIX);
  }

  /// Without the common beginning, which would make all of them near.
  private static List<String> shortNames(List<String> names) {
    return names.stream().map(name -> name.substring(PREFIX.length())).toList();
  }

  private static boolean isOfService(String name, String value) {
    return OF_SERVICES.matcher(name).matches()
        || (PORT_OF_SERVICE.matcher(name).matches() && URL_OF_SERVICE.matcher(value).matches());
  }
}
