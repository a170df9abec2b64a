package io.widerow.ingest.receive.journald;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.StreamProtocol;
import io.widerow.ingest.http.WriteRoutes;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// `POST /upload`, as `systemd-journal-upload` sends its journal. The client can send no header of
/// its own before systemd 258, but it appends `/upload` to the URL that it is given, so that a
/// token may stand before that.
///
/// A response of 2xx makes the client save its cursor. Any other ends it, and its unit starts it
/// again from the cursor that it saved last.
public final class JournalProtocol implements StreamProtocol {
  private final JournalFramer framer = new JournalFramer();
  private final JournalDecoder decoder;
  private final int entryBytesMax;

  private JournalProtocol(int entryBytesMax, @Nullable String type) {
    this.entryBytesMax = entryBytesMax;
    this.decoder = new JournalDecoder(type);
  }

  /// @param entryBytesMax largest entry, as it is sent
  public static List<HttpRoute> routes(WriteRoutes write, int entryBytesMax) {
    return Stream.of("/upload", "/{token}/upload")
        .map(path ->
            write.stream(
                path,
                (_, refused) -> text(refused.status(), refused.reason() + "\n"),
                (context, request) ->
                    new JournalProtocol(entryBytesMax, WriteRoutes.type(context, request))))
        .toList();
  }

  @Override
  public int frameBytesMax() {
    return entryBytesMax;
  }

  @Override
  public int frameEnd(byte[] bytes, int offset, int limit) throws RequestRefused {
    return framer.frameEnd(bytes, offset, limit);
  }

  @Override
  public void endFrame() throws RequestRefused {
    framer.end();
  }

  @Override
  public void decode(byte[] bytes, int offset, int limit, IncomingBatch batch) {
    decoder.decode(bytes, offset, limit, batch);
  }

  @Override
  public HttpResponse answer() {
    return text(HttpStatus.ACCEPTED, "OK.\n");
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    return text(refused.status(), refused.reason() + "\n");
  }

  /// From systemd 258 on the client compresses in the form that the response offers.
  private static HttpResponse text(HttpStatus status, String text) {
    ResponseHeadersBuilder headers =
        ResponseHeaders.builder(status)
            .contentType(MediaType.PLAIN_TEXT_UTF_8)
            .add(HttpHeaderNames.ACCEPT_ENCODING, "zstd");
    HttpResponses.addAdvice(headers);
    return HttpResponse.of(headers.build(), HttpData.ofUtf8(text));
  }
}
