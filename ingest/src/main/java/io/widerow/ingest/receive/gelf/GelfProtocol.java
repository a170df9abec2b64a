package io.widerow.ingest.receive.gelf;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.http.BodyCoding;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.socket.SocketProtocol;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// GELF over UDP and TCP, which are not answered, and `POST /gelf`: one message each, packed or
/// not, as its first bytes say. Senders name a `Content-Encoding` that is not that of the body.
public final class GelfProtocol implements WriteProtocol {
  private final GelfDecoder decoder;

  private GelfProtocol(@Nullable String type) {
    decoder = new GelfDecoder(type);
  }

  /// The listener of the key `gelf`.
  public static SocketProtocol protocol() {
    return new SocketProtocol("gelf", GelfStream::new, () -> new GelfDatagrams(System::nanoTime));
  }

  /// The endpoint of GELF over HTTP.
  public static List<HttpRoute> routes(WriteRoutes write) {
    return List.of(
        write.of(
            "/gelf",
            Set.of(HttpMethod.POST),
            (_, refused) -> error(refused),
            (context, request) -> new GelfProtocol(WriteRoutes.type(context, request))));
  }

  @Override
  public List<BodyCoding> codings(RequestHeaders headers) {
    return List.of(BodyCoding.BY_SIGHT);
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) {
    decoder.decode(body, 0, length, batch);
  }

  @Override
  public boolean decodesMore() {
    return true;
  }

  @Override
  public HttpResponse stored(BatchOutcome.Stored stored) {
    return stored.refused().count() == 0
        ? HttpResponse.of(ResponseHeaders.of(HttpStatus.ACCEPTED))
        : HttpResponses.text(HttpStatus.BAD_REQUEST, stored.refused().reason(0) + "\n");
  }

  @Override
  public HttpStatus diskFull() {
    return HttpStatus.SERVICE_UNAVAILABLE;
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return error(refused);
  }

  private static HttpResponse error(RequestRefused refused) {
    return HttpResponses.text(refused.status(), refused.reason() + "\n");
  }
}
