package io.widerow.query.remote;

import io.widerow.query.QueryException;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.BuildVersion;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// The daemon that a command asks: where it listens, whom to trust, and the token for it.
///
/// | given | asks |
/// |---|---|
/// | `http://HOST:PORT`, `https://HOST:PORT` | there |
/// | `HOST:PORT` or `HOST` | by HTTPS with a file of certificates, else by HTTP; port 7380 |
/// | nothing | the same at `WIDEROW_URL`, else at 127.0.0.1:7380 |
///
/// - Threads: any.
public final class DaemonAddress {
  /// Environment variables of these commands.
  public static final String URL_VARIABLE = "WIDEROW_URL";

  public static final String CACERT_VARIABLE = "WIDEROW_CACERT";
  public static final String TOKEN_VARIABLE = "WIDEROW_TOKEN";

  /// The response of a daemon with TLS to a plain-text request.
  private static final String TLS_SPOKEN = "TLS is spoken here";

  /// The sentence of a daemon about an endpoint that it does not have.
  private static final String NO_ENDPOINT = "no such endpoint";

  private static final String HEALTH = "/health";

  private static final String HOST_DEFAULT = "127.0.0.1";
  private static final int PORT_DEFAULT = 7380;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /// The longest silence of a server before it must show that it speaks HTTP, and the time that it
  /// may take for that.
  private static final Duration SILENCE_MAX = Duration.ofSeconds(10);

  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(5);

  private final URI uri;
  private final @Nullable Path cacert;
  private final @Nullable SSLContext trusted;
  private final @Nullable String bearer;
  private final Consumer<String> warned;

  private DaemonAddress(
      URI uri, @Nullable Path cacert, @Nullable String bearer, Consumer<String> warned) {
    this.uri = uri;
    this.cacert = isTls(uri) ? cacert : null;
    this.trusted = this.cacert == null ? null : TrustedCertificates.of(this.cacert);
    this.bearer = bearer;
    this.warned = warned;
  }

  /// The same daemon, whose warnings are passed on.
  ///
  /// @param newWarned takes each warning, without control characters
  public DaemonAddress withWarnings(Consumer<String> newWarned) {
    return new DaemonAddress(uri, cacert, bearer, newWarned);
  }

  void warn(String warning) {
    warned.accept(TextWriter.escaped(warning));
  }

  /// @param url as `--url` has it; null for that of the environment
  /// @param cacert PEM file of the only certificates to trust, as `--cacert` has it; null for that
  ///   of the environment
  /// @throws QueryException.Refused when the URL or the file makes no sense
  public static DaemonAddress of(
      @Nullable String url, @Nullable Path cacert, Map<String, String> environment) {
    Path file = certificates(cacert, environment);
    String given = url == null ? environment.getOrDefault(URL_VARIABLE, "") : url;
    URI uri = uri(url == null && !given.isEmpty() ? URL_VARIABLE : "url", given, file != null);
    if (cacert != null && !isTls(uri)) {
      throw new QueryException.Refused("cacert", "is for TLS, got %s; use https://".formatted(uri));
    }
    return new DaemonAddress(uri, file, token(environment), _ -> {});
  }

  /// The file of the only certificates to trust: the one given, else that of the environment; null
  /// for none.
  public static @Nullable Path certificates(
      @Nullable Path cacert, Map<String, String> environment) {
    String variable = environment.getOrDefault(CACERT_VARIABLE, "");
    return cacert != null || variable.isEmpty() ? cacert : Path.of(variable);
  }

  /// The token of the environment; null for none.
  public static @Nullable String token(Map<String, String> environment) {
    String token = environment.getOrDefault(TOKEN_VARIABLE, "").strip();
    return token.isEmpty() ? null : token;
  }

