package io.widerow.query.remote;

import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.json.JsonNode;
import io.widerow.query.output.TextWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A daemon's response, streamed line by line.
///
/// - Threads: one, besides those of the JDK's HTTP client.
/// - Memory: one line.
public final class RemoteResponse implements AutoCloseable {
  /// The header of a warning about a query; a response may have several.
  public static final String WARNING = "widerow-warning";

  private static final int BAD_REQUEST = 400;
  private static final int GONE = 410;
  private static final String ERROR = "{\"error\":\"";

  /// The sentence of a daemon about a parameter that it does not have.
  private static final String NO_PARAMETER = ": no such parameter";

  private static final String WARNINGS = "{\"warnings\":[";
  private static final String EXPLAIN = "{\"explain\":{";

  /// A response that refuses a parameter, up to the reason.
  private static final Pattern PARAMETER =
      Pattern.compile("^" + Pattern.quote(ERROR) + "([a-z-]+): ");

  private static final int REASON_CHARS_MAX = 2_000;

  private final DaemonAddress daemon;
  private final HttpClient client;
  private final BufferedReader lines;
  private final HttpHeaders headers;
  private @Nullable String explain; // once its line was read

  private RemoteResponse(
      DaemonAddress daemon, HttpClient client, BufferedReader lines, HttpHeaders headers) {
    this.daemon = daemon;
    this.client = client;
    this.lines = lines;
    this.headers = headers;
  }

  /// The answer to a query.
  public static RemoteResponse open(DaemonAddress daemon, Map<String, List<String>> parameters) {
    return open(daemon, "/v1/query", parameters);
  }

  /// Passes on the warnings about a query that follows events: polls after a position have none.
  public static void warn(DaemonAddress daemon, Map<String, List<String>> parameters) {
    open(daemon, "/v1/tail", parameters).close();
  }

  /// @param path the endpoint
  static RemoteResponse open(
      DaemonAddress daemon, String path, Map<String, List<String>> parameters) {
    return open(daemon, "GET", path, parameters);
  }

  /// @param method without a body, such as `PUT`
  static RemoteResponse open(
      DaemonAddress daemon, String method, String path, Map<String, List<String>> parameters) {
    return open(daemon, method, path, parameters, HttpRequest.BodyPublishers.noBody());
  }

  private static RemoteResponse open(
      DaemonAddress daemon,
      String method,
      String path,
      Map<String, List<String>> parameters,
      HttpRequest.BodyPublisher body) {
    HttpClient client = daemon.client();
    try {
      String asked = parameters.isEmpty() ? path : path + "?" + encode(parameters);
      HttpRequest request = daemon.request(asked).method(method, body).build();
      HttpResponse<InputStream> response =
          daemon.send(client, request, HttpResponse.BodyHandlers.ofInputStream());
      var lines =
          new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
      if (response.statusCode() != 200) {
        throw refused(daemon, response.statusCode(), lines);
      }
      response.headers().allValues(WARNING).forEach(daemon::warn);
      return new RemoteResponse(daemon, client, lines, response.headers());
    } catch (QueryException refused) {
      client.shutdownNow();
      throw refused;
    } catch (IOException unreachable) {
      client.close();
      throw daemon.unreachable(unreachable);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      client.shutdownNow();
      throw new QueryException.Stopped("interrupted while waiting for " + daemon);
    }
  }

  /// The response to a text.
  static RemoteResponse post(
      DaemonAddress daemon, String path, Map<String, List<String>> parameters, String body) {
    return open(daemon, "POST", path, parameters, HttpRequest.BodyPublishers.ofString(body));
  }

  private static QueryException refused(DaemonAddress daemon, int status, BufferedReader lines) {
    String reason = lines.lines().limit(20).collect(Collectors.joining(" "));
    if (status == GONE) {
      Map<String, Object> why = JsonLine.parse(reason);
      Object first = why.get("first");
      return new QueryException.Expired(
          TextWriter.escaped("" + why.get("error")),
          first == null ? null : Token.parse(first.toString()).toString());
    }
    Matcher parameter = status == BAD_REQUEST ? PARAMETER.matcher(reason) : null;
    if (parameter != null && parameter.find()) {
      String why = String.valueOf(JsonLine.parse(reason).get("error"));
      String advice = why.contains(NO_PARAMETER) ? "; " + daemon.versions() : "";
      return new QueryException.Refused(
          parameter.group(1),
          TextWriter.escaped(why.substring(parameter.end() - ERROR.length())) + advice);
    }
    String shown = reason.substring(0, Math.min(REASON_CHARS_MAX, reason.length()));
    return daemon.refused(status, shown);
  }

  /// Requires that lines of an unknown kind come from a daemon, whose later versions may send more
  /// kinds, when there is no line of a known kind.
  ///
  /// @param known number of lines of known kinds
  /// @param unknown a line of an unknown kind; null for none
  void requireDaemon(long known, @Nullable String unknown) {
    if (known == 0 && unknown != null && daemon.version() == null) {
      throw new QueryException.Remote(
          "the response of the daemon has none of the expected members: "
              + TextWriter.escaped(unknown));
    }
  }

  /// The response's position in the order of arrival; null when the daemon does not send it.
  @Nullable String arrived() {
    return header("widerow-arrived");
  }

  /// The share of them that came from aggregates whose events are gone; null when the daemon does
  /// not report so.
  public @Nullable String kept() {
    return header("widerow-kept");
  }

  /// The share of the aggregates that came from rollups; null when the daemon does not report it.
  public @Nullable String rollup() {
    return header("widerow-rollup");
  }

  /// A header of the response; null when the daemon does not send it.
  @Nullable String header(String name) {
    return headers.firstValue(name).orElse(null);
  }

  public static String encode(Map<String, List<String>> parameters) {
    return ParameterText.encode(parameters);
  }

  /// Reads the rest of the response.
  ///
  /// @return the line with the read statistics; null when there was none
  public @Nullable String explain() {
    while (readLine() != null) {}
    return explain;
  }

  /// The next line; null after the last. Lines of warnings go to the daemon's address instead, and
  /// that of the read statistics to [#explain].
  @Nullable String readLine() {
    try {
      String line = lines.readLine();
      while (line != null && (line.startsWith(WARNINGS) || line.startsWith(EXPLAIN))) {
        if (line.startsWith(EXPLAIN)) {
          explain = line;
        } else {
          warn(line);
        }
        line = lines.readLine();
      }
      return line;
    } catch (IOException | UncheckedIOException cut) {
      throw new QueryException.Remote("the connection broke during the response: " + cut);
    }
  }

  private void warn(String line) {
    List<JsonNode> warnings = JsonLine.array(line, "warnings");
    if (warnings != null) {
      warnings.forEach(warning -> daemon.warn(warning.toString()));
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
