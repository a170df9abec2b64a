package io.widerow.cli.ship;

import io.widerow.query.QueryException;
import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import io.widerow.query.remote.DaemonAddress;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// Reads the lines of a Loki in the order of their times, through its API.
///
/// Loki returns at most so many lines of a range, and a page may end between lines of equal times.
/// So the lines of the last time of a full page are left to the next page. When a page has only
/// lines of one time, that time is read stream by stream.
///
/// ```
///   page of 5:   1 2 2 3 3 | 3 4      taken: 1 2 2, the next page begins at 3
///   page of 5:   3 3 3 3 3 | 3 4      the streams of time 3, each alone; the next begins at 4
/// ```
///
/// - Threads: one.
/// - Memory: a page.
final class LokiSource implements AutoCloseable {
  private static final String ROOT = "/loki/api/v1/";
  private static final long WINDOW_NANOS_MAX = 24 * 3_600_000_000_000L; // Loki: at most 721 h
  private static final long WINDOW_NANOS_MIN = 1_000_000_000L;
  private static final long WAIT_NANOS_MIN = 200_000_000L;
  private static final long WAIT_NANOS_MAX = 10_000_000_000L;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long RETRY_AFTER_SECONDS_MAX = 60;
  private static final Duration RESPONSE_TIMEOUT = Duration.ofMinutes(5);
  private static final int TOLD_CHARS = 300;

  private final DaemonAddress address;
  private final HttpClient client;
  private final Map<String, String> environment;
  private final String selector;
  private final int limit;
  private final Console console;
  private final StopSignal stop;
  private final long giveUpNanos;
  private long windowNanos = WINDOW_NANOS_MAX;

  /// @param environment with the variables of logcli: `LOKI_USERNAME`, `LOKI_PASSWORD`,
  ///   `LOKI_BEARER_TOKEN`, `LOKI_ORG_ID`
  /// @param selector of the streams
  /// @param limit of a page
  /// @param giveUpNanos longest outage
  LokiSource(
      DaemonAddress address,
      Map<String, String> environment,
      String selector,
      int limit,
      Console console,
      StopSignal stop,
      long giveUpNanos) {
    this.address = address;
    this.client = address.client();
    this.environment = environment;
    this.selector = selector;
    this.limit = limit;
    this.console = console;
    this.stop = stop;
    this.giveUpNanos = giveUpNanos;
  }

  /// Lines in the order of their times.
  ///
  /// @param untilNanos all lines before it were returned
  record Page(List<LokiLine> lines, long untilNanos) {}

  /// A request that may succeed later.
  private static final class Later extends Exception {
    private static final long serialVersionUID = 1L;

    private final long waitNanos; // 0 when the server names no time
    private final boolean isOverloaded;

    Later(String why, long waitNanos, boolean isOverloaded) {
      super(why);
      this.waitNanos = waitNanos;
      this.isOverloaded = isOverloaded;
    }
  }

  /// Reads on, up to a full page.
  ///
  /// @return null when the command is to end
  /// @throws QueryException.Remote when Loki refuses the query, or does not respond
  @Nullable Page next(long fromNanos, long untilNanos) {
    long until = untilNanos;
    List<LokiLine> lines = null;
    Trouble trouble = new Trouble();
    while (lines == null) {
      until = Math.min(untilNanos, fromNanos + windowNanos);
      try {
        lines = range(selector, fromNanos, until);
        windowNanos = Math.min(WINDOW_NANOS_MAX, 2 * windowNanos);
      } catch (Later later) {
        if (later.isOverloaded) {
          windowNanos = Math.max(WINDOW_NANOS_MIN, windowNanos / 2);
        }
        if (trouble.stopsAfter(later)) {
          return null;
        }
      }
    }
    trouble.over();
    if (lines.size() < limit) {
      return new Page(lines, until);
    }
    long first = lines.getFirst().nanos();
    long last = lines.getLast().nanos();
    if (lines.size() > limit) { // it does not cut equal times
      return new Page(lines, last + 1);
    }
    if (first < last) {
      return new Page(lines.stream().filter(line -> line.nanos() < last).toList(), last);
    }
    List<LokiLine> all = ofOneTime(last);
    return all == null ? null : new Page(all, last + 1);
  }

