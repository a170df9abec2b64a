package io.widerow.ingest.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Configuration of the receivers of streams that are answered or encrypted.
///
/// @param syslogTls address of syslog over TLS; null for none
/// @param fluent address of Fluent Forward without TLS; null for none
/// @param fluentTls address of Fluent Forward over TLS; null for none
/// @param fluentSharedKey file of the key that senders over both must know; null lets every sender
///   in
public record StreamOptions(
    @Nullable InetSocketAddress syslogTls,
    @Nullable InetSocketAddress fluent,
    @Nullable InetSocketAddress fluentTls,
    @Nullable Path fluentSharedKey) {
  private static final String SYSLOG_TLS = "syslog-tls";
  private static final String FLUENT = "fluent";
  private static final String FLUENT_TLS = "fluent-tls";
  private static final String CQL = "cql"; // over TLS where HTTP is, and with its tokens
  private static final String FLUENT_SHARED_KEY = "fluent-shared-key";

  public StreamOptions {
    SecurityOptions.requireReadable(FLUENT_SHARED_KEY, fluentSharedKey);
  }

  /// Refuses addresses that lack what they need, and those that others can reach without being
  /// known.
  void requireSafe(SecurityOptions security, ListenOptions listen, boolean insecure) {
    Map<String, InetSocketAddress> open = new LinkedHashMap<>(listen.addresses());
    put(open, SYSLOG_TLS, syslogTls);
    put(open, FLUENT, fluent);
    put(open, FLUENT_TLS, fluentTls);
    if (security.tlsClientCa() != null
        && open.keySet().stream().noneMatch(ListenOptions::isOverTls)) {
      throw new IllegalArgumentException(
          "tls-client-ca: %s is of use only with a listener over TLS, such as %s"
              .formatted(security.tlsClientCa(), SYSLOG_TLS));
    }
    open.forEach((key, address) -> requireSafe(key, address, security, insecure));
  }

  private static void put(
      Map<String, InetSocketAddress> open, String key, @Nullable InetSocketAddress address) {
    if (address != null) {
      open.put(key, address);
    }
  }

  private void requireSafe(
      String key, InetSocketAddress address, SecurityOptions security, boolean insecure) {
    boolean tls = ListenOptions.isOverTls(key);
    if (tls && security.tlsCertificate() == null) {
      throw new IllegalArgumentException(
          "%s: %s needs tls-certificate and tls-key".formatted(key, DaemonConfig.print(address)));
    }
    boolean keyed = key.equals(FLUENT_TLS) && fluentSharedKey != null;
    boolean known =
        key.equals(CQL) ? security.isComplete() : tls && (keyed || security.tlsClientCa() != null);
    if (!known && !insecure && !DaemonConfig.isLoopback(address)) {
      throw new IllegalArgumentException(
          "%s: others can reach %s; without %s that needs --insecure"
              .formatted(key, DaemonConfig.print(address), missing(key, tls)));
    }
  }

  private static String missing(String key, boolean tls) {
    if (!tls) {
      return "TLS and tokens";
    }
    return key.equals(FLUENT_TLS) ? "tls-client-ca or fluent-shared-key" : "tls-client-ca";
  }

  /// The key that senders must know.
  ///
  /// @return null when they need none
  /// @throws IllegalArgumentException when the file has no key, or others can read it
  public byte @Nullable [] readSharedKey() {
    return fluentSharedKey == null ? null : SecretFile.read(FLUENT_SHARED_KEY, fluentSharedKey);
  }

  /// Reads the file, so that a bad one is reported before anything is opened.
  public void check() {
    byte[] _ = readSharedKey();
  }

  static void putDefaults(Map<String, String> defaults) {
    defaults.put(SYSLOG_TLS, "");
    defaults.put(FLUENT, "");
    defaults.put(FLUENT_TLS, "");
    defaults.put(FLUENT_SHARED_KEY, "");
  }

  static StreamOptions of(ConfigValues values) {
    return new StreamOptions(
        address(values, SYSLOG_TLS),
        address(values, FLUENT),
        address(values, FLUENT_TLS),
        values.path(FLUENT_SHARED_KEY));
  }

  private static @Nullable InetSocketAddress address(ConfigValues values, String key) {
    String text = values.text(key);
    return text.isEmpty() ? null : DaemonConfig.address(key, text);
  }

  void putTo(Map<String, String> values) {
    values.put(SYSLOG_TLS, print(syslogTls));
    values.put(FLUENT, print(fluent));
    values.put(FLUENT_TLS, print(fluentTls));
    values.put(FLUENT_SHARED_KEY, SecurityOptions.text(fluentSharedKey));
  }

  private static String print(@Nullable InetSocketAddress address) {
    return address == null ? "" : DaemonConfig.print(address);
  }
}
