package io.widerow.storage.cassandra.keyspace;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Everything an operator can decide about the connection to a cluster. Files are read when it is
/// opened.
///
/// @param uri where the cluster is
/// @param user to log in as; null for a cluster that is open to everybody
/// @param passwordFile its first line is the password; readable for its owner only. With a user
/// @param ca certificates (PEM) that vouch for the nodes; null for no TLS
/// @param certificate chain (PEM) that this client shows; null for none
/// @param key private key of it (PEM, PKCS#8, not encrypted); with a certificate
/// @param consistency of reads and writes
/// @param requestTimeout how long a request may take; 100 ms to 1 min
/// @param ttl true to let the cluster drop expired rows by itself: a keyspace that is made gets
///   time-window compaction
/// @param insecure true to allow another machine without TLS or without a user
public record ClusterOptions(
    StoreUri uri,
    @Nullable String user,
    @Nullable Path passwordFile,
    @Nullable Path ca,
    @Nullable Path certificate,
    @Nullable Path key,
    Consistency consistency,
    Duration requestTimeout,
    boolean ttl,
    boolean insecure) {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /// How many replicas have a write before it is acknowledged, and are asked by a read. There is
  /// nothing weaker: an acknowledged event would not be readable.
  public enum Consistency {
    /// Most replicas of the local datacenter.
    LOCAL_QUORUM,
    /// Most replicas of all datacenters.
    QUORUM,
    /// All replicas: one node that is down stops writing and reading.
    ALL;

    /// @throws IllegalArgumentException with the name in the message
    public static Consistency parse(String name) {
      for (Consistency one : values()) {
        if (one.name().equalsIgnoreCase(name)) {
          return one;
        }
      }
      throw new IllegalArgumentException(
          "consistency is LOCAL_QUORUM, QUORUM or ALL, got '%s'".formatted(name));
    }
  }

  public ClusterOptions {
    if ((user == null) != (passwordFile == null)) {
      throw new IllegalArgumentException(
          user == null
              ? "a password file (%s) without a user".formatted(passwordFile)
              : "user '%s' without a password file".formatted(user));
    }
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException(
          certificate == null
              ? "a key (%s) without its certificate".formatted(key)
              : "a certificate (%s) without its key".formatted(certificate));
    }
    if (certificate != null && ca == null) {
      throw new IllegalArgumentException(
          "a certificate (%s) without the authority (CA) of the nodes".formatted(certificate));
    }
    if (requestTimeout.compareTo(Duration.ofMillis(100)) < 0
        || requestTimeout.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new IllegalArgumentException(
          "a request's timeout is 100 ms to 1 min, got " + requestTimeout);
    }
    if (!insecure && !uri.isLoopback() && (ca == null || user == null)) {
      throw new IllegalArgumentException(
          "%s is another machine: events would travel %s; set %s, or allow it by `insecure`"
              .formatted(
                  uri.hosts().stream().filter(h -> !h.isLoopback()).findFirst().orElseThrow(),
                  ca == null ? "unencrypted" : "to and from everybody",
                  ca == null
                      ? "the parameters ca, user and password-file"
                      : "the parameters user and password-file"));
    }
  }

  /// Reads a URI with its parameters: `user`, `password-file`, `ca`, `cert`, `key`, `consistency`
  /// and those of [StoreUri].
  ///
  /// @throws IllegalArgumentException for a text that is no such URI
  public static ClusterOptions parse(
      String text, Duration requestTimeout, boolean ttl, boolean insecure) {
    Map<String, String> parameters = StoreUri.parameters(text);
    return new ClusterOptions(
        StoreUri.parse(text),
        parameters.get("user"),
        file(parameters, "password-file"),
        file(parameters, "ca"),
        file(parameters, "cert"),
        file(parameters, "key"),
        Consistency.parse(parameters.getOrDefault("consistency", Consistency.LOCAL_QUORUM.name())),
        requestTimeout,
        ttl,
        insecure);
  }

  private static @Nullable Path file(Map<String, String> parameters, String name) {
    String value = parameters.get(name);
    return value == null ? null : Path.of(value);
  }

  /// The defaults: no user, no TLS, `LOCAL_QUORUM`, 5 s, no TTL.
  ///
  /// @throws IllegalArgumentException when the URI names another machine
  public static ClusterOptions at(StoreUri uri) {
    return new ClusterOptions(
        uri, null, null, null, null, null, Consistency.LOCAL_QUORUM, TIMEOUT, false, false);
  }

  /// The defaults, with a user and TLS.
  ///
  /// @param ca null for no TLS
  public static ClusterOptions at(StoreUri uri, String user, Path passwordFile, @Nullable Path ca) {
    return new ClusterOptions(
        uri, user, passwordFile, ca, null, null, Consistency.LOCAL_QUORUM, TIMEOUT, false, false);
  }

  public ClusterOptions withRequestTimeout(Duration timeout) {
    return new ClusterOptions(
        uri, user, passwordFile, ca, certificate, key, consistency, timeout, ttl, insecure);
  }

  public ClusterOptions withTtl(boolean on) {
    return new ClusterOptions(
        uri, user, passwordFile, ca, certificate, key, consistency, requestTimeout, on, insecure);
  }
}
