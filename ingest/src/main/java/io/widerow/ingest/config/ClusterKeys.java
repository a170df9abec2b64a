package io.widerow.ingest.config;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Configuration of a store on a cluster.
///
/// @param store the cluster, its keyspace and the local datacenter; null for a store on this
///   machine
/// @param applyMillis how long events wait for others before they are applied
/// @param applyInflight writes under way at a time
/// @param readAhead values that one query asks for at a time
/// @param quorumWait how long a request waits until the cluster has its events
/// @param claimKeep how long repeats are known that come to another daemon
/// @param acceptsRepeats whether batches that have waited for longer than that are applied
/// @param journalBytes how much may wait on this machine; null for what the disk has
/// @param ttl whether rows get a time to live from the retention
/// @param rows globs of the types that are also written as a row for each event
/// @param user name at the cluster; null for none
/// @param passwordFile file of its password
/// @param ca certificates that the nodes' ones must come from; null for no TLS
/// @param certificate of this daemon, for nodes that ask for one
/// @param key of that certificate
/// @param consistency `LOCAL_QUORUM`, `QUORUM` or `ALL`
/// @param daemonNumber number of this daemon; null for the least that is free
public record ClusterKeys(
    @Nullable String store,
    int applyMillis,
    int applyInflight,
    int readAhead,
    Duration quorumWait,
    Duration claimKeep,
    boolean acceptsRepeats,
    @Nullable Long journalBytes,
    boolean ttl,
    List<String> rows,
    @Nullable String user,
    @Nullable Path passwordFile,
    @Nullable Path ca,
    @Nullable Path certificate,
    @Nullable Path key,
    String consistency,
    @Nullable Integer daemonNumber) {
  static final String AUTO = "auto";

  private static final int APPLY_MILLIS_MAX = 60_000;
  private static final int INFLIGHT_MAX = 1_024;
  private static final Duration QUORUM_WAIT_MAX = Duration.ofSeconds(50); // requests end after 60
  private static final long JOURNAL_BYTES_MIN = 64L << 20;
  private static final List<String> CONSISTENCIES = List.of("LOCAL_QUORUM", "QUORUM", "ALL");
  private static final String FORM = "cassandra://HOST[:PORT][,HOST[:PORT]]/KEYSPACE?dc=NAME";
  private static final Pattern STORE =
      Pattern.compile("cassandra://([^/?#]+)/([A-Za-z][A-Za-z0-9_]{0,47})\\?([^#]+)");

  public ClusterKeys {
    rows = List.copyOf(rows);
    require(
        applyMillis >= 1 && applyMillis <= APPLY_MILLIS_MAX,
        "apply-ms must be 1 to 60000, got " + applyMillis);
    require(
        applyInflight >= 1 && applyInflight <= INFLIGHT_MAX,
        "apply-inflight must be 1 to 1024, got " + applyInflight);
    require(
        readAhead >= 1 && readAhead <= INFLIGHT_MAX,
        "read-ahead must be 1 to 1024, got " + readAhead);
    require(
        quorumWait.compareTo(QUORUM_WAIT_MAX) <= 0,
        "quorum-wait must be 1s to 50s, got " + new Age(quorumWait));
    require(
        journalBytes == null || journalBytes >= JOURNAL_BYTES_MIN,
        "cluster-journal-bytes must be at least 67108864, got " + journalBytes);
    require(
        CONSISTENCIES.contains(consistency),
        "cluster-consistency must be LOCAL_QUORUM, QUORUM or ALL, got " + consistency);
    require(
        (user == null) == (passwordFile == null),
        "cluster-user and cluster-password-file go together");
    require((certificate == null) == (key == null), "cluster-cert and cluster-key go together");
    require(certificate == null || ca != null, "cluster-cert needs cluster-ca");
    if (store == null) {
      requireUnset("cluster-user", user);
      requireUnset("cluster-ca", ca);
      requireUnset("cluster-rows", rows.isEmpty() ? null : rows);
      requireUnset("cluster-journal-bytes", journalBytes);
    } else {
      requireStore(store);
    }
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  private static void requireUnset(String key, @Nullable Object value) {
    require(value == null, "%s needs a store on a cluster: set store".formatted(key));
  }

  private static void requireStore(String store) {
    require(
        store.indexOf('@') < 0,
        "store: a user and a password do not belong into the URI, where `ps` shows them: set"
            + " cluster-user and cluster-password-file");
    var matcher = STORE.matcher(store);
    require(matcher.matches(), "store must be like %s, got %s".formatted(FORM, store));
    require(
        ("&" + matcher.group(3)).contains("&dc="),
        "store names no local datacenter, such as ?dc=dc1, got " + store);
    for (String host : matcher.group(1).split(",", -1)) {
      requireHost(store, host);
    }
  }

  private static void requireHost(String store, String host) {
    try {
      URI uri = new URI("cassandra", host, null, null, null);
      int port = uri.getPort();
      require(
          uri.getHost() != null && (port == -1 || (port >= 1 && port <= 65_535)),
          "store: %s is no HOST:PORT, in %s".formatted(host, store));
    } catch (URISyntaxException bad) {
      throw new IllegalArgumentException(
          "store: %s is no HOST:PORT, in %s".formatted(host, store), bad);
    }
  }

  /// True with a store on a cluster.
  public boolean isOn() {
    return store != null;
  }

  /// Refuses a cluster that others can reach without TLS and a user.
  void requireSafe(boolean insecure) {
    String uri = store;
    if (uri == null || insecure || (ca != null && user != null)) {
      return;
    }
    String hosts = uri.substring(uri.indexOf("//") + 2, uri.lastIndexOf('/'));
    for (String host : hosts.split(",", -1)) {
      require(
          isLoopback(host),
          "store: others can reach %s; without cluster-ca and cluster-user that needs --insecure"
              .formatted(host));
    }
  }

  private static boolean isLoopback(String hostAndPort) {
    try {
      String host = new URI("cassandra", hostAndPort, null, null, null).getHost();
      return host != null && InetAddress.getByName(host).isLoopbackAddress();
    } catch (URISyntaxException | UnknownHostException notKnown) {
      return false;
    }
  }

  /// Checks the files, which may have changed since the configuration was read.
  ///
  /// @throws IllegalArgumentException when one cannot be used
  public void check() {
    if (passwordFile != null) {
      byte[] _ = SecretFile.read("cluster-password-file", passwordFile);
    }
    SecurityOptions.requireReadable("cluster-ca", ca);
    SecurityOptions.requireReadable("cluster-cert", certificate);
    SecurityOptions.requireReadable("cluster-key", key);
  }

  static void putDefaults(Map<String, String> defaults) {
    defaults.put("store", "");
    defaults.put("apply-ms", "250");
    defaults.put("apply-inflight", "64");
    defaults.put("read-ahead", "32");
    defaults.put("quorum-wait", "10s");
    defaults.put("claim-keep", "7d");
    defaults.put("accept-repeats", "false");
    defaults.put("cluster-journal-bytes", "");
    defaults.put("cluster-ttl", "false");
    defaults.put("cluster-rows", "");
    defaults.put("cluster-user", "");
    defaults.put("cluster-password-file", "");
    defaults.put("cluster-ca", "");
    defaults.put("cluster-cert", "");
    defaults.put("cluster-key", "");
    defaults.put("cluster-consistency", "LOCAL_QUORUM");
  }

  static ClusterKeys of(ConfigValues values) {
    String journal = values.text("cluster-journal-bytes");
    String rows = values.text("cluster-rows");
    String number = values.text("daemon-number");
    return new ClusterKeys(
        orNull(values.text("store")),
        values.number("apply-ms"),
        values.number("apply-inflight"),
        values.number("read-ahead"),
        StoreOptions.duration(values, "quorum-wait"),
        StoreOptions.duration(values, "claim-keep"),
        values.truth("accept-repeats"),
        journal.isEmpty() ? null : values.bytes("cluster-journal-bytes"),
        values.truth("cluster-ttl"),
        rows.isEmpty() ? List.of() : List.of(rows.split("\\s*,\\s*")),
        orNull(values.text("cluster-user")),
        values.path("cluster-password-file"),
        values.path("cluster-ca"),
        values.path("cluster-cert"),
        values.path("cluster-key"),
        values.text("cluster-consistency"),
        number.isEmpty() || number.equals(AUTO) ? null : values.number("daemon-number"));
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  void putTo(Map<String, String> values) {
    values.put("store", store == null ? "" : store);
    values.put("apply-ms", Integer.toString(applyMillis));
    values.put("apply-inflight", Integer.toString(applyInflight));
    values.put("read-ahead", Integer.toString(readAhead));
    values.put("quorum-wait", new Age(quorumWait).toString());
    values.put("claim-keep", new Age(claimKeep).toString());
    values.put("accept-repeats", Boolean.toString(acceptsRepeats));
    values.put("cluster-journal-bytes", journalBytes == null ? "" : journalBytes.toString());
    values.put("cluster-ttl", Boolean.toString(ttl));
    values.put("cluster-rows", String.join(",", rows));
    values.put("cluster-user", user == null ? "" : user);
    values.put("cluster-password-file", text(passwordFile));
    values.put("cluster-ca", text(ca));
    values.put("cluster-cert", text(certificate));
    values.put("cluster-key", text(key));
    values.put("cluster-consistency", consistency);
  }

  private static String text(@Nullable Path file) {
    return file == null ? "" : file.toString();
  }
}