  /// The lines of one time, stream by stream; null when the command is to end.
  private @Nullable List<LokiLine> ofOneTime(long nanos) {
    List<LokiLine> all = new ArrayList<>();
    List<SortedMap<String, String>> streams = retried(() -> streams(selector, nanos, nanos + 1));
    SortedSet<String> names = new TreeSet<>();
    for (SortedMap<String, String> stream :
        streams == null ? List.<SortedMap<String, String>>of() : streams) {
      names.addAll(stream.keySet());
    }
    for (SortedMap<String, String> stream :
        streams == null ? List.<SortedMap<String, String>>of() : streams) {
      String exactly = selectorOf(stream, names);
      List<LokiLine> lines = retried(() -> range(exactly, nanos, nanos + 1));
      if (lines == null) {
        return null;
      }
      if (lines.size() == limit) {
        throw new QueryException.Remote(
            ("%s: %,d or more lines of the stream %s have the time %d, and Loki returns no others;"
                    + " raise its max_entries_limit_per_query, and --page-lines")
                .formatted(address, limit, exactly, nanos));
      }
      all.addAll(lines);
    }
    return streams == null ? null : all;
  }

  /// The names of labels without which some streams are, when others than those of the selector
  /// exist: the selectors of streams that have none of a label.
  List<String> others(String label, long fromNanos, long untilNanos) {
    List<String> selectors = new ArrayList<>();
    List<String> names =
        retried(() -> {
          JsonNode data = get("labels?" + range(fromNanos, untilNanos)).at(List.of("data"));
          return data == null || data.items() == null
              ? List.<String>of()
              : data.items().stream().map(JsonNode::toString).toList();
        });
    for (String name : names == null ? List.<String>of() : names) {
      String others = "{%s=\"\",%s=~\".+\"}".formatted(label, name);
      List<SortedMap<String, String>> found =
          name.equals(label) || name.startsWith("__")
              ? List.of()
              : retried(() -> streams(others, fromNanos, untilNanos));
      if (found != null && !found.isEmpty()) {
        selectors.add(others);
      }
    }
    return selectors;
  }

  /// A request.
  private interface Asking<T> {
    T ask() throws Later;
  }

  private <T> @Nullable T retried(Asking<T> asking) {
    Trouble trouble = new Trouble();
    while (true) {
      try {
        T found = asking.ask();
        trouble.over();
        return found;
      } catch (Later later) {
        if (trouble.stopsAfter(later)) {
          return null;
        }
      }
    }
  }

  /// An outage.
  private final class Trouble {
    private int attempts;
    private long sinceNanos;

    /// Waits. True when the command is to end.
    boolean stopsAfter(Later later) {
      long now = System.nanoTime();
      sinceNanos = attempts == 0 ? now : sinceNanos;
      attempts++;
      if (now - sinceNanos > giveUpNanos) {
        throw new QueryException.Remote(
            "%s; gave up after %d s"
                .formatted(later.getMessage(), (now - sinceNanos) / SECOND_NANOS));
      }
      if (attempts == 2) {
        console.tell(later.getMessage() + "; waiting, nothing is lost");
      }
      long most = Math.min(WAIT_NANOS_MAX, WAIT_NANOS_MIN << Math.min(attempts, 10));
      long wait = ThreadLocalRandom.current().nextLong(most / 2, most);
      return stop.await(later.waitNanos > 0 ? later.waitNanos : wait);
    }

    void over() {
      if (attempts > 1) {
        console.tell(address + " responds again");
      }
    }
  }

  private static String range(long fromNanos, long untilNanos) {
    return "start=" + fromNanos + "&end=" + untilNanos;
  }

