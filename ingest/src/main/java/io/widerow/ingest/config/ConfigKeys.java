package io.widerow.ingest.config;

import static io.widerow.ingest.config.Key.require;

import io.widerow.event.EventLayout;
import io.widerow.event.LayoutOverride;
import io.widerow.event.NearestName;
import io.widerow.ingest.config.Key.Check;
import io.widerow.ingest.config.Key.Default;
import io.widerow.ingest.config.Key.Group;
import io.widerow.query.forward.KafkaAccess;
import io.widerow.storage.Durability;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The table of all configuration keys. Defaults, checks, flags of `serve`, `--print-config`,
/// documents, the shipped file and completion come from it.
public final class ConfigKeys {
  private static final long MIB = 1L << 20;
  private static final int MINUTES_PER_DAY = 1_440;
  private static final int DAEMON_MAX = 511;
  static final int LANES_MAX = 64;
  private static final Duration DAYS_30 = Duration.ofDays(30);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration YEAR = Duration.ofDays(365);

  // In the order of the constants.
  private static final List<Key<?>> MADE = new ArrayList<>();
  private static final List<Key<Optional<InetSocketAddress>>> MADE_SOCKETS = new ArrayList<>();

  // The first table.

  static final Key<Path> DATA =
      main("data", "./widerow-data", Form.DIRECTORY)
          .summary("directory of the store; created when absent, its parent exists");

  static final Key<InetSocketAddress> HTTP =
      main("http", "127.0.0.1:7380", Form.ADDRESS)
          .summary("address of HTTP, HOST:PORT; IPv6 in brackets; port 0 takes a free one");

  static final Key<Optional<InetSocketAddress>> SYSLOG = socket("syslog", "syslog, UDP and TCP");
  static final Key<Optional<InetSocketAddress>> SYSLOG_TLS = tls("syslog");
  static final Key<Optional<InetSocketAddress>> FLUENT = socket("fluent", "Fluent Forward, TCP");
  static final Key<Optional<InetSocketAddress>> FLUENT_TLS = tls("fluent");
  static final Key<Optional<InetSocketAddress>> STATSD =
      socket("statsd", "StatsD and DogStatsD, UDP and TCP");
  static final Key<Optional<InetSocketAddress>> STATSD_TLS = tls("statsd");
  static final Key<Optional<InetSocketAddress>> GRAPHITE =
      socket("graphite", "Graphite: lines over TCP and UDP, pickles over TCP");
  static final Key<Optional<InetSocketAddress>> GRAPHITE_TLS = tls("graphite");
  static final Key<Optional<InetSocketAddress>> GELF = socket("gelf", "GELF, UDP and TCP");
  static final Key<Optional<InetSocketAddress>> GELF_TLS = tls("gelf");
  static final Key<Optional<InetSocketAddress>> CQL =
      socket("cql", "CQL for drivers of Cassandra, over TLS where HTTP is, and with its tokens");

  static final Key<ZoneId> SYSLOG_ZONE =
      main("syslog-zone", "UTC", Form.ZONE).summary("zone of syslog times without a zone");

  static final Key<Optional<Path>> FLUENT_SHARED_KEY =
      main("fluent-shared-key", "", Form.FILE, KeyChecks.readable())
          .summary("file, mode 0600, with the shared key of Fluent senders; empty: none");

  static final Key<Optional<String>> STORE =
      main("store", "", Form.URI)
          .summary(
              "a store on a cluster, cassandra://HOST[:PORT][,HOST[:PORT]]/KEYSPACE?dc=NAME; empty:"
                  + " on this machine");

  static final Key<Optional<KafkaOptions>> KAFKA =
      main("kafka", "", Form.KAFKA)
          .summary("topics of Kafka to read, HOST:PORT[,..]/TOPIC[,..]?format=json; empty: none");

  static final Key<Optional<KafkaOptions>> KAFKA_OF =
      key(
              KafkaOptions.KEY + Key.OF_NAME,
              Group.MAIN,
              Default.computed(_ -> "", "none", _ -> KafkaOptions.KEY),
              Form.KAFKA)
          .summary("further topics, with a client of their own; the name is that of the source");

  static {
    MADE.addAll(BackupKeys.ALL);
    MADE.addAll(ColdKeys.ALL);
  }

