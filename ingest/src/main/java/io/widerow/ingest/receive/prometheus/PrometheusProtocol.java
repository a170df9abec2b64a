package io.widerow.ingest.receive.prometheus;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.http.BodyCoding;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.http.WriteProtocol;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.series.SeriesCache;
import io.widerow.ingest.series.SeriesCaches;
import io.widerow.ingest.series.StoredDescriptions;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Prometheus remote write: `POST /api/v1/write`, a block of snappy around a message of protobuf.
/// When some samples are refused the response is 400, which Prometheus does not retry, and the
/// others are stored. A sender of version 2.0 gets the numbers of stored samples and histograms.
///
/// Source: prometheus/docs `docs/specs/prw/`.
public final class PrometheusProtocol implements WriteProtocol {
  private static final String WRITTEN = "x-prometheus-remote-write-%s-written";
  private static final String SAMPLES = WRITTEN.formatted("samples");
  private static final String HISTOGRAMS = WRITTEN.formatted("histograms");
  private static final String EXEMPLARS = WRITTEN.formatted("exemplars");

  private final MessageVersion version;
  private final Shared shared;
  private final RemoteWriteDecoder decoder;
  private final BitSet refusedHistograms = new BitSet(); // by the decoder, by index
  private String firstReason = "the store refused it";
  private int decoded;

  /// The state that all requests share.
  ///
  /// @param exemplars that were left out
  private record Shared(SeriesCaches caches, MetadataTable metadata, Counter exemplars) {}

  private PrometheusProtocol(MessageVersion version, @Nullable String type, Shared shared) {
    this.version = version;
    this.shared = shared;
    decoder = new RemoteWriteDecoder(version, type, shared.metadata);
  }

  /// @param data the directory of the store, in which the descriptions of metrics are kept
  /// @param stored the descriptions that data points in the store carry
  public static List<HttpRoute> routes(
      WriteRoutes write, Path data, MeterRegistry registry, StoredDescriptions stored) {
    Runtime runtime = Runtime.getRuntime();
    Shared shared =
        new Shared(
            new SeriesCaches(runtime.maxMemory(), runtime.availableProcessors()),
            new MetadataTable(data),
            Counter.builder("widerow.prometheus.exemplars.left.out").register(registry));
    return List.of(
        write.of(
            "/api/v1/write",
            Set.of(HttpMethod.POST),
            (_, refused) -> answer(refused.status(), refused.reason(), null),
            (context, request) ->
                new PrometheusProtocol(
                    MessageVersion.of(request.headers()),
                    WriteRoutes.type(context, request),
                    shared)),
        new MetadataService(shared.metadata, stored).route());
  }

  @Override
  public List<BodyCoding> codings(RequestHeaders headers) throws RequestRefused {
    String named = headers.get(HttpHeaderNames.CONTENT_ENCODING, "").strip();
    if (!named.isEmpty() && !named.toLowerCase(Locale.ROOT).equals("snappy")) {
      throw BodyCoding.unknown("snappy", named);
    }
    return List.of(BodyCoding.SNAPPY);
  }

  @Override
  public boolean isText() {
    return false;
  }

  /// A message that has the fields of both versions is another one in each.
  @Override
  public String decidingHeaders() {
    return version == MessageVersion.ONE ? "" : "content-type: " + version.message;
  }

  @Override
  public void decode(byte[] body, int length, IncomingBatch batch) throws RequestRefused {
    SeriesCache cache = shared.caches.take();
    try {
      decoder.decode(body, length, batch, cache);
    } finally {
      shared.caches.give(cache);
    }
    keepDescriptions();
    Refusals refused = batch.refused;
    decoded = batch.decoded();
    if (refused.count() > 0) {
      firstReason = refused.reason(0);
    }
    for (int i = 0; i < refused.listed(); i++) {
      int index = refused.index(i);
      refusedHistograms.set(index, decoder.histograms().get(index));
    }
  }

  /// Makes them durable before they are acknowledged.
  private void keepDescriptions() throws RequestRefused {
    if (decoder.descriptions().isEmpty()) {
      return;
    }
    try {
      shared.metadata.keep(decoder.descriptions());
    } catch (IOException failed) {
      throw new RequestRefused(
          HttpStatus.SERVICE_UNAVAILABLE,
          "the descriptions of metrics cannot be written: %s; nothing is stored"
              .formatted(FailureReason.of(failed)));
    }
  }

  @Override
  public HttpResponse stored(BatchOutcome.Stored stored) {
    if (!stored.repeated()) {
      shared.exemplars.increment(decoder.exemplarsLeftOut());
    }
    Refusals refused = stored.refused();
    Written written = version == MessageVersion.TWO ? written(stored) : null;
    if (refused.count() == 0) {
      return answer(HttpStatus.NO_CONTENT, "", written);
    }
    String why = refused.listed() > 0 ? refused.reason(0) : firstReason;
    String others = stored.stored() > 0 ? ", the others are stored" : "";
    return answer(
        HttpStatus.BAD_REQUEST,
        "%d of %d refused%s; the first: %s".formatted(refused.count(), decoded, others, why),
        written);
  }

  /// The response headers for a sender of version 2.0.
  private record Written(long samples, long histograms, long exemplars) {}

  /// Returns the numbers of items that are stored, now or earlier. The decoder refuses the same in
  /// a retry. The ledger may have lost the list of the events that the store refused; then all of
  /// them count as samples, as far as there are any.
  private Written written(BatchOutcome.Stored stored) {
    BitSet lost = (BitSet) refusedHistograms.clone();
    BitSet exemplars = (BitSet) decoder.exemplars().clone();
    Refusals refused = stored.refused();
    for (int i = 0; i < refused.listed(); i++) {
      int index = refused.index(i);
      lost.set(index, decoder.histograms().get(index));
      exemplars.clear(index);
    }
    int histograms = decoder.histograms().cardinality() - lost.cardinality();
    histograms = Math.min(histograms, stored.stored());
    int others = stored.stored() - histograms;
    int kept = Math.min(exemplars.cardinality(), others);
    return new Written(others - kept, histograms, kept);
  }

  @Override
  public HttpResponse refuse(RequestRefused refused) {
    boolean tells = version == MessageVersion.TWO;
    return answer(refused.status(), refused.reason(), tells ? new Written(0, 0, 0) : null);
  }

  private static HttpResponse answer(HttpStatus status, String text, @Nullable Written written) {
    ResponseHeadersBuilder headers = ResponseHeaders.builder(status);
    if (written != null) {
      headers.addLong(SAMPLES, written.samples);
      headers.addLong(HISTOGRAMS, written.histograms);
      headers.addLong(EXEMPLARS, written.exemplars);
    }
    if (text.isEmpty()) {
      return HttpResponse.of(headers.build());
    }
    headers.contentType(MediaType.PLAIN_TEXT_UTF_8);
    HttpResponses.addAdvice(headers);
    return HttpResponse.of(headers.build(), HttpData.ofUtf8(text + "\n"));
  }
}
