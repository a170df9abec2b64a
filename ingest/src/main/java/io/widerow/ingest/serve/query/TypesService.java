package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.serve.reply.QuerySlots;
import io.widerow.query.QueryException;
import io.widerow.query.TypeGlobs;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.TypesResult;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import java.util.List;

/// `GET /v1/types`: the types, with the number and the times of their events. The response comes
/// from indexes in memory; no event is read.
///
/// - Threads: any event loop; the work is done on the server's blocking executor, because a large
///   store has an index for each hour and type.
final class TypesService {
  private static final List<String> KNOWN = List.of("type", "format");

  /// Answers at a time: each holds the list of all types on the heap.
  private static final int ANSWERS_MAX = 4;

  /// Memory of a type: its index entry and at most three copies of its line.
  private static final long TYPE_BYTES = 480;

  private final QueryResources resources;
  private final QuerySlots slots = new QuerySlots(ANSWERS_MAX);

  TypesService(QueryResources resources) {
    this.resources = resources;
  }

  public List<HttpRoute> routes() {
    return List.of(HttpRoute.get("/v1/types", Tokens.Scope.QUERY, this::types));
  }

  private HttpResponse types(ServiceRequestContext context, HttpRequest request)
      throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), KNOWN);
    TypeGlobs wanted = new TypeGlobs(context.queryParams().getAll("type"));
    if (wanted.globs().contains("")) {
      throw RequestRefused.bad("type: is empty");
    }
    QueryParameters.Format format = format(context.queryParams().get("format", "json"));
    return slots.answer(context, () -> answer(context, wanted, format));
  }

  private static QueryParameters.Format format(String text) throws RequestRefused {
    return switch (text) {
      case "json" -> QueryParameters.Format.JSON;
      case "csv" -> QueryParameters.Format.CSV;
      default -> throw RequestRefused.bad("format: must be json or csv, got " + text);
    };
  }

  private HttpResponse answer(
      ServiceRequestContext context, TypeGlobs wanted, QueryParameters.Format format) {
    OutputBuffer out = new OutputBuffer(1 << 12);
    try (StoreView view = resources.store().view()) {
      List<TypeInfo> types = view.types(wanted);
      long held = TYPE_BYTES * types.size();
      var _ = context.log().whenComplete().thenRun(() -> resources.memory().hold(-held));
      resources.memory().hold(held);
      TypesResult.write(types, format, out);
    } catch (QueryException | StorageException failed) {
      return QueryErrors.of(failed);
    }
    return HttpResponse.of(
        ResponseHeaders.of(HttpStatus.OK, HttpHeaderNames.CONTENT_TYPE, format.contentType),
        HttpData.wrap(out.bytes(), 0, out.length()));
  }
}
