package io.widerow.ingest.receive.loki;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.http.BodyCoding;
import io.widerow.ingest.http.ErrorRenderer;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.lane.BatchOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// `POST /loki/api/v1/push` and `POST /api/prom/push`, with the responses of Loki. A body of
/// `application/json` is JSON. Any other, also without a type, is protobuf in a block of snappy,
/// whether `Content-Encoding` says so or not. Gzip or deflate may be around either.
///
/// | status | because |
/// |---|---|
/// | 204 | stored |
/// | 400 | some entries are refused, or the body is no request |
/// | 429 | too much is in progress: send it again |
/// | 503 | send it again: the disk is full, the daemon stops; loki4j repeats no other 5xx |
public final class LokiProtocol implements WriteProtocol {
  private static final ErrorRenderer ERRORS = (_, refused) -> refusal(refused);

  private final @Nullable LokiJsonDecoder json;
  private final LokiProtobufDecoder protobuf;

  /// @param detectLevels whether each entry gets the level that is found
  public static List<HttpRoute> routes(WriteRoutes write, boolean detectLevels) {
    Set<HttpMethod> post = Set.of(HttpMethod.POST);
    WriteProtocol.Factory protocols =
        (context, request) -> new LokiProtocol(context, request, detectLevels);
    return List.of(
        write.of("/loki/api/v1/push", post, ERRORS, protocols),
        write.of("/api/prom/push", post, ERRORS, protocols));
  }

  private LokiProtocol(ServiceRequestContext context, HttpRequest request, boolean detectLevels) {
    String type = WriteRoutes.type(context, request);
    MediaType media = request.contentType();
    boolean isJson = media != null && media.is(MediaType.JSON);
    json = isJson ? new LokiJsonDecoder(type, detectLevels) : null;
    protobuf = new LokiProtobufDecoder(type, detectLevels);
  }

  @Override
  public List<BodyCoding> codings(RequestHeaders headers) throws RequestRefused {
    String named = headers.get(HttpHeaderNames.CONTENT_ENCODING, "");
    if (named.strip().toLowerCase(Locale.ROOT).equals("snappy")) {
      return json == null ? List.of(BodyCoding.SNAPPY) : List.of(); // as Loki reads it
    }
    List<BodyCoding> codings = new ArrayList<>(BodyCoding.standard(headers));
    if (json == null) {
      codings.add(BodyCoding.SNAPPY);
    }
    return codings;
  }

  @Override
  public boolean isText() {
    return json != null;
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) throws RequestRefused {
    batch.equalBodiesAreRetries(); // as Loki drops equal lines at equal times of a stream
    try {
      LokiJsonDecoder text = json;
      if (text != null) {
        text.decode(body, length, batch);
      } else {
        protobuf.decode(body, length, batch);
      }
    } catch (ProtobufReader.Bad bad) {
      throw undecodable("no push request: " + bad.reason());
    } catch (JsonScanner.Bad bad) {
      throw undecodable("no push request: " + bad.getMessage());
    }
  }

  private static RequestRefused undecodable(String why) {
    return RequestRefused.bad(why + "; nothing of it is stored");
  }

  @Override
  public HttpStatus diskFull() {
    return HttpStatus.SERVICE_UNAVAILABLE;
  }

  @Override
  public boolean decodesMore() {
    return true;
  }

  @Override
  public HttpResponse stored(BatchOutcome.Stored outcome) {
    Refusals refused = outcome.refused();
    int stored = outcome.stored();
    if (refused.count() == 0) {
      return HttpResponse.of(HttpStatus.NO_CONTENT);
    }
    String first =
        refused.listed() == 0
            ? ""
            : "; the first is entry %d: %s".formatted(refused.index(0) + 1, refused.reason(0));
    return HttpResponses.text(
        HttpStatus.BAD_REQUEST,
        "%d of %d entries are refused%s%s\n"
            .formatted(
                refused.count(),
                refused.count() + stored,
                stored == 0 ? "" : ", the others are stored",
                first));
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return refusal(refused);
  }

  private static HttpResponse refusal(RequestRefused refused) {
    HttpStatus status = refused.isOverload() ? HttpStatus.TOO_MANY_REQUESTS : refused.status();
    return HttpResponses.text(status, refused.reason() + "\n");
  }
}
