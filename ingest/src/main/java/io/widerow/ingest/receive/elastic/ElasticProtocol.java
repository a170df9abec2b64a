package io.widerow.ingest.receive.elastic;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.lane.BatchOutcome;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// `POST /_bulk` and `POST /{index}/_bulk` as Elasticsearch answers them, and its probes.
public final class ElasticProtocol implements WriteProtocol {
  private static final Set<HttpMethod> WRITES = Set.of(HttpMethod.POST, HttpMethod.PUT);

  private final HttpRequest request;
  private final BulkDecoder decoder;
  private final long startNanos = System.nanoTime();
  private Refusals decoded = new Refusals();

  private ElasticProtocol(ServiceRequestContext context, HttpRequest request) {
    this.request = request;
    this.decoder = new BulkDecoder(context.pathParam("index"), WriteRoutes.type(context, request));
  }

  public static List<HttpRoute> routes(WriteRoutes write) {
    return Stream.concat(
            Stream.of("/_bulk", "/{index}/_bulk")
                .map(path -> write.of(path, WRITES, ElasticResponses.ERRORS, ElasticProtocol::new)),
            ElasticProbes.routes().stream())
        .toList();
  }

  /// The response of `GET /` to a client.
  ///
  /// @param version of Elasticsearch in the banner, such as `8.19.0`
  public static HttpRoute banner(String version) {
    return ElasticProbes.banner(version);
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) throws RequestRefused {
    decoded = batch.refused;
    decoder.decode(body, length, batch);
  }

  @Override
  public HttpStatus diskFull() {
    return HttpStatus.SERVICE_UNAVAILABLE;
  }

  @Override
  public HttpResponse stored(BatchOutcome.Stored stored) {
    Refusals told = stored.refused();
    Refusals refused = told;
    int unlistedFrom = Integer.MAX_VALUE;
    if (told.listed() < told.count()) {
      // Of a repeat the ledger may keep the first of many. What the decoder refuses it knows again.
      refused = told.with(decoded);
      if (refused.listed() < refused.count()) {
        unlistedFrom = told.listed() == 0 ? 0 : told.index(told.listed() - 1) + 1;
      }
    }
    if (stored.stored() == 0 && refused.count() > 0) {
      unlistedFrom = 0;
    }
    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    return new BulkResponse(decoder.items(), refused, unlistedFrom)
        .response(ElasticResponses.headers(HttpStatus.OK, request).build(), took);
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return ElasticResponses.error(request, refused);
  }
}