  static final Key<Durability> DURABILITY =
      key(
              "durability",
              Group.MAIN,
              Default.computed(
                  texts -> isSet(texts, "store") ? "quorum" : "disk",
                  "disk; `quorum` with `store`",
                  ConfigKeys::fromStore),
              Form.DURABILITY)
          .summary(
              "level of HTTP requests that name none, and of all other protocols: quorum, disk, os"
                  + " or memory");

  static final Key<Integer> LANES =
      key(
              "lanes",
              Group.MAIN,
              Default.computed(
                  _ -> Integer.toString(MachineLimits.ofProcess().lanes()),
                  "half the processors, 1 to 8; one for 256 MiB of memory",
                  _ -> MachineLimits.ofProcess().lanesBasis()),
              Form.NUMBER,
              Check.range(1, LANES_MAX))
          .summary("writer threads, each with a ring and a journal; 1 to 64");

  static final Key<Age> RETENTION =
      main("retention", "forever", Form.AGE)
          .summary("retention period of types without retention.<type>");

  static final Key<Age> RETENTION_OF =
      ofType(RETENTION, "retention period of this type, or of the types of a pattern");

  static final Key<Long> OPEN_BYTES =
      key(
              "open-bytes",
              Group.MAIN,
              Default.computed(
                  texts ->
                      Long.toString(MachineLimits.ofProcess().openBytes(KeyChecks.lanes(texts))),
                  "a sixteenth of the memory, up to 268435456, or 134217728 a lane",
                  texts -> MachineLimits.ofProcess().openBytesBasis(KeyChecks.lanes(texts))),
              Form.LONG,
              Check.from(1))
          .summary("native memory for open rows (the memtable); 2 MiB a lane or more");

  static final Key<Long> DISK_RESERVE_BYTES =
      main("disk-reserve-bytes", "536870912", Form.LONG, Check.from(0))
          .summary("free space below which events are refused");

  static final Key<Optional<Path>> SNAPSHOT_DIR =
      main("snapshot-dir", "", Form.DIRECTORY_OR_NONE)
          .summary("where snapshots are made; empty: `data` with `-snapshots` at its end");

  static final Key<Integer> BODY_BYTES_MAX =
      key(
              "body-bytes-max",
              Group.MAIN,
              Default.computed(
                  _ -> Integer.toString(HeapShares.ofProcess().bodyBytesMax()),
                  "20971520; less with a heap below 256 MiB",
                  _ -> "from the heap, " + Size.text(Runtime.getRuntime().maxMemory())),
              Form.NUMBER,
              Check.from(1_024))
          .summary("largest body, after decompression (413 above); 1024 or more");

  static final Key<Integer> CONNECTIONS_MAX =
      main("connections-max", "1024", Form.NUMBER, Check.from(1))
          .summary("HTTP connections at a time");

  static final Key<Integer> TYPES_MAX =
      main("types-max", "50000", Form.NUMBER, Check.range(1, 10_000_000))
          .summary("types in all; the events of further ones are stored under the type overflow");

  static final Key<Duration> DEDUPLICATE_FOR =
      main("deduplicate-for", "15m", Form.GRACE, KeyChecks.atMost(YEAR))
          .summary(
              "how long a retry is recognized, 0s to 365d; at least the last 100,000 requests of a"
                  + " lane are");

  static final Key<Optional<Path>> TOKENS =
      main("tokens", "", Form.FILE, KeyChecks.readable())
          .summary("file of tokens; empty: clients need none");

  static final Key<Optional<Path>> TLS_CERTIFICATE =
      main("tls-certificate", "", Form.FILE, KeyChecks.readable())
          .summary("PEM file with the certificate and its chain; empty: no TLS");

  static final Key<Optional<Path>> TLS_KEY =
      main("tls-key", "", Form.FILE, KeyChecks.readable())
          .summary("PEM file with the certificate's private key");

  static final Key<Optional<Path>> TLS_CLIENT_CA =
      main("tls-client-ca", "", Form.FILE, KeyChecks.readable())
          .summary(
              "PEM file of the authorities that sign sender certificates, for the -tls listeners");

  static final Key<List<String>> HOSTS =
      main("hosts", "", Form.NAMES, KeyChecks::requireWhole)
          .summary(
              "host names that requests to a daemon without tokens may use, in addition to"
                  + " localhost, separated by commas");