  private List<LokiLine> range(String query, long fromNanos, long untilNanos) throws Later {
    String asked =
        "query_range?direction=forward&limit=%d&%s&query=%s"
            .formatted(limit, range(fromNanos, untilNanos), encoded(query));
    JsonNode streams = get(asked).at(List.of("data", "result"));
    List<LokiLine> lines = new ArrayList<>();
    for (JsonNode stream : items(streams, asked)) {
      SortedMap<String, String> labels = texts(stream.at(List.of("stream")));
      for (JsonNode value : items(stream.at(List.of("values")), asked)) {
        List<JsonNode> parts = items(value, asked);
        if (parts.size() < 2) {
          throw wrong(asked, value.toString());
        }
        JsonNode metadata = value.at(List.of(2, "structuredMetadata"));
        try {
          long nanos = Long.parseLong(parts.getFirst().toString());
          lines.add(new LokiLine(nanos, labels, parts.get(1).toString(), texts(metadata)));
        } catch (NumberFormatException bad) {
          throw wrong(asked, value.toString());
        }
      }
    }
    lines.sort(Comparator.comparingLong(LokiLine::nanos)); // stable: of a stream as they came
    return lines;
  }

  private List<SortedMap<String, String>> streams(String query, long fromNanos, long untilNanos)
      throws Later {
    String asked = "series?" + range(fromNanos, untilNanos) + "&match[]=" + encoded(query);
    List<SortedMap<String, String>> streams = new ArrayList<>();
    for (JsonNode stream : items(get(asked).at(List.of("data")), asked)) {
      streams.add(texts(stream));
    }
    return streams;
  }

  /// A selector of one stream: labels of others are empty in it.
  private static String selectorOf(SortedMap<String, String> stream, SortedSet<String> names) {
    StringBuilder text = new StringBuilder("{");
    for (String name : names) {
      String value = stream.getOrDefault(name, "");
      text.append(text.length() == 1 ? "" : ",").append(name).append("=\"");
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        switch (c) {
          case '"', '\\' -> text.append('\\').append(c);
          case '\n' -> text.append("\\n");
          default -> text.append(c);
        }
      }
      text.append('"');
    }
    return text.append('}').toString();
  }

  private List<JsonNode> items(@Nullable JsonNode node, String asked) throws Later {
    List<JsonNode> items = node == null ? null : node.items();
    if (items != null) {
      return items;
    }
    if (node != null && node.isNull()) {
      return List.of();
    }
    throw wrong(asked, String.valueOf(node));
  }

  private static SortedMap<String, String> texts(@Nullable JsonNode object) {
    return object == null ? new TreeMap<>() : object.texts();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private Later wrong(String asked, String found) {
    return new Later(
        "%s%s%s: not a response of Loki: %s".formatted(address, ROOT, asked, told(found)),
        0,
        false);
  }

  private static String told(String body) {
    String text = body.strip();
    return text.length() > TOLD_CHARS ? text.substring(0, TOLD_CHARS) + "..." : text;
  }

  private JsonNode get(String path) throws Later {
    HttpRequest.Builder request =
        address
            .request(ROOT + path)
            .version(HttpClient.Version.HTTP_1_1)
            .timeout(RESPONSE_TIMEOUT)
            .header("X-Loki-Response-Encoding-Flags", "categorize-labels");
    String user = environment.getOrDefault("LOKI_USERNAME", "");
    if (!user.isEmpty()) {
      String both = user + ":" + environment.getOrDefault("LOKI_PASSWORD", "");
      byte[] bytes = both.getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
    }
    String tenant = environment.getOrDefault("LOKI_ORG_ID", "");
    if (!tenant.isEmpty()) {
      request.header("X-Scope-OrgID", tenant);
    }
    try {
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      int status = response.statusCode();
      if (status == 200) {
        return JsonNode.parse(response.body(), JsonNode.DEPTH_MAX, _ -> {});
      }
      String why = "%s answered %d: %s".formatted(address, status, told(response.body()));
      if (status != 408 && status != 429 && status < 500) {
        throw new QueryException.Remote(why);
      }
      String after = response.headers().firstValue("Retry-After").orElse("");
      long seconds = after.matches("\\d{1,9}") ? Long.parseLong(after) : 0;
      throw new Later(
          why, Math.min(RETRY_AFTER_SECONDS_MAX, seconds) * SECOND_NANOS, status != 429);
    } catch (JsonException bad) {
      throw new Later("%s: not JSON: %s".formatted(address, bad.getMessage()), 0, false);
    } catch (IOException failed) {
      throw new Later("no response of %s (%s)".formatted(address, failed), 0, true);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      stop.stop();
      throw new Later("interrupted", 1, false);
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
