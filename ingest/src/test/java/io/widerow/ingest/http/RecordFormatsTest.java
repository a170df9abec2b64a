package io.widerow.ingest.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventBatch;
import io.widerow.faults.Seeds;
import io.widerow.fuzz.Mutator;
import io.widerow.ingest.FuzzTargets;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.receive.fluent.FluentDecoding;
import io.widerow.ingest.receive.gelf.GelfProtocol;
import io.widerow.ingest.receive.influx.InfluxProtocol;
import io.widerow.ingest.receive.json.EventsProtocol;
import io.widerow.ingest.receive.loki.LokiProtocol;
import io.widerow.ingest.receive.otlp.OtlpProtocol;
import io.widerow.ingest.receive.splunk.HecProtocol;
import io.widerow.storage.Durability;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a decoder of records gives for each record what a new one gives, whatever it has decoded
/// before: good records, damaged ones, and ones that end early.
class RecordFormatsTest {
  private static final int RECORDS = 1_500;
  private static final long ARRIVAL_NANOS = 1_700_000_000_000_000_000L;

  private final RecordFormats formats = new RecordFormats();

  RecordFormatsTest() {
    var write = new WriteRoutes(FluentDecoding.INTAKE, Durability.DISK, formats);
    var routes = new ArrayList<HttpRoute>(EventsProtocol.routes(write));
    routes.addAll(GelfProtocol.routes(write));
    routes.addAll(HecProtocol.routes(write));
    routes.addAll(InfluxProtocol.routes(write));
    routes.addAll(LokiProtocol.routes(write, true));
    routes.addAll(OtlpProtocol.routes(write));
    assertEquals(routes.stream().map(HttpRoute::path).distinct().count(), routes.size());
  }

  @ParameterizedTest
  @CsvSource({
    "JSON_LINES, /v1/events, application/x-ndjson",
    "TEXT_LINES, /v1/events, text/plain",
    "LINE_PROTOCOL, /write, text/plain",
    "GELF, /gelf, application/json",
    "HEC, /services/collector/event, application/json",
    "LOKI_JSON, /loki/api/v1/push, application/json",
    "LOKI_PROTOBUF, /loki/api/v1/push, application/x-protobuf",
    "OTLP_LOGS, /v1/logs, application/x-protobuf",
    "OTLP_LOGS_JSON, /v1/logs, application/json",
    "OTLP_METRICS, /v1/metrics, application/x-protobuf",
    "OTLP_TRACES_JSON, /v1/traces, application/json",
  })
  void recordsDoNotLearnFromEachOther(FuzzTargets target, String path, String contentType)
      throws IOException {
    Map<String, String> parameters = path.equals("/v1/events") ? Map.of("type", "t") : Map.of();
    RecordFormats.Decoder kept = formats.decoder(path, contentType, parameters);
    List<byte[]> seeds = target.allSeeds();
    Mutator mutator = new Mutator(new SplittableRandom(Seeds.one()), seeds);
    for (int i = 0; i < RECORDS; i++) {
      byte[] record = i % 3 == 0 ? seeds.get(i / 3 % seeds.size()) : mutator.next();
      String once = decoded(formats.decoder(path, contentType, parameters), record);
      assertEquals(once, decoded(kept, record), () -> HexFormat.of().formatHex(record));
    }
  }

  private static String decoded(RecordFormats.Decoder decoder, byte[] record) {
    try (EventBatch events = new EventBatch(1 << 10, 16 << 20)) {
      IncomingBatch batch = new IncomingBatch(events, ARRIVAL_NANOS);
      byte[] body = Arrays.copyOf(record, record.length + Swar.SLACK_BYTES);
      try {
        decoder.decode(body, record.length, batch);
      } catch (RequestRefused refused) {
        return refused.reason();
      }
      var text = new StringBuilder();
      for (int i = 0; i < batch.refused.listed(); i++) {
        text.append(batch.refused.index(i)).append(batch.refused.reason(i)).append('\n');
      }
      byte[] stored = events.memory().asSlice(0, events.bytes()).toArray(ValueLayout.JAVA_BYTE);
      return text + HexFormat.of().formatHex(stored);
    }
  }
}
