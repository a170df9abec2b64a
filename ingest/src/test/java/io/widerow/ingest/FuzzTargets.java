package io.widerow.ingest;

import io.widerow.fuzz.FuzzReader;
import io.widerow.fuzz.FuzzTarget;
import io.widerow.ingest.decode.ProtobufFuzz;
import io.widerow.ingest.intake.BodyFuzz;
import io.widerow.ingest.receive.datadog.DatadogFuzz;
import io.widerow.ingest.receive.fluent.FluentFuzz;
import io.widerow.ingest.receive.gelf.GelfFuzz;
import io.widerow.ingest.receive.journald.JournalFuzz;
import io.widerow.ingest.receive.loki.LokiFuzz;
import io.widerow.ingest.receive.otlp.OtlpFuzz;
import io.widerow.ingest.receive.prometheus.RemoteWriteFuzz;
import io.widerow.ingest.receive.splunk.HecFuzz;
import io.widerow.ingest.serve.prometheus.ReadRequestFuzz;
import io.widerow.ingest.transform.TransformsFuzz;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// All decoders of the daemon's input. Any input becomes events or refusals, and each event can be
/// read back.
@SuppressWarnings("ImmutableEnumChecker") // method references
public enum FuzzTargets implements FuzzTarget {
  JSON_LINES(DecoderFuzz::jsonSeeds, DecoderFuzz::json),
  TEXT_LINES(DecoderFuzz::textSeeds, DecoderFuzz::text),
  TIME_PATTERN(DecoderFuzz::patternSeeds, DecoderFuzz::pattern),
  LINE_PROTOCOL(DecoderFuzz::lineSeeds, DecoderFuzz::line),
  SYSLOG(DecoderFuzz::syslogSeeds, DecoderFuzz::syslog),
  STATSD(MetricsFuzz::statsdSeeds, MetricsFuzz::statsd),
  GRAPHITE(MetricsFuzz::graphiteSeeds, MetricsFuzz::graphite),
  GRAPHITE_PICKLE(MetricsFuzz::pickleSeeds, MetricsFuzz::pickle),
  HEC(HecFuzz::seeds, MetricsFuzz::hec),
  DATADOG(DatadogFuzz::seeds, MetricsFuzz::datadog),
  LOKI_PROTOBUF(LokiFuzz::protobufSeeds, MetricsFuzz::lokiProtobuf),
  LOKI_JSON(LokiFuzz::jsonSeeds, MetricsFuzz::lokiJson),
  ELASTIC_BULK(ElasticFuzz::seeds, ElasticFuzz::bulk),
  JOURNAL(JournalFuzz::seeds, MetricsFuzz::journal),
  FLUENT(FluentFuzz::seeds, DecoderFuzz::fluent),
  GELF(GelfFuzz::seeds, MetricsFuzz::gelf),
  REMOTE_WRITE_1(RemoteWriteFuzz::seedsOfOne, MetricsFuzz::remoteWriteOne),
  REMOTE_WRITE_2(RemoteWriteFuzz::seedsOfTwo, MetricsFuzz::remoteWriteTwo),
  REMOTE_READ(ReadRequestFuzz::seeds, ReadRequestFuzz::read),
  PROMETHEUS_METADATA(RemoteWriteFuzz::fileSeeds, RemoteWriteFuzz::file),
  OTLP_LOGS(() -> OtlpFuzz.LOGS.seeds(false), input -> otlp(OtlpFuzz.LOGS, false, input)),
  OTLP_LOGS_JSON(() -> OtlpFuzz.LOGS.seeds(true), input -> otlp(OtlpFuzz.LOGS, true, input)),
  OTLP_METRICS(() -> OtlpFuzz.METRICS.seeds(false), input -> otlp(OtlpFuzz.METRICS, false, input)),
  OTLP_METRICS_JSON(
      () -> OtlpFuzz.METRICS.seeds(true), input -> otlp(OtlpFuzz.METRICS, true, input)),
  OTLP_TRACES(() -> OtlpFuzz.TRACES.seeds(false), input -> otlp(OtlpFuzz.TRACES, false, input)),
  OTLP_TRACES_JSON(() -> OtlpFuzz.TRACES.seeds(true), input -> otlp(OtlpFuzz.TRACES, true, input)),
  GZIP(BodyFuzz::gzipSeeds, BodyFuzz::gunzip),
  ZSTD(BodyFuzz::zstdSeeds, BodyFuzz::unzstd),
  DEFLATE(BodyFuzz::deflateSeeds, BodyFuzz::inflate),
  SNAPPY(BodyFuzz::snappySeeds, BodyFuzz::unsnappy),
  PROTOBUF(ProtobufFuzz::seeds, ProtobufFuzz::read),
  TIMES(DecoderFuzz::timeSeeds, DecoderFuzz::times),
  TIME_SIGHT(SightFuzz::seeds, SightFuzz::sight),
  LEDGER_NOTE(BodyFuzz::noteSeeds, BodyFuzz::note),
  TRANSFORMS(TransformsFuzz::seeds, TransformsFuzz::rules);

  private final FuzzReader reader;

  FuzzTargets(Supplier<List<byte[]>> seeds, Consumer<byte[]> reader) {
    this.reader = new FuzzReader(seeds, reader);
  }

  private static void otlp(OtlpFuzz signal, boolean json, byte[] input) {
    byte[] _ =
        DecoderFuzz.decode(input, (body, limit, batch) -> signal.decode(json, body, limit, batch));
  }

  @Override
  public FuzzReader reader() {
    return reader;
  }
}
