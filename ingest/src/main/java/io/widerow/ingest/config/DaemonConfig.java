package io.widerow.ingest.config;

import io.widerow.query.forward.KafkaAccess;
import io.widerow.storage.Durability;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Everything an operator can configure about the daemon: a typed view of the values of
/// [ConfigKeys]. It is read and printed at start, passed whole and never changed. [ConfigCheck]
/// also checks the files, the machine and the URI of a cluster.
public final class DaemonConfig {
  private final ConfigValues values;
  private final FixedLimits limits;
  private final boolean acceptClock;
  private final boolean acceptRepeats;

  private DaemonConfig(
      ConfigValues values, FixedLimits limits, boolean acceptClock, boolean acceptRepeats) {
    this.values = values;
    this.limits = limits;
    this.acceptClock = acceptClock;
    this.acceptRepeats = acceptRepeats;
  }

  /// The defaults, with the store in `data`.
  public static DaemonConfig at(Path data) {
    return of(Map.of(ConfigKeys.DATA.name(), data.toString()));
  }

  /// The defaults, overridden by `texts`.
  ///
  /// @throws IllegalArgumentException when a key is unknown or a value is bad; it names all
  public static DaemonConfig of(Map<String, String> texts) {
    List<String> mistakes = new ArrayList<>();
    for (String name : texts.keySet()) {
      if (ConfigKeys.find(name) == null) {
        mistakes.add(ConfigKeys.unknown(name));
      }
    }
    DaemonConfig config = read(texts, Map.of(), List.of(), mistakes::add);
    if (!mistakes.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", mistakes));
    }
    return config;
  }

  /// Reads texts of known keys.
  ///
  /// @param sources where the texts come from, by name
  /// @param further rules, after those of every configuration
  /// @param mistake gets a sentence for each
  /// @return the configuration, with the default for each refused value; of use only when no
  ///   mistake was reported
  static DaemonConfig read(
      Map<String, String> texts,
      Map<String, String> sources,
      List<ConfigRule> further,
      Consumer<String> mistake) {
    Set<String> refused = new TreeSet<>();
    ConfigValues values =
        ConfigValues.read(
            texts,
            sources,
            (name, why) -> {
              refused.add(name);
              mistake.accept(why);
            });
    int bodyBytesMax = values.get(ConfigKeys.BODY_BYTES_MAX);
    FixedLimits limits =
        FixedLimits.of(
            HeapShares.ofProcess(),
            MachineLimits.ofProcess(),
            values.get(ConfigKeys.LANES),
            bodyBytesMax);
    DaemonConfig config = new DaemonConfig(values, limits, false, false);
    ConfigRules.ALL.forEach(rule -> rule.apply(config, refused, mistake));
    further.forEach(rule -> rule.apply(config, refused, mistake));
    return config;
  }

  /// The same with other limits.
  public DaemonConfig withLimits(FixedLimits others) {
    return new DaemonConfig(values, others, acceptClock, acceptRepeats);
  }

  /// This configuration with the overrides of one start.
  ///
  /// @param clock whether the clock is accepted, whatever its time
  /// @param repeats whether batches are applied that have waited for longer than `claim-keep`
  public DaemonConfig accepting(boolean clock, boolean repeats) {
    return new DaemonConfig(values, limits, clock, repeats);
  }

  /// Directory of the store; created when absent.
  public Path data() {
    return values.get(ConfigKeys.DATA);
  }

  /// Address of the HTTP receiver.
  public InetSocketAddress http() {
    return values.get(ConfigKeys.HTTP);
  }

  /// True when HTTP listens on a loopback address.
  public boolean httpIsLocal() {
    return isLoopback(http());
  }

  static boolean isLoopback(InetSocketAddress address) {
    InetAddress host = address.getAddress();
    return host != null && host.isLoopbackAddress();
  }

  /// Zone of syslog times that name none.
  public ZoneId syslogZone() {
    return values.get(ConfigKeys.SYSLOG_ZONE);
  }

  /// Addresses of the protocols that have sockets of their own.
  public ListenOptions listen() {
    return new ListenOptions(values);
  }

  /// Version that clients of Elasticsearch get, such as `8.19.0`.
  public String elasticsearchVersion() {
    return values.get(ConfigKeys.ELASTICSEARCH_VERSION);
  }

  /// Attributes that are labels of streams for clients of Loki.
  public List<String> lokiLabels() {
    return values.get(ConfigKeys.LOKI_LABELS);
  }

  /// The tenant whose header clients of Loki may send; `*` for any.
  public String lokiTenant() {
    return values.get(ConfigKeys.LOKI_TENANTS);
  }

  /// Whether the level of an event is found when Loki's clients push it.
  public boolean lokiDetectsLevels() {
    return values.get(ConfigKeys.LOKI_DISCOVER_LEVELS);
  }

