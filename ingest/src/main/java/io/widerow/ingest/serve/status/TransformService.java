package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.receive.json.SampleLine;
import io.widerow.ingest.transform.TransformMistake;
import io.widerow.ingest.transform.TransformSet;
import io.widerow.ingest.transform.TransformTrial;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongSupplier;

/// `POST /v1/transforms/try?sample=LINE&type=TYPE`: what each rule of the body does to the samples,
/// a line of JSON for each rule. Nothing is stored.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
public final class TransformService {
  private static final long FILE_BYTES_MAX = 1 << 20;
  private static final int SAMPLES_MAX = 100;
  private static final String TYPE = "sample";

  private final LongSupplier epochNanos;

  /// @param epochNanos current time, nanoseconds since the Unix epoch
  public TransformService(LongSupplier epochNanos) {
    this.epochNanos = epochNanos;
  }

  public List<HttpRoute> routes() {
    return List.of(HttpRoute.post("/v1/transforms/try", Tokens.Scope.ADMIN, this::attempt));
  }

  private HttpResponse attempt(ServiceRequestContext context, HttpRequest request)
      throws RequestRefused {
    QueryParams given = context.queryParams();
    Parameters.requireKnown(given, List.of("sample", "type"));
    List<String> samples = given.getAll("sample");
    String type = Parameters.single(given, "type");
    if (samples.isEmpty() || samples.size() > SAMPLES_MAX) {
      throw RequestRefused.bad(
          "sample: 1 to %d lines are required, got %d".formatted(SAMPLES_MAX, samples.size()));
    }
    context.setMaxRequestLength(FILE_BYTES_MAX);
    return HttpResponse.of(
        request
            .aggregate()
            .thenApplyAsync(
                whole ->
                    answer(
                        whole.content(StandardCharsets.UTF_8), samples, type == null ? TYPE : type),
                context.blockingTaskExecutor()));
  }

  private HttpResponse answer(String text, List<String> samples, String type) {
    long now = epochNanos.getAsLong();
    TransformSet set;
    try {
      set = TransformSet.parse(text, now);
    } catch (TransformMistake mistake) {
      return HttpResponses.error(
          HttpStatus.BAD_REQUEST, "transforms: " + String.valueOf(mistake.getMessage()));
    }
    StringBuilder lines = new StringBuilder();
    for (String sample : samples) {
      lines.append(
          TransformTrial.lines(
              TransformTrial.run(set, batch -> SampleLine.decode(type, sample, batch), now), text));
    }
    return HttpResponses.lines(HttpData.ofUtf8(lines.toString()));
  }
}
