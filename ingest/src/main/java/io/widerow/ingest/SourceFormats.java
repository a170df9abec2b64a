package io.widerow.ingest;

import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.RecordFormats;
import io.widerow.ingest.http.WriteRoutes;
import io.widerow.ingest.receive.gelf.GelfProtocol;
import io.widerow.ingest.receive.influx.InfluxProtocol;
import io.widerow.ingest.receive.json.EventsProtocol;
import io.widerow.ingest.receive.loki.LokiProtocol;
import io.widerow.ingest.receive.otlp.OtlpProtocol;
import io.widerow.ingest.receive.splunk.HecProtocol;
import io.widerow.ingest.receive.syslog.SyslogDecoder;
import java.time.ZoneId;
import java.util.List;

/// The formats of the records of sources: those of HTTP endpoints, and syslog.
public final class SourceFormats {
  private SourceFormats() {}

  /// Adds syslog, whose messages are records.
  ///
  /// @param zone of times that have none, unless the source names one
  static void addSyslog(RecordFormats formats, ZoneId zone) {
    formats.add(
        "syslog",
        parameters -> {
          String named = parameters.get("zone");
          var decoder = new SyslogDecoder(named == null ? zone : ZoneId.of(named));
          return (body, length, batch) -> decoder.decode(body, 0, length, batch);
        });
  }

  /// Checks the parameters of all sources as a start does.
  ///
  /// @throws IllegalArgumentException with the key in it
  public static void check(DaemonConfig config) {
    RecordFormats formats = new RecordFormats();
    WriteRoutes write = WriteRoutes.ofFormats(formats);
    List<HttpRoute> _ = EventsProtocol.routes(write);
    List<HttpRoute> _ = InfluxProtocol.routes(write);
    List<HttpRoute> _ = GelfProtocol.routes(write);
    List<HttpRoute> _ = HecProtocol.routes(write);
    List<HttpRoute> _ = OtlpProtocol.routes(write);
    List<HttpRoute> _ = LokiProtocol.routes(write, config.lokiDetectsLevels());
    addSyslog(formats, config.syslogZone());
    for (KafkaOptions source : config.kafka()) {
      try {
        RecordFormats.Decoder _ = formats.decoder(source, "any", true);
      } catch (IllegalArgumentException wrong) {
        throw new IllegalArgumentException(source.key() + ": " + wrong.getMessage(), wrong);
      }
    }
  }
}