  static final Key<Boolean> INSECURE =
      main("insecure", "false", Form.TRUTH)
          .summary("listen for other machines without TLS and tokens");

  static final Key<Optional<Path>> TRANSFORMS =
      main("transforms", "", Form.FILE, KeyChecks.readable())
          .summary("file of transforms, which parse, change and drop events; empty: none");

  static final Key<Optional<Path>> RULES_DIR =
      main("rules-dir", "", Form.DIRECTORY_OR_NONE)
          .summary(
              "directory of rule files, *.yml and *.yaml: PromQL, and LogQL below its directory"
                  + " loki; empty: none");

  static final Key<List<String>> ALERTMANAGERS =
      main("alertmanagers", "", Form.NAMES, (_, urls) -> urls.forEach(AlertmanagerAddress::parse))
          .summary(
              "Alertmanagers that get alerts, http://HOST:PORT, separated by commas; with ?ca=FILE,"
                  + " &cert=FILE&key=FILE, &token-file=FILE, &user=NAME&password-file=FILE");

  // The second table.

  static final Key<Optional<ForwardOptions>> FORWARD =
      advanced("forward", "", Form.FORWARD)
          .summary(
              "topic of Kafka to which events are sent, kafka:HOST:PORT[,..]/TOPIC[?type=..];"
                  + " empty: none");

  static final Key<Optional<Path>> KAFKA_CA =
      advanced("kafka-ca", "", Form.FILE, KeyChecks.readable())
          .summary("PEM file of the authorities that sign certificates of brokers; empty: no TLS");

  static final Key<Optional<Path>> KAFKA_CERT =
      advanced("kafka-cert", "", Form.FILE, KeyChecks.readable())
          .summary("PEM file with the certificate for brokers and its chain; empty: none");

  static final Key<Optional<Path>> KAFKA_KEY =
      advanced("kafka-key", "", Form.FILE, KeyChecks.readable())
          .summary("PEM file with the private key of `kafka-cert`");

  static final Key<String> KAFKA_USER =
      advanced("kafka-user", "", Form.TEXT)
          .summary("user at the brokers (SASL), with `kafka-password-file`; empty: none");

  static final Key<Optional<Path>> KAFKA_PASSWORD_FILE =
      advanced("kafka-password-file", "", Form.FILE, KeyChecks.readable())
          .summary("file, mode 0600, with the password of `kafka-user` in one line");

  static final Key<String> KAFKA_MECHANISM =
      advanced(
              "kafka-mechanism",
              KafkaAccess.MECHANISMS.getFirst(),
              Form.word(KafkaAccess.MECHANISMS.toArray(new String[0])))
          .summary("how `kafka-user` proves its password: SCRAM-SHA-512, SCRAM-SHA-256 or PLAIN");

  static final Key<Optional<String>> KAFKA_OAUTH =
      advanced("kafka-oauth", "", Form.URI)
          .summary(
              "URL that gives tokens (OAUTHBEARER) to the client `kafka-user`, in place of"
                  + " `kafka-mechanism`; empty: none");

  static final Key<String> KAFKA_SET =
      key(
              "kafka-set" + Key.OF_NAME,
              Group.ADVANCED,
              Default.computed(_ -> "", "none", _ -> "kafka-set"),
              Form.TEXT)
          .summary("a property of Kafka's client, such as kafka-set.fetch.max.wait.ms=100");

  static final Key<Duration> RULES_INTERVAL =
      advanced("rules-interval", "1m", Form.DURATION)
          .summary("interval of the evaluations of rule groups that have none");

  static final Key<Duration> RULES_RESEND =
      advanced("rules-resend", "1m", Form.DURATION)
          .summary("time after which an Alertmanager gets a firing alert again");

  static final Key<Duration> RULES_SETTLE =
      advanced("rules-settle", "10s", Form.GRACE, KeyChecks.atMost(HOUR))
          .summary(
              "time after a start before rules are evaluated, in which senders repeat what they"
                  + " could not deliver; 0s to 1h");

  static final Key<Duration> RULES_LATE =
      advanced("rules-late", "0s", Form.GRACE, KeyChecks.atMost(Duration.ofDays(1)))
          .summary(
              "how far back rules are evaluated again for events that arrive late; 0s: not, to"
                  + " 24h");

