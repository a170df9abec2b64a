package io.widerow.ingest.config;

import io.widerow.event.NearestName;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The URI of a store on a cluster, as the key `store` has it: hosts, keyspace, and in parameters
/// the local datacenter and how to connect.
///
/// @param text as it was given
/// @param hosts each with its port, if it has one
/// @param parameters by name
record ClusterStore(String text, List<String> hosts, Map<String, String> parameters) {
  private static final String FORM = "cassandra://HOST[:PORT][,HOST[:PORT]]/KEYSPACE?dc=NAME";
  private static final Pattern URI_FORM =
      Pattern.compile("cassandra://([^/?#]+)/([A-Za-z][A-Za-z0-9_]{0,47})\\?([^#]+)");
  private static final List<String> PARAMETERS =
      List.of("dc", "replication", "user", "password-file", "ca", "cert", "key", "consistency");
  private static final List<String> CONSISTENCIES = List.of("LOCAL_QUORUM", "QUORUM", "ALL");

  ClusterStore {
    hosts = List.copyOf(hosts);
    parameters = Map.copyOf(parameters);
    require(
        !parameters.getOrDefault("dc", "").isEmpty(),
        "store names no local datacenter, such as ?dc=dc1, got " + text);
    requireBoth(parameters, "user", "password-file");
    requireBoth(parameters, "cert", "key");
    require(
        !parameters.containsKey("cert") || parameters.containsKey("ca"),
        "store: the parameter cert needs ca, got " + text);
    String consistency = parameters.getOrDefault("consistency", "QUORUM");
    require(
        CONSISTENCIES.stream().anyMatch(consistency::equalsIgnoreCase),
        "store: consistency must be LOCAL_QUORUM, QUORUM or ALL, got " + consistency);
  }

  private static void requireBoth(Map<String, String> parameters, String one, String other) {
    require(
        parameters.containsKey(one) == parameters.containsKey(other),
        "store: the parameters %s and %s go together".formatted(one, other));
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /// @throws IllegalArgumentException when the text is no such URI
  static ClusterStore parse(String text) {
    require(
        text.indexOf('@') < 0,
        "store: a user and a password do not belong into the URI, where `ps` shows them: use its"
            + " parameters user and password-file");
    Matcher parts = URI_FORM.matcher(text);
    require(parts.matches(), "store must be like %s, got %s".formatted(FORM, text));
    List<String> hosts = List.of(parts.group(1).split(",", -1));
    hosts.forEach(host -> requireHost(text, host));
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String one : parts.group(3).split("&", -1)) {
      String[] nameAndValue = one.split("=", 2);
      String name = nameAndValue[0];
      require(
          PARAMETERS.contains(name),
          "store has the parameters %s, got %s%s"
              .formatted(
                  String.join(", ", PARAMETERS), name, NearestName.question(name, PARAMETERS, "")));
      String value = nameAndValue.length == 1 ? "" : decoded(name, nameAndValue[1]);
      require(!value.isEmpty(), "store: the parameter %s has no value".formatted(name));
      require(
          parameters.put(name, value) == null,
          "store: the parameter %s stands twice".formatted(name));
    }
    return new ClusterStore(text, hosts, parameters);
  }

  private static String decoded(String name, String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(
          "store: the parameter %s is no text of a URI, got %s".formatted(name, value), malformed);
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

  /// Refuses a cluster that others can reach without TLS and a user.
  void requireSafe() {
    if (parameters.containsKey("ca") && parameters.containsKey("user")) {
      return;
    }
    for (String host : hosts) {
      require(
          isLoopback(host),
          "store: others can reach %s; without the parameters ca and user that needs --insecure"
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

  /// Refuses files that cannot be used.
  void checkFiles() {
    String password = parameters.get("password-file");
    if (password != null) {
      byte[] _ = SecretFile.read("store", Path.of(password));
    }
    for (String name : List.of("ca", "cert", "key")) {
      SecurityOptions.requireReadable("store", file(name));
    }
  }

  private @Nullable Path file(String parameter) {
    String name = parameters.get(parameter);
    return name == null ? null : Path.of(name);
  }
}