  private static URI uri(String name, String given, boolean tls) {
    boolean whole = given.contains("://");
    String text = given.isBlank() ? HOST_DEFAULT : given.strip();
    String assumed = tls ? "https" : "http";
    try {
      URI uri = new URI(whole ? text : assumed + "://" + text);
      if (!whole && uri.getPort() < 0) {
        uri = new URI(assumed, null, uri.getHost(), PORT_DEFAULT, uri.getPath(), null, null);
      }
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (uri.getHost() != null
          && uri.getRawQuery() == null
          && (scheme.equals("http") || scheme.equals("https"))) {
        return new URI(uri.toString().replaceAll("/+$", ""));
      }
    } catch (URISyntaxException bad) {
      // refused below
    }
    throw new QueryException.Refused(
        name, "must be HOST:PORT, http://HOST:PORT or https://HOST:PORT, got " + given);
  }

  private static boolean isTls(URI uri) {
    return "https".equalsIgnoreCase(uri.getScheme());
  }

  /// Where it listens, such as `http://127.0.0.1:7380`.
  public String url() {
    return uri.toString();
  }

  /// A client for it. The caller closes it.
  public HttpClient client() {
    HttpClient.Builder client = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT);
    return trusted == null ? client.build() : client.sslContext(trusted).build();
  }

  /// A request with the token, if there is one.
  ///
  /// @param path path and query, such as `/v1/query?limit=1`
  public HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri + path));
    return bearer == null ? request : request.header("Authorization", "Bearer " + bearer);
  }

  /// Sends a request and waits for the head of the response: as long as it takes, for a query may
  /// take long, but not for a server that has been silent for 10 s and does not respond to `GET
  /// /ready` either.
  ///
  /// @param client of [#client]
  /// @throws QueryException.Remote when the server is silent
  public <T> HttpResponse<T> send(
      HttpClient client, HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> response = client.sendAsync(request, handler);
    try {
      return response.get(SILENCE_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException silent) {
      requireHttp(client, response);
    } catch (ExecutionException failed) {
      throw ioException(failed);
    }
    try {
      return response.get();
    } catch (ExecutionException failed) {
      throw ioException(failed);
    }
  }

  /// Fails when the server is silent. Any other failure of the probe, such as one connection too
  /// many, says nothing of the request, which continues.
  private void requireHttp(HttpClient client, Future<?> response) throws InterruptedException {
    HttpRequest probe = request("/ready").timeout(PROBE_TIMEOUT).build();
    try {
      HttpResponse<Void> _ = client.send(probe, HttpResponse.BodyHandlers.discarding());
    } catch (HttpTimeoutException silent) {
      boolean _ = response.cancel(true);
      throw new QueryException.Remote(
          ("%s accepts connections and sends nothing, neither for the request in %d s nor for"
                  + " /ready in %d s: is it the HTTP port of a daemon?")
              .formatted(uri, SILENCE_MAX.toSeconds(), PROBE_TIMEOUT.toSeconds()));
    } catch (IOException _) {
      // The request reports a failure of its own.
    }
  }

  private static IOException ioException(ExecutionException failed) {
    return failed.getCause() instanceof IOException failure
        ? failure
        : new IOException(String.valueOf(failed.getCause()), failed);
  }

  /// The daemon's unexpected response, and a hint for the user.
  ///
  /// @param why the body of the response
  public QueryException.Remote refused(int status, String why) {
    if (status == 400 && why.contains(TLS_SPOKEN)) {
      return new QueryException.Remote(speaksTls());
    }
    String advice = "";
    if (status == 401) {
      advice =
          bearer == null
              ? "; put a token into " + TOKEN_VARIABLE
              : "; the daemon does not accept the token in " + TOKEN_VARIABLE;
    }
    if (isMissing(status, why)) {
      advice = "; " + versions();
    }
    return new QueryException.Remote(
        "%s answered %d: %s%s".formatted(uri, status, TextWriter.escaped(why), advice));
  }

  /// True when a daemon of another version may have the endpoint: a thing that is not there, such
  /// as an event, has a sentence about it.
  private static boolean isMissing(int status, String why) {
    boolean aboutEndpoint = !why.startsWith("{\"error\":") || why.contains(NO_ENDPOINT);
    return status == 405 || (status == 404 && aboutEndpoint);
  }

  /// The versions of the daemon and of this client, and what to do when they differ.
  String versions() {
    String version = version();
    if (version == null) {
      return "no daemon reports its version at %s%s: is it the HTTP port of a daemon?"
          .formatted(uri, HEALTH);
    }
    String daemon = TextWriter.escaped(version);
    return version.equals(BuildVersion.value())
        ? "the daemon and this command are both Widerow %s: is a proxy between them?"
            .formatted(daemon)
        : "the daemon is Widerow %s and this command is Widerow %s: upgrade the daemon, or run the"
                .formatted(daemon, BuildVersion.value())
            + " command of its version";
  }

  /// The version that the daemon reports without a token; null when no daemon does.
  @Nullable String version() {
    try (HttpClient client = client()) {
      HttpRequest asked =
          HttpRequest.newBuilder(URI.create(uri + HEALTH)).timeout(PROBE_TIMEOUT).build();
      String body = client.send(asked, HttpResponse.BodyHandlers.ofString()).body();
      Map<String, Object> health = JsonLine.parse(body.strip());
      Object version = "widerow".equals(health.get("name")) ? health.get("version") : null;
      return version instanceof String text ? text : null;
    } catch (IOException | QueryException.Remote _) {
      return null; // the caller reports the failure that it asked for
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /// Why the daemon could not be asked, and what to do about it.
  public QueryException.Remote unreachable(IOException failure) {
    if (failure instanceof ConnectException) {
      String why =
          has(failure, UnresolvedAddressException.class)
              ? "there is no host %s".formatted(uri.getHost())
              : "no daemon answers at %s".formatted(uri);
      return new QueryException.Remote(
          why
              + "; start one with widerow serve, name another with --url,"
              + " or read the directory of a stopped store with --data DIR");
    }
    if (failure instanceof HttpTimeoutException) {
      return new QueryException.Remote("%s does not answer: %s".formatted(uri, failure));
    }
    String why =
        isTls(uri)
            ? (failure instanceof SSLException ? tlsFailed(failure) : null)
            : (TlsProbe.answers(uri.getHost(), port()) ? speaksTls() : null);
    return new QueryException.Remote(why == null ? "cannot query " + uri + ": " + failure : why);
  }

  private String speaksTls() {
    return "%s speaks TLS: use --url https://%s%s"
        .formatted(
            uri,
            uri.getRawAuthority(),
            ", and with --cacert FILE when no public authority signed its certificate");
  }

  private String tlsFailed(Throwable failure) {
    String all = messages(failure);
    if (has(failure, CertificateExpiredException.class)
        || has(failure, CertificateNotYetValidException.class)) {
      return "the certificate of %s is not valid now: %s; renew the daemon's file tls-certificate"
          .formatted(uri, TlsProbe.lastMessage(failure));
    }
    if (all.contains("PKIX") || all.contains("certification path")) {
      return cacert == null
          ? "the certificate of %s is not trusted: name its PEM file with --cacert FILE"
                  .formatted(uri)
              + " or "
              + CACERT_VARIABLE
          : "the certificate of %s is not in %s, nor signed by one in it".formatted(uri, cacert);
    }
    if (all.contains("No subject alternative") || all.contains("No name matching")) {
      return "the certificate of %s is for another name: %s; use a name that it has"
          .formatted(uri, TlsProbe.lastMessage(failure));
    }
    if (all.contains("nrecognized SSL message") || all.contains("terminated the handshake")) {
      return "%s does not speak TLS: use --url http://%s, without --cacert and %s"
          .formatted(uri, uri.getRawAuthority(), CACERT_VARIABLE);
    }
    return "no TLS with %s: %s".formatted(uri, TlsProbe.lastMessage(failure));
  }

  private int port() {
    return uri.getPort() >= 0 ? uri.getPort() : isTls(uri) ? 443 : 80;
  }

  private static String messages(Throwable failure) {
    StringBuilder all = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      all.append(cause.getMessage()).append('\n');
    }
    return all.toString();
  }

  private static boolean has(Throwable failure, Class<? extends Throwable> kind) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (kind.isInstance(cause)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return url();
  }
}