  static final Key<Duration> SELF_METRICS =
      advanced("self-metrics", "0s", Form.GRACE, KeyChecks.atMost(HOUR))
          .summary(
              "time after which the daemon stores its own /metrics as samples with job=widerow,"
                  + " such as 15s; 0s: not, to 1h");

  static final Key<Optional<String>> EXTERNAL_URL =
      advanced("external-url", "", Form.URI)
          .summary("URL of this daemon in alerts, such as https://logs.example.com; empty: none");

  static final Key<List<String>> EXTERNAL_LABELS =
      advanced("external-labels", "", Form.NAMES, KeyChecks::requireLabels)
          .summary("labels added to each alert that is sent, NAME=VALUE, separated by commas");

  static final Key<String> ELASTICSEARCH_VERSION =
      advanced("elasticsearch-version", "8.19.0", Form.TEXT, KeyChecks::requireVersion)
          .summary("version that clients of Elasticsearch get; three numbers, 7.0.0 or more");

  static final Key<List<String>> LOKI_LABELS =
      advanced(LokiLabels.KEY, LokiLabels.DEFAULT, Form.LABELS)
          .summary(
              "attributes that are labels of streams for clients of Loki, separated by commas;"
                  + " `default` adds the usual labels of Loki and its agents; `!name` takes one"
                  + " out");

  static final Key<String> LOKI_TENANTS =
      advanced("loki-tenants", "fake", Form.TEXT, KeyChecks::requireTenant)
          .summary(
              "the value of `X-Scope-OrgID` that clients of Loki may send, or none; another one is"
                  + " refused; `*`: any, all share their data");

  static final Key<Boolean> LOKI_DISCOVER_LEVELS =
      advanced("loki-discover-levels", "true", Form.TRUTH)
          .summary("whether a push of Loki gets `detected_level` from its labels and lines");

  static final Key<Integer> LOKI_MAX_SERIES =
      advanced("loki-max-series", "10000", Form.NUMBER, Check.range(1, 1_000_000))
          .summary("series of a LogQL query; 1 to 1000000");

  static final Key<Integer> LOGQL_TEXT_BYTES =
      advanced("logql-text-bytes", "1048576", Form.NUMBER, Check.range(1_024, 64 << 20))
          .summary("largest text that a stage of LogQL makes; 1024 to 67108864");

  static final Key<Boolean> UI = advanced("ui", "true", Form.TRUTH).summary("the page at /ui/");

  static final Key<Integer> EVENT_BYTES_MAX =
      advanced(
              "event-bytes-max",
              "262144",
              Form.NUMBER,
              Check.range(1_024, EventLayout.EVENT_BYTES_MAX))
          .summary("largest event; 1024 to 1048576");

  static final Key<Integer> CONNECTIONS_PER_ADDRESS_MAX =
      advanced("connections-per-address-max", "64", Form.NUMBER, Check.from(0))
          .summary("HTTP connections from one other address; 0: any number");

  static final Key<Integer> TYPES_PER_HOUR =
      advanced("types-per-hour", "20000", Form.NUMBER, Check.from(1))
          .summary("new types in an hour of the clock; 1 or more");

  static final Key<Integer> DRAIN_SECONDS =
      advanced("drain-seconds", "10", Form.NUMBER, Check.from(0))
          .summary("how long a stop waits for requests in progress");

  static final Key<Integer> SHARDS =
      advanced(
              "shards",
              "auto",
              Form.NUMBER_OR_AUTO,
              (name, shards) ->
                  require(
                      shards >= LayoutOverride.AUTO && shards <= LayoutOverride.SHARDS_MAX,
                      "%s must be auto or 1 to 1024, got %d".formatted(name, shards)))
          .summary(
              "wide rows a bucket and type: auto, or a multiple of `lanes`, 1024 at most; a type of"
                  + " few events has one a lane");

  static final Key<Integer> SHARDS_OF =
      ofType(SHARDS, "shards of this type, or of each type of a pattern");

  static final Key<Integer> BUCKET_MINUTES =
      advanced(
              "bucket-minutes",
              "auto",
              Form.NUMBER_OR_AUTO,
              (name, minutes) ->
                  require(
                      minutes == LayoutOverride.AUTO
                          || (minutes >= 1 && MINUTES_PER_DAY % minutes == 0),
                      "%s must be auto or divide a day, got %d".formatted(name, minutes)))
          .summary("width of a bucket: auto, or minutes that divide a day");

