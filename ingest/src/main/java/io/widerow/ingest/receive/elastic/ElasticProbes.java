package io.widerow.ingest.receive.elastic;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.AsciiString;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The first requests of clients of Elasticsearch: the version of the server, and whether
/// templates, policies and pipelines are there. All are, and each that is put is acknowledged,
/// because none of them matters here.
final class ElasticProbes {
  private static final Set<HttpMethod> READS = Set.of(HttpMethod.GET, HttpMethod.HEAD);
  private static final Set<HttpMethod> ALL =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.PUT);

  /// The names of clients and agents that write to Elasticsearch.
  private static final Pattern CLIENTS =
      Pattern.compile("(?i)elastic|opensearch|beat|logstash|manticore|fluent|vector|otel");

  /// A header of Elastic's own clients.
  private static final AsciiString META = HttpHeaderNames.of("x-elastic-client-meta");

  private static final String LICENSE =
      """
      {"license":{"status":"active","uid":"00000000-0000-0000-0000-000000000000",\
      "type":"basic","issue_date_in_millis":0}}
      """;
  private static final String HEALTH =
      """
      {"cluster_name":"widerow","status":"green","timed_out":false,"number_of_nodes":1,\
      "number_of_data_nodes":1,"active_primary_shards":1,"active_shards":1,\
      "relocating_shards":0,"initializing_shards":0,"unassigned_shards":0}
      """;

  private ElasticProbes() {}

  /// `GET /` for a client.
  static HttpRoute banner(String version) {
    String json =
        """
        {"name":"widerow","cluster_name":"widerow","cluster_uuid":"d2lkZXJvdyBldmVudHMu",\
        "version":{"number":"%s","build_flavor":"default","build_type":"tar",\
        "build_hash":"0000000000000000000000000000000000000000",\
        "build_date":"2025-01-01T00:00:00.000Z","build_snapshot":false,\
        "lucene_version":"9.12.0","minimum_wire_compatibility_version":"7.17.0",\
        "minimum_index_compatibility_version":"7.0.0"},"tagline":"You Know, for Search"}
        """
            .formatted(version);
    return HttpRoute.probe("/", (_, request) -> ok(request, json))
        .withErrors(ElasticResponses.ERRORS);
  }

  static List<HttpRoute> routes() {
    return Stream.of(
            probe("/_license", LICENSE),
            probe("/_xpack", "{}\n"),
            probe("/_nodes", "{}\n"),
            probe("/_nodes/http", "{}\n"),
            probe("/_cluster/health", HEALTH),
            route("/_cat/health", READS, (_, request) -> shortHealth(request)),
            things("_ilm"),
            things("_index_template"),
            things("_template"),
            things("_component_template"),
            things("_ingest"),
            things("_data_stream"),
            things("_alias"),
            route("/{index}", READS, ElasticProbes::index))
        .toList();
  }

  private static HttpRoute probe(String path, String json) {
    return route(path, READS, (_, request) -> ok(request, json));
  }

  private static HttpRoute things(String kind) {
    return route("prefix:/" + kind + "/", ALL, ElasticProbes::thing);
  }

  private static HttpRoute route(String path, Set<HttpMethod> methods, HttpService service) {
    return new HttpRoute(path, methods, Tokens.Scope.INGEST, service, ElasticResponses.ERRORS);
  }

  /// For a client of Elasticsearch every index exists, and what it has is not found. For anybody
  /// else a path of one segment is one that does not exist.
  private static HttpResponse index(ServiceRequestContext context, HttpRequest request) {
    if (!isOfElastic(request)) {
      return HttpResponses.error(HttpStatus.NOT_FOUND, "no such endpoint: " + context.path());
    }
    return context.method() == HttpMethod.HEAD
        ? ok(request, "")
        : ElasticResponses.error(
            request, new RequestRefused(HttpStatus.NOT_FOUND, "no such path: " + context.path()));
  }

  private static boolean isOfElastic(HttpRequest request) {
    String agent = request.headers().get(HttpHeaderNames.USER_AGENT, "");
    return CLIENTS.matcher(agent).find()
        || request.headers().get(HttpHeaderNames.ACCEPT, "").contains("vnd.elasticsearch")
        || request.headers().contains(META);
  }

  private static HttpResponse thing(ServiceRequestContext context, HttpRequest request) {
    return ok(request, context.method() == HttpMethod.PUT ? "{\"acknowledged\":true}\n" : "{}\n");
  }

  private static HttpResponse ok(HttpRequest request, String json) {
    return ElasticResponses.json(HttpStatus.OK, request, json);
  }

  private static HttpResponse shortHealth(HttpRequest request) {
    String line = "0 00:00:00 widerow green 1 1 1 1 0 0 0 0 - 100.0%\n";
    return HttpResponse.of(
        ElasticResponses.headers(HttpStatus.OK, request)
            .contentType(MediaType.PLAIN_TEXT_UTF_8)
            .build(),
        HttpData.ofUtf8(line));
  }
}