  /// Series of a LogQL query.
  public int lokiSeriesMax() {
    return values.get(ConfigKeys.LOKI_MAX_SERIES);
  }

  /// Largest text that a stage of LogQL makes.
  public int logqlTextBytes() {
    return values.get(ConfigKeys.LOGQL_TEXT_BYTES);
  }

  /// The sources that are read from Kafka.
  public List<KafkaOptions> kafka() {
    return Stream.concat(
            values.get(ConfigKeys.KAFKA).stream(),
            values.ofTypes(ConfigKeys.KAFKA_OF).values().stream().flatMap(Optional::stream))
        .toList();
  }

  /// Where events are sent; null for nowhere.
  public @Nullable ForwardOptions forward() {
    return values.get(ConfigKeys.FORWARD).orElse(null);
  }

  /// Whom to trust among the brokers of Kafka, and the credentials for them.
  public KafkaAccess kafkaAccess() {
    String user = values.get(ConfigKeys.KAFKA_USER);
    return new KafkaAccess(
        values.get(ConfigKeys.KAFKA_CA).orElse(null),
        values.get(ConfigKeys.KAFKA_CERT).orElse(null),
        values.get(ConfigKeys.KAFKA_KEY).orElse(null),
        user.isEmpty() ? null : user,
        values.get(ConfigKeys.KAFKA_PASSWORD_FILE).orElse(null),
        values.get(ConfigKeys.KAFKA_MECHANISM),
        values.get(ConfigKeys.KAFKA_OAUTH).orElse(null),
        values.ofTypes(ConfigKeys.KAFKA_SET));
  }

  /// How the store is backed up; null when it is not.
  public @Nullable BackupKeys backup() {
    return BackupKeys.of(values, insecure());
  }

  /// Which segments are kept elsewhere; null for none.
  public @Nullable ColdKeys cold() {
    return ColdKeys.of(values, insecure());
  }

  /// Level of requests that name none.
  public Durability durability() {
    return values.get(ConfigKeys.DURABILITY);
  }

  /// Number of lanes, each with a writer thread.
  public int lanes() {
    return values.get(ConfigKeys.LANES);
  }

  /// Largest body, after decompression.
  public int bodyBytesMax() {
    return values.get(ConfigKeys.BODY_BYTES_MAX);
  }

  /// Largest event.
  public int eventBytesMax() {
    return values.get(ConfigKeys.EVENT_BYTES_MAX);
  }

  /// HTTP connections at a time.
  public int connectionsMax() {
    return values.get(ConfigKeys.CONNECTIONS_MAX);
  }

  /// HTTP connections at a time from one address of another machine, or from one IPv6 /64; 0 for no
  /// limit.
  public int connectionsPerAddressMax() {
    return values.get(ConfigKeys.CONNECTIONS_PER_ADDRESS_MAX);
  }

  /// Types in all; events of further types are stored under the type overflow.
  public int typesMax() {
    return values.get(ConfigKeys.TYPES_MAX);
  }

  /// New types in an hour of the clock.
  public int typesPerHour() {
    return values.get(ConfigKeys.TYPES_PER_HOUR);
  }

  /// Age up to which batch keys are kept.
  public Duration deduplicateFor() {
    return values.get(ConfigKeys.DEDUPLICATE_FOR);
  }

  /// The longest wait of a stop for requests in flight.
  public int drainSeconds() {
    return values.get(ConfigKeys.DRAIN_SECONDS);
  }

  /// Constants and shares of the heap, which no key sets.
  public FixedLimits limits() {
    return limits;
  }

  /// Configuration of the store.
  public DaemonStoreOptions store() {
    return new DaemonStoreOptions(values, acceptClock);
  }

  /// Where the store is, when it is on a cluster.
  public ClusterKeys cluster() {
    return new ClusterKeys(values, acceptRepeats);
  }

  /// Authentication and transport security.
  public SecurityOptions security() {
    return new SecurityOptions(values);
  }

  /// File of transforms; null for none.
  public @Nullable Path transforms() {
    return values.get(ConfigKeys.TRANSFORMS).orElse(null);
  }

  /// Time after which the daemon stores its own metrics again; zero for not.
  public Duration selfMetrics() {
    return values.get(ConfigKeys.SELF_METRICS);
  }

  /// Alert and recording rules.
  public AlertOptions alerts() {
    return new AlertOptions(values);
  }

  /// Listen on addresses that others can reach, without TLS and tokens.
  public boolean insecure() {
    return values.get(ConfigKeys.INSECURE);
  }

  /// The configuration in the format of its file.
  public String print() {
    return values.print(false, false);
  }

  /// The configuration in the format of its file, with the origin of each value as a comment, and
  /// the limits that no key sets as lines of comment.
  public String printWithOrigins() {
    return new MemoryPlan(this).print() + values.print(false, true);
  }

  /// The keys that do not have their default, with the origin of each value as a comment.
  public String printChanged() {
    return values.print(true, true);
  }
}
