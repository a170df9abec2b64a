package io.widerow.ingest.config;

import io.widerow.query.SecretFile;
import io.widerow.storage.PemFiles;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Where an Alertmanager listens, whom to trust, and the credentials for it.
///
/// ```
///   https://HOST:PORT/PREFIX?ca=FILE&token-file=FILE
///   https://HOST:PORT?cert=FILE&key=FILE
///   https://HOST:PORT?user=NAME&password-file=FILE
/// ```
///
/// - Threads: any.
///
/// @param uri without parameters
/// @param ca PEM file of the only certificates to trust; null for those of the Java runtime
/// @param certificate PEM file with the chain of this client, with its `key`; null for none
/// @param key PEM file of the certificate's key; null for none
/// @param user with a password; null for none
/// @param secret file, mode 0600, with the password or with the bearer token; null for none
public record AlertmanagerAddress(
    URI uri,
    @Nullable Path ca,
    @Nullable Path certificate,
    @Nullable Path key,
    @Nullable String user,
    @Nullable Path secret) {
  private static final String KEY = "alertmanagers";
  private static final List<String> PARAMETERS =
      List.of("ca", "cert", "key", "user", "password-file", "token-file");
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /// @throws IllegalArgumentException when the text is no such address
  public static AlertmanagerAddress parse(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException wrong) {
      throw refused("must be http://HOST:PORT or https://HOST:PORT", text);
    }
    boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!isHttp || uri.getHost() == null || uri.getRawFragment() != null) {
      throw refused("must be http://HOST:PORT or https://HOST:PORT", text);
    }
    if (uri.getRawUserInfo() != null) {
      throw new IllegalArgumentException(
          KEY + ": a password belongs into a file: use ?user=NAME&password-file=FILE");
    }
    Map<String, String> given = new HashMap<>();
    String query = uri.getQuery();
    for (String each : query == null ? new String[0] : query.split("&", -1)) {
      int equals = each.indexOf('=');
      String name = equals < 0 ? each : each.substring(0, equals);
      if (!PARAMETERS.contains(name) || equals < 0) {
        throw refused("parameters are " + String.join(", ", PARAMETERS), text);
      }
      given.put(name, each.substring(equals + 1));
    }
    boolean isUser = given.containsKey("user");
    if (isUser != given.containsKey("password-file")
        || (isUser && given.containsKey("token-file"))) {
      throw refused("takes user with password-file, or token-file", text);
    }
    if (given.containsKey("cert") != given.containsKey("key")) {
      throw refused("takes cert with key", text);
    }
    boolean isSecure = uri.getScheme().equals("https");
    if (!isSecure && (given.containsKey("ca") || given.containsKey("cert"))) {
      throw refused("ca, cert and key are for https", text);
    }
    String secret = given.getOrDefault("password-file", given.get("token-file"));
    String base = text.replaceFirst("\\?.*$", "").replaceFirst("/+$", "");
    return new AlertmanagerAddress(
        URI.create(base),
        path(given.get("ca")),
        path(given.get("cert")),
        path(given.get("key")),
        given.get("user"),
        path(secret));
  }

  private static @Nullable Path path(@Nullable String name) {
    return name == null ? null : Path.of(name);
  }

  private static IllegalArgumentException refused(String why, String text) {
    return new IllegalArgumentException("%s: %s, got %s".formatted(KEY, why, text));
  }

  /// Reads the files that it names.
  ///
  /// @throws IllegalArgumentException when one cannot be used
  public void check() {
    try {
      var _ = PemFiles.context(ca, certificate, key);
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(KEY + ": " + wrong.getMessage(), wrong);
    }
    Path file = secret;
    if (file != null) {
      var _ = SecretFile.read(KEY, file);
    }
  }

  /// A client for it. The caller closes it.
  public HttpClient client(Executor executor) {
    return HttpClient.newBuilder()
        .connectTimeout(TIMEOUT)
        .version(HttpClient.Version.HTTP_1_1)
        .sslContext(PemFiles.context(ca, certificate, key))
        .executor(executor)
        .build();
  }

  /// `POST /api/v2/alerts`. A changed secret takes effect with the next request.
  public HttpRequest request(String json) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(uri + "/api/v2/alerts"))
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json));
    Path file = secret;
    if (file != null) {
      byte[] key = SecretFile.read(KEY, file);
      String text = new String(key, StandardCharsets.UTF_8);
      String name = user;
      String pair = name + ":" + text;
      request.header(
          "Authorization",
          name == null
              ? "Bearer " + text
              : "Basic "
                  + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
    }
    return request.build();
  }
}
