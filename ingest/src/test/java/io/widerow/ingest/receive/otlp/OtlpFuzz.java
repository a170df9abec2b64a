package io.widerow.ingest.receive.otlp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.util.JsonFormat;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.widerow.ingest.MalformedTest;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufReader;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Fuzz targets of OTLP: its three signals, as protobuf and as JSON. A request that is refused as a
/// whole may have decoded some of its events, which are dropped with their batch.
@SuppressWarnings("ImmutableEnumChecker") // constructors
public enum OtlpFuzz {
  LOGS("log", () -> new LogDecoder(null)),
  METRICS("metric point histogram exponential summary", () -> new MetricDecoder(null)),
  TRACES("span", () -> new SpanDecoder("t"));

  private static final String PROTOBUF = "malformed.otlp-protobuf";
  private static final String JSON = "malformed.otlp-json";
  private static final int SEED_BYTES_MAX = 4_096;

  private final String kinds;
  private final Supplier<OtlpDecoder> decoders;

  OtlpFuzz(String kinds, Supplier<OtlpDecoder> decoders) {
    this.kinds = kinds;
    this.decoders = decoders;
  }

  /// A bad record of the corpus: which kind of record it is, and its bytes.
  record Case(String kind, String text) {
    static List<Case> all(boolean json) {
      return MalformedTest.corpus(json ? JSON : PROTOBUF).stream()
          .map(line -> {
            int space = line.indexOf(' ');
            return new Case(line.substring(0, space), line.substring(space + 1));
          })
          .toList();
    }

    byte[] bytes(boolean json) {
      String expanded = MalformedTest.expand(json ? text : text.substring(0, text.indexOf(" # ")));
      return json ? expanded.getBytes(ISO_8859_1) : HexFormat.of().parseHex(expanded);
    }
  }

  static OtlpFuzz of(String kind) {
    return Stream.of(values())
        .filter(signal -> List.of(signal.kinds.split(" ", -1)).contains(kind))
        .findFirst()
        .orElseThrow();
  }

  public List<byte[]> seeds(boolean json) {
    List<byte[]> seeds = new ArrayList<>();
    RandomMessages random = new RandomMessages(7);
    for (int i = 0; i < 20; i++) {
      seeds.add(json ? jsonOf(random).getBytes(UTF_8) : protobufOf(random));
    }
    for (Case bad : Case.all(json)) {
      byte[] record = bad.bytes(json);
      if (of(bad.kind()) == this && record.length < SEED_BYTES_MAX) {
        seeds.add(OtlpRequests.around(bad.kind(), json, record));
      }
    }
    return seeds;
  }

  private com.google.protobuf.Message message(RandomMessages random) {
    return switch (this) {
      case LOGS -> ExportLogsServiceRequest.newBuilder().addResourceLogs(random.logs()).build();
      case METRICS ->
          ExportMetricsServiceRequest.newBuilder().addResourceMetrics(random.metrics()).build();
      case TRACES ->
          ExportTraceServiceRequest.newBuilder().addResourceSpans(random.spans()).build();
    };
  }

  private byte[] protobufOf(RandomMessages random) {
    return message(random).toByteArray();
  }

  private String jsonOf(RandomMessages random) {
    try {
      return JsonFormat.printer().omittingInsignificantWhitespace().print(message(random));
    } catch (com.google.protobuf.InvalidProtocolBufferException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /// Decodes a request.
  ///
  /// @return why it is refused as a whole; null when it is not
  @Nullable String tryDecode(boolean json, byte[] body, int limit, IncomingBatch batch) {
    try {
      if (json) {
        decoders.get().decodeJson(body, limit, batch);
      } else {
        decoders.get().decode(body, limit, batch);
      }
      return null;
    } catch (ProtobufReader.Bad bad) {
      return bad.reason();
    } catch (BadField bad) {
      return bad.reason();
    }
  }

  public void decode(boolean json, byte[] body, int limit, IncomingBatch batch) {
    String why = tryDecode(json, body, limit, batch);
    if (why != null && !why.matches("(?s).+ at byte \\d+.*")) {
      throw new AssertionError("no place in: " + why);
    }
  }
}
