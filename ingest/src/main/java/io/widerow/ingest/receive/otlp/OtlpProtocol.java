package io.widerow.ingest.receive.otlp;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.http.BodyCoding;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.lane.BatchOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// OTLP over HTTP and over gRPC. A gRPC request is read as any other, so that its body is admitted
/// before it is read.
public final class OtlpProtocol implements WriteProtocol {
  private static final String SERVICES = "/opentelemetry.proto.collector.";

  private final OtlpDecoder decoder;
  private final Transport transport;
  private final String rejected; // the name of the number of refused records, in JSON

  private OtlpProtocol(OtlpDecoder decoder, Transport transport, String rejected) {
    this.decoder = decoder;
    this.transport = transport;
    this.rejected = rejected;
  }

  public static List<HttpRoute> routes(WriteRoutes write) {
    List<HttpRoute> routes = new ArrayList<>();
    add(routes, write, "logs", "logs.v1.LogsService", "rejectedLogRecords", LogDecoder::new);
    add(
        routes,
        write,
        "metrics",
        "metrics.v1.MetricsService",
        "rejectedDataPoints",
        MetricDecoder::new);
    add(routes, write, "traces", "trace.v1.TraceService", "rejectedSpans", SpanDecoder::new);
    return routes;
  }

  private static void add(
      List<HttpRoute> routes,
      WriteRoutes write,
      String kind,
      String service,
      String rejected,
      Function<@Nullable String, OtlpDecoder> decoders) {
    for (String path : List.of("/v1/" + kind, "/otlp/v1/" + kind)) {
      routes.add(
          write.of(
              path,
              Set.of(HttpMethod.POST),
              (context, refused) ->
                  OtlpResponses.refused(
                      isProtobuf(context.request()) ? Transport.PROTOBUF : Transport.JSON, refused),
              (context, request) ->
                  new OtlpProtocol(
                      decoders.apply(WriteRoutes.type(context, request)),
                      transport(request),
                      rejected)));
    }
    routes.add(
        write.of(
            SERVICES + service + "/Export",
            Set.of(HttpMethod.POST),
            (context, refused) -> OtlpResponses.refused(Transport.GRPC, refused),
            (context, request) ->
                new OtlpProtocol(
                    decoders.apply(WriteRoutes.type(context, request)), Transport.GRPC, rejected)));
  }

  private static Transport transport(HttpRequest request) throws RequestRefused {
    if (isProtobuf(request)) {
      return Transport.PROTOBUF;
    }
    MediaType type = request.headers().contentType();
    if (type != null && type.is(MediaType.JSON)) {
      return Transport.JSON;
    }
    throw new RequestRefused(
        HttpStatus.UNSUPPORTED_MEDIA_TYPE,
        "Content-Type must be application/x-protobuf or application/json, got "
            + request.headers().get("content-type", "none"));
  }

  private static boolean isProtobuf(HttpRequest request) {
    MediaType type = request.headers().contentType();
    return type != null && (type.is(OtlpResponses.PROTOBUF) || type.is(MediaType.PROTOBUF));
  }

  @Override
  public List<BodyCoding> codings(RequestHeaders headers) throws RequestRefused {
    if (transport != Transport.GRPC) {
      return BodyCoding.standard(headers);
    }
    String named = headers.get("grpc-encoding", "identity");
    return switch (named.toLowerCase(Locale.ROOT)) {
      case "identity" -> List.of(BodyCoding.GRPC);
      case "gzip" -> List.of(BodyCoding.GRPC, BodyCoding.GZIP);
      case "deflate" -> List.of(BodyCoding.GRPC, BodyCoding.DEFLATE);
      case "zstd" -> List.of(BodyCoding.GRPC, BodyCoding.ZSTD);
      default ->
          throw new RequestRefused(
              HttpStatus.UNSUPPORTED_MEDIA_TYPE,
              "grpc-encoding must be identity, gzip, deflate or zstd, got " + named);
    };
  }

  @Override
  public boolean isText() {
    return transport == Transport.JSON;
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) throws RequestRefused {
    try {
      if (transport == Transport.JSON) {
        decoder.decodeJson(body, length, batch);
      } else {
        decoder.decode(body, length, batch);
      }
    } catch (ProtobufReader.Bad bad) {
      throw bad(bad.reason());
    } catch (BadField bad) {
      throw bad(bad.reason());
    }
  }

  private static RequestRefused bad(String reason) {
    return RequestRefused.bad("the body is no request of OTLP: " + reason);
  }

  @Override
  public boolean decodesMore() {
    return true;
  }

  @Override
  public HttpResponse stored(BatchOutcome.Stored stored) {
    return OtlpResponses.stored(transport, rejected, stored);
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return OtlpResponses.refused(transport, refused);
  }
}