  static final Key<Integer> BUCKET_MINUTES_OF =
      ofType(BUCKET_MINUTES, "width of a bucket of this type, or of the types of a pattern");

  static final Key<Long> PARTITION_BYTES =
      advanced("partition-bytes", "8388608", Form.LONG, Check.from(1))
          .summary("bytes at rest of a wide row of weight 1");

  static final Key<Long> PARTITION_EVENTS =
      advanced("partition-events", "1000000", Form.LONG, Check.from(1))
          .summary("events of a wide row of weight 1");

  static final Key<Long> SHARD_RATE =
      advanced("shard-rate", "20000", Form.LONG, Check.from(1))
          .summary("events a second of a type from which it gets one more shard");

  static final Key<String> FINAL =
      advanced("final", "fit", Form.word("fit", "keep"))
          .summary(
              "fit: a merge divides buckets that weigh more than 2 and folds shards of lighter"
                  + " ones; keep: it keeps both");

  static final Key<Duration> OPEN_AGE =
      advanced("open-age", "10m", Form.DURATION)
          .summary("age at which events in open rows are sealed (flushed)");

  static final Key<Long> JOURNAL_FILE_BYTES =
      advanced(
              "journal-file-bytes",
              "67108864",
              Form.LONG,
              (name, bytes) ->
                  require(
                      bytes >= MIB && bytes <= 1_024 * MIB,
                      "%s must be 1 MiB to 1 GiB, got %d".formatted(name, bytes)))
          .summary(
              "the most that a journal file takes, 1 MiB to 1 GiB; files begin at 4 MiB, a busy"
                  + " lane has two or three");

  static final Key<Long> JOURNAL_BYTES =
      advanced("journal-bytes", "268435456", Form.LONG, Check.from(1))
          .summary("journal of a lane that may have to be replayed; above it rows are sealed");

  static final Key<Duration> MERGE_AFTER =
      advanced("merge-after", "5m", Form.DURATION)
          .summary("how long a bucket is closed before its segments are merged (compacted)");

  static final Key<Duration> RETENTION_GRACE =
      advanced("retention-grace", "15m", Form.GRACE, KeyChecks.atMost(DAYS_30))
          .summary("how long events that a change of retention hides stay on the disk, 0s to 30d");

  static final Key<Optional<Integer>> DAEMON_NUMBER =
      key(
              "daemon-number",
              Group.ADVANCED,
              Default.computed(
                  texts -> isSet(texts, "store") ? "auto" : "0",
                  "0; `auto` with `store`",
                  ConfigKeys::fromStore),
              Form.DAEMON,
              (name, number) ->
                  require(
                      number.isEmpty() || (number.get() >= 0 && number.get() <= DAEMON_MAX),
                      "%s must be 0 to %d, got %s".formatted(name, DAEMON_MAX, number.orElse(0))))
          .summary(
              "number in assigned ids, 0 to 511; two daemons whose events meet need two. auto: the"
                  + " least that is free");

  static final Key<Duration> QUORUM_WAIT =
      advanced(
              "quorum-wait",
              "10s",
              Form.DURATION,
              (name, wait) ->
                  require( // requests end after 60 s
                      wait.compareTo(Duration.ofSeconds(50)) <= 0,
                      "%s must be 1s to 50s, got %s".formatted(name, Age.text(wait))))
          .summary(
              "longest wait of a request for the cluster, 1s to 50s; then the response reports"
                  + " disk");

  static final Key<Duration> CLAIM_KEEP =
      advanced(
              "claim-keep",
              "7d",
              Form.DURATION,
              (name, keep) ->
                  require(
                      keep.compareTo(Duration.ofMinutes(1)) >= 0 && keep.compareTo(YEAR) <= 0,
                      "%s must be 1m to 365d, got %s".formatted(name, Age.text(keep))))
          .summary("how long a retry that another daemon receives is recognized, 1m to 365d");

