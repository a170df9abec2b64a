package io.widerow.ingest.config;

import io.widerow.event.EventLayout;
import io.widerow.event.NearestName;
import io.widerow.storage.Durability;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Everything an operator can configure about the daemon. It is read and printed at start, passed
/// whole and never changed. A value that cannot work is refused here and nowhere else.
///
/// @param data directory of the store; created when absent
/// @param http address of the HTTP receiver
/// @param syslog address of the syslog receivers, UDP and TCP; null for none
/// @param syslogZone zone of syslog times that name none
/// @param streams receivers of streams that are answered or encrypted
/// @param listen addresses of the other protocols that have sockets of their own
/// @param elasticsearchVersion version that clients of Elasticsearch are told, such as `8.19.0`
/// @param lokiLabels attributes that are labels of streams for clients of Loki
/// @param durability level of requests that name none
/// @param lanes number of lanes, each with a writer thread
/// @param laneSlots batches that a lane's ring holds, a power of two
/// @param spinMicros how long an idle lane spins before it sleeps
/// @param creditBytes bytes that all requests together may hold
/// @param bodyBytesMax largest body, after decompression
/// @param ratioMax largest ratio of a body's size to its compressed size, for bodies above 1 MiB
/// @param eventBytesMax largest event
/// @param connectionsMax HTTP connections at a time
/// @param ledgerKeys batch keys that each lane keeps at any age
/// @param ledgerSeconds age up to which batch keys are kept
/// @param drainSeconds how long a stop may wait for requests in flight
/// @param readOnSeconds how long queries are answered after writing has failed, before the process
///   ends
/// @param limits of what clients may use
/// @param store configuration of the store
/// @param cluster where the store is, when it is on a cluster
/// @param security who may do what
/// @param rules file of what is renamed, dropped and redacted of events; null for none
/// @param insecure listen on addresses that others can reach, without TLS and tokens
public record DaemonConfig(
    Path data,
    InetSocketAddress http,
    @Nullable InetSocketAddress syslog,
    ZoneId syslogZone,
    StreamOptions streams,
    ListenOptions listen,
    String elasticsearchVersion,
    List<String> lokiLabels,
    Durability durability,
    int lanes,
    int laneSlots,
    int spinMicros,
    long creditBytes,
    int bodyBytesMax,
    int ratioMax,
    int eventBytesMax,
    int connectionsMax,
    int ledgerKeys,
    int ledgerSeconds,
    int drainSeconds,
    int readOnSeconds,
    LimitOptions limits,
    StoreOptions store,
    ClusterKeys cluster,
    SecurityOptions security,
    @Nullable Path rules,
    boolean insecure) {
  private static final Pattern ELASTICSEARCH_VERSION =
      Pattern.compile("([7-9]|[1-9]\\d)(\\.\\d{1,4}){2}");

  public DaemonConfig {
    lokiLabels = List.copyOf(lokiLabels);
    require(
        ELASTICSEARCH_VERSION.matcher(elasticsearchVersion).matches(),
        "elasticsearch-version must be three numbers from 7.0.0 on, such as 8.19.0, got "
            + elasticsearchVersion);
    require(lanes >= 1 && lanes <= 64, "lanes must be 1 to 64, got " + lanes);
    require(
        laneSlots >= 2 && Integer.bitCount(laneSlots) == 1,
        "lane-slots must be a power of two, got " + laneSlots);
    require(
        spinMicros >= 0 && spinMicros <= 10_000,
        "spin-micros must be 0 to 10000, got " + spinMicros);
    require(bodyBytesMax >= 1_024, "body-bytes-max must be at least 1024, got " + bodyBytesMax);
    require(
        creditBytes >= 4L * bodyBytesMax,
        "credit-bytes must be at least 4 times body-bytes-max, got " + creditBytes);
    require(ratioMax >= 1, "ratio-max must be at least 1, got " + ratioMax);
    require(
        eventBytesMax >= 1_024 && eventBytesMax <= EventLayout.EVENT_BYTES_MAX,
        "event-bytes-max must be 1024 to %d, got %d"
            .formatted(EventLayout.EVENT_BYTES_MAX, eventBytesMax));
    require(connectionsMax >= 1, "connections-max must be at least 1, got " + connectionsMax);
    require(
        ledgerKeys >= 0 && ledgerKeys <= 1 << 24,
        "ledger-keys must be 0 to 16777216, got " + ledgerKeys);
    require(ledgerSeconds >= 0, "ledger-seconds must not be negative, got " + ledgerSeconds);
    require(drainSeconds >= 0, "drain-seconds must not be negative, got " + drainSeconds);
    require(readOnSeconds >= 0, "read-on-seconds must not be negative, got " + readOnSeconds);
    SecurityOptions.requireReadable("rules", rules);
    store.requireFor(lanes);
    Path _ = store.snapshotDirectory(data);
    require(
        durability != Durability.QUORUM || cluster.isOn(),
        "durability quorum needs a store on a cluster (--store); on one machine disk is the"
            + " strongest");
    if (cluster.isOn()) {
      store.requireWholeNames();
    }
    cluster.requireSafe(insecure);
    require(insecure || isLoopback(http) || security.isComplete(), needsTls("http", http));
    require(insecure || syslog == null || isLoopback(syslog), needsTls("syslog", syslog));
    streams.requireSafe(security, listen, insecure);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /// True when HTTP listens on a loopback address.
  public boolean httpIsLocal() {
    return isLoopback(http);
  }

  static boolean isLoopback(InetSocketAddress address) {
    InetAddress host = address.getAddress();
    return host != null && host.isLoopbackAddress();
  }

  private static String needsTls(String key, @Nullable InetSocketAddress address) {
    return "%s: others can reach %s; without TLS and tokens that needs --insecure"
        .formatted(key, address);
  }

  /// The defaults, with the store in `data`.
  public static DaemonConfig at(Path data) {
    return of(new LinkedHashMap<>(Map.of("data", data.toString())));
  }

  /// True for a key of [#DEFAULTS], and for one that names a type.
  static boolean isKnown(String key) {
    return DEFAULTS.containsKey(key)
        || LayoutOptions.isOfType(key)
        || (key.startsWith(StoreOptions.RETENTION_OF)
            && key.length() > StoreOptions.RETENTION_OF.length());
  }

  /// What to say of a key that is not known: the nearest, and all.
  static String unknown(String key) {
    List<String> keys = new ArrayList<>(DEFAULTS.keySet());
    for (String prefix :
        List.of(LayoutOptions.MINUTES_OF, StoreOptions.RETENTION_OF, LayoutOptions.SHARDS_OF)) {
      keys.add(prefix + "<type>");
    }
    return "unknown key %s%s Those there are: %s"
        .formatted(key, NearestName.question(key, DEFAULTS.keySet(), "."), String.join(", ", keys));
  }

  /// The defaults, overridden by `values`.
  ///
  /// @throws IllegalArgumentException when a key is unknown or a value is bad; it names both
  public static DaemonConfig of(Map<String, String> values) {
    for (String key : values.keySet()) {
      require(isKnown(key), unknown(key));
    }
    Map<String, String> all = new LinkedHashMap<>(DEFAULTS);
    all.putAll(values);
    ConfigValues typed = new ConfigValues(all);
    String syslog = typed.text("syslog");
    int lanes = typed.number("lanes");
    Path data = typed.path("data");
    if (data == null) {
      throw new IllegalArgumentException("data: a store needs a directory, got nothing");
    }
    require(lanes >= 1, "lanes must be 1 to 64, got " + lanes);
    return new DaemonConfig(
        data,
        address("http", typed.text("http")),
        syslog.isEmpty() ? null : address("syslog", syslog),
        typed.zone("syslog-zone"),
        StreamOptions.of(typed),
        ListenOptions.of(typed),
        typed.text("elasticsearch-version"),
        LokiLabels.parse(typed.text(LokiLabels.KEY)),
        durability(typed),
        lanes,
        typed.number("lane-slots"),
        typed.number("spin-micros"),
        typed.bytes("credit-bytes"),
        typed.number("body-bytes-max"),
        typed.number("ratio-max"),
        typed.number("event-bytes-max"),
        typed.number("connections-max"),
        typed.number("ledger-keys"),
        typed.number("ledger-seconds"),
        typed.number("drain-seconds"),
        typed.number("read-on-seconds"),
        LimitOptions.of(typed),
        StoreOptions.of(typed),
        ClusterKeys.of(typed),
        SecurityOptions.of(typed),
        typed.path("rules"),
        typed.truth("insecure"));
  }

  private static Durability durability(ConfigValues typed) {
    if (!typed.text("durability").isEmpty()) {
      return typed.durability("durability");
    }
    return typed.text("store").isEmpty() ? Durability.DISK : Durability.QUORUM;
  }

  /// Every key with its default, in the order in which they are printed.
  public static final Map<String, String> DEFAULTS = defaults();

  private static Map<String, String> defaults() {
    int processors = Runtime.getRuntime().availableProcessors();
    HeapShares shares = HeapShares.of(Runtime.getRuntime().maxMemory());
    Map<String, String> defaults = new LinkedHashMap<>();
    defaults.put("data", "./widerow-data");
    defaults.put("http", "127.0.0.1:7380");
    defaults.put("syslog", "");
    defaults.put("syslog-zone", "UTC");
    StreamOptions.putDefaults(defaults);
    ListenOptions.putDefaults(defaults);
    defaults.put("elasticsearch-version", "8.19.0");
    defaults.put(LokiLabels.KEY, LokiLabels.DEFAULT);
    defaults.put("durability", "");
    defaults.put("lanes", Integer.toString(Math.clamp(processors / 2, 1, 8)));
    defaults.put("lane-slots", "1024");
    defaults.put("spin-micros", "10");
    defaults.put("credit-bytes", Long.toString(shares.creditBytes()));
    defaults.put("body-bytes-max", Integer.toString(shares.bodyBytesMax()));
    defaults.put("ratio-max", "100");
    defaults.put("event-bytes-max", Integer.toString(256 << 10));
    defaults.put("connections-max", "1024");
    defaults.put("ledger-keys", "100000");
    defaults.put("ledger-seconds", "900");
    defaults.put("drain-seconds", "10");
    defaults.put("read-on-seconds", "30");
    LimitOptions.putDefaults(defaults, shares);
    StoreOptions.putDefaults(defaults);
    ClusterKeys.putDefaults(defaults);
    SecurityOptions.putDefaults(defaults);
    defaults.put("rules", "");
    defaults.put("insecure", "false");
    return Collections.unmodifiableMap(defaults);
  }

  /// `host:port`, the host of an IPv6 address in brackets.
  static InetSocketAddress address(String key, String text) {
    int colon = text.lastIndexOf(':');
    require(colon > 0, "%s must be HOST:PORT, got %s".formatted(key, text));
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    int port = ConfigValues.parse(key, text.substring(colon + 1));
    require(port >= 0 && port <= 65_535, "%s: no port %d".formatted(key, port));
    InetSocketAddress address = new InetSocketAddress(host, port);
    require(!address.isUnresolved(), "%s: no host %s".formatted(key, host));
    return address;
  }

  /// The configuration in the format of its file.
  public String print() {
    StringBuilder text = new StringBuilder();
    values().forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    return text.toString();
  }

  private Map<String, String> values() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("data", data.toString());
    values.put("http", print(http));
    values.put("syslog", syslog == null ? "" : print(syslog));
    values.put("syslog-zone", syslogZone.getId());
    streams.putTo(values);
    listen.putTo(values);
    values.put("elasticsearch-version", elasticsearchVersion);
    values.put(LokiLabels.KEY, LokiLabels.print(lokiLabels));
    values.put("durability", durability.name().toLowerCase(Locale.ROOT));
    values.put("lanes", Integer.toString(lanes));
    values.put("lane-slots", Integer.toString(laneSlots));
    values.put("spin-micros", Integer.toString(spinMicros));
    values.put("credit-bytes", Long.toString(creditBytes));
    values.put("body-bytes-max", Integer.toString(bodyBytesMax));
    values.put("ratio-max", Integer.toString(ratioMax));
    values.put("event-bytes-max", Integer.toString(eventBytesMax));
    values.put("connections-max", Integer.toString(connectionsMax));
    values.put("ledger-keys", Integer.toString(ledgerKeys));
    values.put("ledger-seconds", Integer.toString(ledgerSeconds));
    values.put("drain-seconds", Integer.toString(drainSeconds));
    values.put("read-on-seconds", Integer.toString(readOnSeconds));
    limits.putTo(values);
    store.putTo(values);
    if (cluster.isOn() && cluster.daemonNumber() == null) {
      values.put("daemon-number", ClusterKeys.AUTO);
    }
    cluster.putTo(values);
    security.putTo(values);
    values.put("rules", rules == null ? "" : rules.toString());
    values.put("insecure", Boolean.toString(insecure));
    return values;
  }

  static String print(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
  }
}
