package io.widerow.ingest;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.decode.ProtobufBytes.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.xerial.snappy.Snappy;

/// Makes queries that ask for more memory, stack or time than a daemon has, for every door. The
/// same seed makes the same queries.
///
/// - Threads: one.
final class HostileQueries extends HostileTexts {
  /// The end of the hour in which the events of the store are, seconds since the Unix epoch.
  static final long NOW_SECONDS = 1_700_000_000L;

  /// Where a query goes.
  enum Door {
    LINES,
    SAMPLES,
    TAIL,
    DISCOVERY,
    EVENTS,
    FIGURES,
    SURVEY,
    CQL,
    PROMETHEUS
  }

  /// A query.
  ///
  /// @param path with its parameters; a statement of CQL
  /// @param body of a POST; empty for a GET
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Query(Door door, String path, byte[] body, String contentType) {
    @Override
    public String toString() {
      String sent = body.length == 0 ? "" : " " + new String(body, StandardCharsets.ISO_8859_1);
      String all = door + " " + path + sent;
      return all.length() > 600 ? all.substring(0, 600) + "... of " + all.length() : all;
    }
  }

  private final HostileLogql logql;
  private final HostileFilters filters;
  private final HostileCql cql;

  HostileQueries(long seed) {
    super(new Random(seed));
    this.logql = new HostileLogql(random);
    this.filters = new HostileFilters(random);
    this.cql = new HostileCql(random);
  }

  Query next() {
    Door door = one(Door.values());
    return switch (door) {
      case LINES -> lines();
      case SAMPLES -> samples();
      case TAIL ->
          new Query(
              door, "/loki/api/v1/tail?" + form("query", logql.log(), "start", start()), NONE, "");
      case DISCOVERY -> discovery();
      case EVENTS -> events();
      case FIGURES -> figures();
      case SURVEY -> survey();
      case CQL -> new Query(door, cql.statement(), NONE, "");
      case PROMETHEUS -> prometheus();
    };
  }

  private static final byte[] NONE = {};