  static final Key<Optional<Long>> CLUSTER_JOURNAL_BYTES =
      advanced(
              "cluster-journal-bytes",
              "",
              Form.LONG_OR_NONE,
              (name, bytes) ->
                  require(
                      bytes.isEmpty() || bytes.get() >= 64 * MIB,
                      "%s must be at least %d, got %s".formatted(name, 64 * MIB, bytes.orElse(0L))))
          .summary(
              "bytes that may wait on this machine for the cluster, 67108864 or more (507 above);"
                  + " empty: down to `disk-reserve-bytes`");

  static final Key<Boolean> CLUSTER_TTL =
      advanced("cluster-ttl", "false", Form.TRUTH)
          .summary(
              "rows expire by themselves, by the retention at the time of writing; it cannot be"
                  + " raised afterwards");

  static final Key<List<String>> CLUSTER_ROWS =
      advanced("cluster-rows", "", Form.NAMES)
          .summary(
              "types, with *, that are also written as a row for each event, separated by commas");

  /// All keys, in the order in which they are printed.
  public static final List<Key<?>> ALL = List.copyOf(MADE);

  /// The addresses of protocols with sockets of their own.
  static final List<Key<Optional<InetSocketAddress>>> SOCKETS = List.copyOf(MADE_SOCKETS);

  private ConfigKeys() {}

  /// A key without its summary.
  private record Draft<T>(
      String name, Group group, Default fallback, Form<T> form, Check<T> check) {
    Key<T> summary(String summary) {
      Key<T> key = new Key<>(name, group, fallback, form, check, summary);
      MADE.add(key);
      return key;
    }
  }

  private static <T> Draft<T> key(
      String name, Group group, Default fallback, Form<T> form, Check<T> check) {
    return new Draft<>(name, group, fallback, form, check);
  }

  private static <T> Draft<T> key(String name, Group group, Default fallback, Form<T> form) {
    return key(name, group, fallback, form, Check.any());
  }

  private static <T> Draft<T> main(String name, String fallback, Form<T> form, Check<T> check) {
    return key(name, Group.MAIN, Default.of(fallback), form, check);
  }

  private static <T> Draft<T> main(String name, String fallback, Form<T> form) {
    return main(name, fallback, form, Check.any());
  }

  private static <T> Draft<T> advanced(String name, String fallback, Form<T> form, Check<T> check) {
    return key(name, Group.ADVANCED, Default.of(fallback), form, check);
  }

  private static <T> Draft<T> advanced(String name, String fallback, Form<T> form) {
    return advanced(name, fallback, form, Check.any());
  }

  private static <T> Key<T> ofType(Key<T> key, String summary) {
    Default fallback =
        Default.computed(_ -> "", "that of `%s`".formatted(key.name()), _ -> key.name());
    return key(key.name() + Key.OF_TYPE, key.group(), fallback, key.form(), key.check())
        .summary(summary);
  }

  private static Key<Optional<InetSocketAddress>> socket(String name, String protocol) {
    return address(name, "address of " + protocol + "; empty: none");
  }

  private static Key<Optional<InetSocketAddress>> tls(String name) {
    return address(name + "-tls", "the same over TLS, TCP; needs `tls-certificate`");
  }

  private static Key<Optional<InetSocketAddress>> address(String name, String summary) {
    Key<Optional<InetSocketAddress>> key =
        key(name, Group.SOCKET, Default.of(""), Form.ADDRESS_OR_NONE).summary(summary);
    MADE_SOCKETS.add(key);
    return key;
  }

  private static String fromStore(Map<String, String> texts) {
    return isSet(texts, "store") ? "store is set" : "store is empty";
  }

  private static boolean isSet(Map<String, String> texts, String name) {
    return !texts.getOrDefault(name, "").isBlank();
  }

  /// The key of a name, or the one that stands for it; null when there is none.
  static @Nullable Key<?> find(String name) {
    for (Key<?> key : ALL) {
      if (key.isNamed(name)) {
        return key;
      }
    }
    return null;
  }

  /// The names of all keys but those of types.
  public static Stream<String> names() {
    return ALL.stream().filter(key -> !key.isOfType()).map(Key::name);
  }

  /// The error for an unknown name, with the nearest name and all names.
  static String unknown(String name) {
    List<String> all = ALL.stream().map(Key::name).toList();
    return "unknown key %s%s Those there are: %s"
        .formatted(name, NearestName.question(name, names().toList(), "."), String.join(", ", all));
  }
}
