package io.widerow.storage.cassandra.keyspace;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.widerow.event.NearestName;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Where a cluster store is:
/// `cassandra://host[:port][,host[:port]...]/keyspace?dc=NAME[&replication=N]`. The hosts are those
/// to ask first; the cluster announces the others. [ClusterOptions#parse] reads the parameters that
/// say how to connect.
///
/// @param hosts at least one
/// @param keyspace a name of CQL without quotes, in lower case
/// @param datacenter whose nodes are asked
/// @param replication replicas in that datacenter of a keyspace that is made because it is missing;
///   0 to make none
public record StoreUri(List<Host> hosts, String keyspace, String datacenter, int replication) {
  /// The scheme, with what separates it from the hosts.
  public static final String SCHEME = "cassandra://";

  /// The port of CQL.
  public static final int PORT = 9042;

  private static final int REPLICATION_MAX = 32;
  private static final String FORM = SCHEME + "HOST[:PORT][,HOST..]/KEYSPACE?dc=NAME";
  private static final Pattern PARTS = Pattern.compile("([^/?]*)/([^/?]*)(?:\\?(.*))?");
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.%a-z]+]|[A-Za-z0-9._-]+)(?::(\\d{1,6}))?");
  private static final Pattern KEYSPACE = Pattern.compile("[a-z][a-z0-9_]{0,47}");
  private static final List<String> PARAMETERS =
      List.of("dc", "replication", "user", "password-file", "ca", "cert", "key", "consistency");

  /// A node to ask first.
  ///
  /// @param name or address; an IPv6 address without brackets
  /// @param port 1 to 65,535
  public record Host(String name, int port) {
    /// The address, looked up now.
    InetSocketAddress address() {
      return new InetSocketAddress(name, port);
    }

    /// True when it is an address of this machine only. Names are not looked up.
    public boolean isLoopback() {
      if (name.equals("localhost")) {
        return true;
      }
      try {
        return InetAddress.ofLiteral(name).isLoopbackAddress();
      } catch (IllegalArgumentException notAnAddress) {
        return false; // a name: what it stands for may change
      }
    }

    @Override
    public String toString() {
      return (name.indexOf(':') >= 0 ? "[" + name + "]" : name) + ":" + port;
    }
  }

  public StoreUri {
    hosts = List.copyOf(hosts);
    if (hosts.isEmpty()) {
      throw new IllegalArgumentException("no host in the store's URI: " + FORM);
    }
    if (!KEYSPACE.matcher(keyspace).matches()) {
      throw new IllegalArgumentException(
          "keyspace '%s': 1 to 48 of a to z, 0 to 9 and _, a letter first".formatted(keyspace));
    }
    if (datacenter.isBlank()) {
      throw new IllegalArgumentException(
          "the store's URI names no datacenter: add ?dc=NAME, as `nodetool status` shows it");
    }
    if (replication < 0 || replication > REPLICATION_MAX) {
      throw new IllegalArgumentException(
          "replication is 1 to %d, got %d".formatted(REPLICATION_MAX, replication));
    }
  }

  /// The keyspace as statements of CQL have it: in quotes when its name is a word of the language,
  /// such as `full` or `token`.
  public String keyspaceInCql() {
    return CqlIdentifier.fromInternal(keyspace).asCql(true);
  }

  /// True when a text is meant as the URI of a cluster, right or wrong.
  public static boolean isOne(String text) {
    return text.startsWith("cassandra:");
  }

  /// @throws IllegalArgumentException when it is none, with the part that is wrong in the message,
  ///   and never with a password
  public static StoreUri parse(String text) {
    Matcher parts = parts(text);
    Map<String, String> parameters = parameters(text);
    return new StoreUri(
        hosts(parts.group(1)),
        parts.group(2),
        parameters.getOrDefault("dc", ""),
        replication(parameters.get("replication")));
  }

  private static Matcher parts(String text) {
    int at = text.lastIndexOf('@');
    if (at >= 0) {
      throw new IllegalArgumentException(
          "the store's URI has a user or password before '@%s', where every user of the machine"
                  .formatted(text.substring(at + 1))
              + " can read it: use the parameters user and password-file, and"
              + " write an @ in a value as %40");
    }
    if (!text.startsWith(SCHEME)) {
      throw new IllegalArgumentException(
          "a store's URI begins with %s, got '%s'".formatted(SCHEME, text));
    }
    Matcher parts = PARTS.matcher(text.substring(SCHEME.length()));
    if (!parts.matches()) {
      throw new IllegalArgumentException("a store's URI is %s, got '%s'".formatted(FORM, text));
    }
    return parts;
  }

  private static List<Host> hosts(String text) {
    List<Host> hosts = new ArrayList<>();
    for (String one : text.split(",", -1)) {
      Matcher host = HOST.matcher(one);
      if (!host.matches()) {
        throw new IllegalArgumentException(
            "'%s' is no HOST[:PORT] in the store's URI".formatted(one));
      }
      int port = host.group(2) == null ? PORT : Integer.parseInt(host.group(2));
      if (port < 1 || port > 65_535) {
        throw new IllegalArgumentException(
            "port %d of '%s' in the store's URI is not 1 to 65535".formatted(port, one));
      }
      String name = host.group(1);
      if (name.startsWith("[")) {
        name = name.substring(1, name.length() - 1);
        requireLiteral(name);
      }
      hosts.add(new Host(name, port));
    }
    if (new HashSet<>(hosts).size() < hosts.size()) {
      throw new IllegalArgumentException(
          "a host occurs twice in the store's URI: '%s'".formatted(text));
    }
    return hosts;
  }

  private static void requireLiteral(String address) {
    try {
      InetAddress.ofLiteral(address);
    } catch (IllegalArgumentException refused) {
      throw new IllegalArgumentException(
          "'[%s]' in the store's URI is no IPv6 address".formatted(address), refused);
    }
  }

  /// The parameters of a URI, by name.
  ///
  /// @throws IllegalArgumentException for one that is unknown, malformed, empty, or stands twice
  static Map<String, String> parameters(String text) {
    String query = Objects.requireNonNullElse(parts(text).group(3), "");
    Map<String, String> parameters = new HashMap<>();
    for (String one : query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int equals = one.indexOf('=');
      String name = equals < 0 ? one : one.substring(0, equals);
      if (!PARAMETERS.contains(name)) {
        throw new IllegalArgumentException(
            "a store's URI has the parameters %s, got '%s'%s"
                .formatted(
                    String.join(", ", PARAMETERS),
                    name,
                    NearestName.question(name, PARAMETERS, "")));
      }
      String value = equals < 0 ? "" : decoded(name, one.substring(equals + 1));
      if (value.isEmpty() && !name.equals("dc")) { // the constructor refuses that
        throw new IllegalArgumentException(
            "the parameter %s of the store's URI has no value".formatted(name));
      }
      if (parameters.put(name, value) != null) {
        throw new IllegalArgumentException(
            "the parameter %s occurs twice in the store's URI".formatted(name));
      }
    }
    return parameters;
  }

  private static String decoded(String name, String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(
          "the parameter %s of the store's URI is malformed, got '%s'".formatted(name, value),
          malformed);
    }
  }

  private static int replication(@Nullable String text) {
    if (text == null) {
      return 0;
    }
    if (!text.matches("[1-9]\\d?")) {
      throw new IllegalArgumentException(
          "replication is 1 to %d, got '%s'".formatted(REPLICATION_MAX, text));
    }
    return Integer.parseInt(text);
  }

  /// True when all hosts are on this machine.
  public boolean isLoopback() {
    return hosts.stream().allMatch(Host::isLoopback);
  }

  /// The hosts, for messages.
  public String hostNames() {
    return hosts.stream().map(Host::toString).collect(Collectors.joining(", "));
  }

  /// The URI, with all ports; has no secret.
  @Override
  public String toString() {
    return SCHEME
        + hosts.stream().map(Host::toString).collect(Collectors.joining(","))
        + "/"
        + keyspace
        + "?dc="
        + datacenter
        + (replication == 0 ? "" : "&replication=" + replication);
  }
}
