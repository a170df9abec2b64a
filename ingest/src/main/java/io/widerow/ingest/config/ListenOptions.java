package io.widerow.ingest.config;

import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Addresses of the protocols that have sockets of their own and nothing else to configure. Each is
/// off unless it has an address.
///
/// @param addresses of those that are on, by key
public record ListenOptions(Map<String, InetSocketAddress> addresses) {
  /// Every such key, in the order in which they are printed.
  public static final List<String> KEYS =
      List.of("statsd", "statsd-tls", "graphite", "graphite-tls", "gelf", "gelf-tls", "cql");

  private static final String OVER_TLS = "-tls";

  public ListenOptions {
    addresses = Collections.unmodifiableMap(new LinkedHashMap<>(addresses));
  }

  /// True for the key of an address where TLS is spoken.
  public static boolean isOverTls(String key) {
    return key.endsWith(OVER_TLS);
  }

  /// Where this protocol listens; null when it is off.
  ///
  /// @param key one of [#KEYS]
  public @Nullable InetSocketAddress of(String key) {
    assert KEYS.contains(key) : key;
    return addresses.get(key);
  }

  static void putDefaults(Map<String, String> defaults) {
    KEYS.forEach(key -> defaults.put(key, ""));
  }

  static ListenOptions of(ConfigValues values) {
    Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
    for (String key : KEYS) {
      String text = values.text(key);
      if (!text.isEmpty()) {
        addresses.put(key, DaemonConfig.address(key, text));
      }
    }
    return new ListenOptions(addresses);
  }

  void putTo(Map<String, String> values) {
    for (String key : KEYS) {
      InetSocketAddress address = addresses.get(key);
      values.put(key, address == null ? "" : DaemonConfig.print(address));
    }
  }
}