  private static String form(String... pairs) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      if (!pairs[i + 1].isEmpty()) {
        parts.add(pairs[i] + "=" + URLEncoder.encode(pairs[i + 1], StandardCharsets.UTF_8));
      }
    }
    return String.join("&", parts);
  }

  private Query posted(Door door, String path, String form) {
    return new Query(
        door, path, form.getBytes(StandardCharsets.UTF_8), "application/x-www-form-urlencoded");
  }

  private Query lines() {
    String form =
        form(
            "query", logql.log(),
            "limit", one("", "1", "5000", "1000000", huge()),
            "direction", one("", "forward", "backward"),
            "start", start(),
            "end", end());
    return posted(Door.LINES, "/loki/api/v1/query_range", form);
  }

  private Query samples() {
    String query = logql.metric(4);
    boolean instant = random.nextBoolean();
    String form =
        form(
            "query",
            query,
            instant ? "time" : "end",
            end(),
            "start",
            start(),
            "step",
            instant ? "" : one("", "1", "60", "0.001", duration(), huge()));
    return posted(Door.SAMPLES, "/loki/api/v1/query" + (instant ? "" : "_range"), form);
  }

  private Query discovery() {
    String range = form("start", start(), "end", end()) + "&";
    return switch (random.nextInt(9)) {
      case 0 ->
          posted(Door.DISCOVERY, "/loki/api/v1/labels", range + form("query", logql.selector()));
      case 1 ->
          posted(
              Door.DISCOVERY,
              "/loki/api/v1/label/" + label() + "/values",
              range + form("query", logql.selector()));
      case 2 ->
          posted(
              Door.DISCOVERY,
              "/loki/api/v1/series",
              range + repeated("&", many(3, 200), () -> form("match[]", logql.selector())));
      case 3 ->
          posted(Door.DISCOVERY, "/loki/api/v1/index/stats", range + form("query", logql.log()));
      case 4 ->
          posted(
              Door.DISCOVERY,
              "/loki/api/v1/index/" + one("volume", "volume_range"),
              range
                  + form(
                      "query", logql.log(),
                      "step", one("1", "60", duration()),
                      "aggregateBy", one("", "labels", "series"),
                      "targetLabels", repeated(",", many(3, 500), this::label),
                      "limit", huge()));
      case 5 ->
          posted(
              Door.DISCOVERY,
              "/loki/api/v1/detected_" + one("labels", "fields"),
              range + form("query", logql.log(), "line_limit", huge(), "limit", huge()));
      case 6 ->
          posted(
              Door.DISCOVERY,
              "/loki/api/v1/detected_field/" + label() + "/values",
              range + form("query", logql.log(), "line_limit", "1000000"));
      case 7 ->
          posted(
              Door.DISCOVERY,
              "/loki/api/v1/patterns",
              range + form("query", logql.log(), "step", one("1", "60", duration())));
      default ->
          posted(Door.DISCOVERY, "/loki/api/v1/format_query", form("query", logql.metric(6)));
    };
  }

  private Query events() {
    return switch (random.nextInt(4)) {
      case 0 ->
          get(
              Door.EVENTS,
              "/v1/export",
              form(
                  "type",
                  type(),
                  "where",
                  filters.where(),
                  "format",
                  one("ndjson", "csv", "parquet")));
      case 1 ->
          get(
              Door.EVENTS,
              "/v1/tail",
              form(
                  "type",
                  type(),
                  "where",
                  filters.where(),
                  "last",
                  one("0", "100", "10000", huge())));
      default ->
          get(
              Door.EVENTS,
              "/v1/query",
              form(
                  "type", type(),
                  "where", filters.where(),
                  "fields", seldom() ? filters.names(2_000) : "",
                  "format", one("", "csv", "json"),
                  "order", one("", "asc", "desc"),
                  "limit", one("", "", "10", huge())));
    };
  }

  private Query figures() {
    String stats = repeated(",", many(4, 2_000), filters::aggregate);
    boolean steps = seldom();
    return get(
        Door.FIGURES,
        steps ? "/v1/tail" : "/v1/query",
        form(
            "type", type(),
            "where", filters.where(),
            "stats", stats,
            "by",
                seldom()
                    ? filters.names(500)
                    : one("", "uid", "host", "n", "body", "a,b", "type,uid"),
            "every", one("", "1ns", "1us", "1s", "1m", duration()),
            "bars", seldom() && !steps ? huge() : "",
            "order-by", steps ? "" : one("", stats.split(",", -1)[0] + " desc"),
            "format", steps ? "" : one("", "csv"),
            "limit", steps ? "" : one("", "", "10", huge())));
  }

  private Query survey() {
    String path =
        one(
            "/v1/fields",
            "/v1/fields/" + one("uid", "n", "body", "k1", "host"),
            "/v1/patterns",
            "/v1/diff",
            "/v1/types",
            "/v1/partitions");
    return get(
        Door.SURVEY,
        path,
        form(
            "type", type(),
            "where", path.matches("/v1/(fields.*|patterns|diff)") ? filters.where() : "",
            "from", path.equals("/v1/diff") ? one("1h", "2023-11-14T22:00:00Z") : "",
            "limit", path.matches("/v1/(fields|diff)") && seldom() ? huge() : ""));
  }

  private static Query get(Door door, String path, String form) {
    String all = path + "?" + form;
    return new Query(door, cut(all), NONE, "");
  }

  /// At most 60,000 characters of a path, without a part of an escape.
  private static String cut(String path) {
    String begun = path.length() > 60_000 ? path.substring(0, 60_000) : path;
    int escape = begun.lastIndexOf('%');
    return escape > begun.length() - 3 && escape >= 0 ? begun.substring(0, escape) : begun;
  }

  private Query prometheus() {
    if (seldom()) {
      return posted(
          Door.PROMETHEUS,
          "/api/v1/series",
          repeated("&", many(2, 300), () -> form("match[]", logql.selector())));
    }
    if (seldom()) {
      return get(Door.PROMETHEUS, one("/api/v1/labels", "/api/v1/label/uid/values"), "");
    }
    List<byte[]> queries = new ArrayList<>();
    int count = many(2, 300);
    for (int i = 0; i < count; i++) {
      List<byte[]> matchers = new ArrayList<>();
      int most = many(3, 300);
      for (int j = 0; j < most; j++) {
        matchers.add(
            message(
                3,
                number(1, random.nextInt(4)),
                text(2, one("__name__", label(), "n")),
                text(3, one(type(), regex(), ""))));
      }
      long until = NOW_SECONDS * 1_000;
      queries.add(
          message(
              1,
              number(1, one(0L, until - 3_600_000)),
              number(2, one(until, Long.MAX_VALUE)),
              join(matchers.toArray(byte[][]::new))));
    }
    byte[] all = join(queries.toArray(byte[][]::new));
    byte[] deep = seldom() ? "\u000b".repeat(20_000).getBytes(StandardCharsets.ISO_8859_1) : NONE;
    byte[] chunks = random.nextBoolean() ? message(2, new byte[] {1, 0}) : NONE;
    try {
      return new Query(
          Door.PROMETHEUS,
          "/api/v1/read",
          Snappy.compress(join(all, chunks, deep)),
          "application/x-protobuf");
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }
}
