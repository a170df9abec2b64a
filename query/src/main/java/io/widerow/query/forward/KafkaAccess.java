package io.widerow.query.forward;

import io.widerow.query.SecretFile;
import io.widerow.storage.PemFiles;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Whom a client of Kafka trusts among brokers, its credentials, and properties of its own. Each
/// part is named by a key of the daemon, such as `kafka-ca`, or by a parameter of an address, `ca`.
///
/// - Threads: any. Files are read when they are used, so changed ones take effect with the next
///   connection of a client.
///
/// @param ca PEM file of the only certificates to trust; null for no TLS
/// @param certificate PEM file with the chain of this client, with its `key`; null for none
/// @param key PEM file of the certificate's key; null for none
/// @param user with a password; null for none
/// @param passwordFile of mode 0600; null for none
/// @param mechanism of SASL, one of [#MECHANISMS]; not used with `oauth`
/// @param oauth URL that gives tokens to the user; null for none
/// @param properties of Kafka's client, by name
public record KafkaAccess(
    @Nullable Path ca,
    @Nullable Path certificate,
    @Nullable Path key,
    @Nullable String user,
    @Nullable Path passwordFile,
    String mechanism,
    @Nullable String oauth,
    Map<String, String> properties) {
  /// The first one is the default.
  public static final List<String> MECHANISMS = List.of("SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN");

  /// The names, without the beginning of the key's.
  public static final Set<String> NAMES =
      Set.of("ca", "cert", "key", "user", "password-file", "mechanism", "oauth");

  /// The name of a property begins with it.
  public static final String PROPERTY = "set.";

  private static final Pattern LOCAL =
      Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1]):\\d+");

  /// What the reading and the sending of records decides, because its promises depend on it.
  private static final Set<String> DECIDED =
      Set.of(
          "acks",
          "allow.auto.create.topics",
          "auto.commit.interval.ms",
          "auto.offset.reset",
          "bootstrap.controllers",
          "bootstrap.servers",
          "client.id",
          "config.providers",
          "delivery.timeout.ms",
          "enable.auto.commit",
          "enable.idempotence",
          "exclude.internal.topics",
          "group.id",
          "group.instance.id",
          "group.protocol",
          "group.remote.assignor",
          "interceptor.classes",
          "isolation.level",
          "key.deserializer",
          "key.serializer",
          "max.in.flight.requests.per.connection",
          "metric.reporters",
          "partition.assignment.strategy",
          "retries",
          "transactional.id",
          "value.deserializer",
          "value.serializer");

  /// Of TLS; all others of `ssl.`, `sasl.` and `security.` have a key.
  private static final Set<String> OF_TLS =
      Set.of(
          "ssl.cipher.suites",
          "ssl.enabled.protocols",
          "ssl.endpoint.identification.algorithm",
          "ssl.protocol");

  public KafkaAccess {
    properties = Map.copyOf(properties);
  }

  /// Reads named parts, without the beginning of their keys' names.
  public static KafkaAccess of(Map<String, String> given) {
    Map<String, String> properties = new TreeMap<>();
    given.forEach((name, value) -> {
      if (name.startsWith(PROPERTY)) {
        properties.put(name.substring(PROPERTY.length()), value);
      }
    });
    return new KafkaAccess(
        path(given.get("ca")),
        path(given.get("cert")),
        path(given.get("key")),
        given.get("user"),
        path(given.get("password-file")),
        given.getOrDefault("mechanism", MECHANISMS.getFirst()),
        given.get("oauth"),
        properties);
  }

  private static @Nullable Path path(@Nullable String text) {
    return text == null ? null : Path.of(text);
  }

  /// Whether the connections are encrypted, and the brokers authenticated.
  public boolean isTls() {
    return ca != null;
  }

  /// Whether all of these `HOST:PORT` are on this machine.
  public static boolean isLocal(List<String> brokers) {
    return brokers.stream().allMatch(broker -> LOCAL.matcher(broker).matches());
  }

  /// Refuses parts that do not go together.
  ///
  /// @param prefix beginning of the names in errors, such as `kafka-`
  /// @throws IllegalArgumentException with the name of a part in it
  public void check(String prefix) {
    require(
        (certificate == null) == (key == null),
        "%scert and %skey must be set together, got %s and %s",
        prefix,
        prefix,
        certificate,
        key);
    require(
        certificate == null || ca != null,
        "%scert: a certificate is for TLS, which needs %sca",
        prefix,
        prefix);
    require(
        (user == null) == (passwordFile == null),
        "%suser and %spassword-file must be set together, got %s and %s",
        prefix,
        prefix,
        user,
        passwordFile);
    require(
        MECHANISMS.contains(mechanism),
        "%smechanism must be %s, got %s",
        prefix,
        String.join(" or ", MECHANISMS),
        mechanism);
    require(
        user == null || oauth != null || ca != null || !mechanism.equals("PLAIN"),
        "%smechanism: PLAIN sends the password as it is, which needs TLS: set %sca, or use %s",
        prefix,
        prefix,
        MECHANISMS.getFirst());
    if (oauth != null) {
      requireOauth(prefix, oauth);
    }
    properties.keySet().forEach(name -> requireFree(prefix, name));
  }

  private void requireOauth(String prefix, String url) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException noUri) {
      throw new IllegalArgumentException(
          "%soauth must be a URL, got %s".formatted(prefix, url), noUri);
    }
    boolean isLocal = uri.getHost() != null && isLocal(List.of(uri.getHost() + ":1"));
    boolean isSafe = "https".equals(uri.getScheme());
    require(
        uri.getRawUserInfo() == null,
        "%soauth: a password belongs into a file: use %suser and %spassword-file",
        prefix,
        prefix,
        prefix);
    require(
        uri.getHost() != null && (isSafe || (isLocal && "http".equals(uri.getScheme()))),
        "%soauth must be https://HOST/PATH, got %s",
        prefix,
        url);
    require(
        user != null,
        "%soauth needs %suser and %spassword-file: the id and the secret of the client",
        prefix,
        prefix,
        prefix);
  }

  private static void requireFree(String prefix, String name) {
    require(!DECIDED.contains(name), "%sset.%s: Widerow decides this property", prefix, name);
    boolean isSecret =
        name.startsWith("ssl.") || name.startsWith("sasl.") || name.startsWith("security.");
    require(
        !isSecret || OF_TLS.contains(name),
        "%sset.%s: set TLS and credentials by %sca, %scert, %skey, %suser, %spassword-file,"
            + " %smechanism and %soauth",
        prefix,
        name,
        prefix,
        prefix,
        prefix,
        prefix,
        prefix,
        prefix,
        prefix);
  }

  /// Reads the files.
  ///
  /// @throws IllegalArgumentException when one cannot be used
  public void checkFiles(String prefix) {
    if (ca != null) {
      try {
        var _ = PemFiles.context(ca, certificate, key);
      } catch (IllegalArgumentException wrong) {
        throw new IllegalArgumentException(prefix + "ca: " + wrong.getMessage(), wrong);
      }
    }
    var _ = password(prefix);
  }

  /// The password; empty without a user.
  ///
  /// @throws IllegalArgumentException when its file cannot be used
  public String password(String prefix) {
    return passwordFile == null
        ? ""
        : new String(
            SecretFile.read(prefix + "password-file", passwordFile), StandardCharsets.UTF_8);
  }

  @SuppressWarnings("AnnotateFormatMethod") // all calls are in this class
  private static void require(boolean holds, String message, @Nullable Object... parts) {
    if (!holds) {
      throw new IllegalArgumentException(message.formatted(parts));
    }
  }
}
