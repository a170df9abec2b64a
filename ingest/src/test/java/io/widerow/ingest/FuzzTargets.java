package io.widerow.ingest;

import io.widerow.fuzz.FuzzTarget;
import io.widerow.ingest.decode.ProtobufFuzz;
import io.widerow.ingest.intake.BodyFuzz;
import io.widerow.ingest.receive.datadog.DatadogFuzz;
import io.widerow.ingest.receive.gelf.GelfFuzz;
import io.widerow.ingest.receive.prometheus.RemoteWriteFuzz;
import io.widerow.ingest.receive.splunk.HecFuzz;
import io.widerow.ingest.rules.RulesFuzz;
import io.widerow.ingest.ship.ShipFuzz;
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
  ELASTIC_BULK(ElasticFuzz::seeds, ElasticFuzz::bulk),
  GELF(GelfFuzz::seeds, MetricsFuzz::gelf),
  REMOTE_WRITE_1(RemoteWriteFuzz::seedsOfOne, MetricsFuzz::remoteWriteOne),
  REMOTE_WRITE_2(RemoteWriteFuzz::seedsOfTwo, MetricsFuzz::remoteWriteTwo),
  PROMETHEUS_METADATA(RemoteWriteFuzz::fileSeeds, RemoteWriteFuzz::file),
  GZIP(BodyFuzz::gzipSeeds, BodyFuzz::gunzip),
  ZSTD(BodyFuzz::zstdSeeds, BodyFuzz::unzstd),
  DEFLATE(BodyFuzz::deflateSeeds, BodyFuzz::inflate),
  SNAPPY(BodyFuzz::snappySeeds, BodyFuzz::unsnappy),
  PROTOBUF(ProtobufFuzz::seeds, ProtobufFuzz::read),
  TIMES(DecoderFuzz::timeSeeds, DecoderFuzz::times),
  TIME_SIGHT(SightFuzz::seeds, SightFuzz::sight),
  LEDGER_NOTE(BodyFuzz::noteSeeds, BodyFuzz::note),
  SHIP_LINES(ShipFuzz::lineSeeds, ShipFuzz::lines),
  SHIP_CHECKPOINT(ShipFuzz::checkpointSeeds, ShipFuzz::checkpoint),
  RULES(RulesFuzz::seeds, RulesFuzz::rules);

  private final Supplier<List<byte[]>> seeds;
  private final Consumer<byte[]> reader;

  FuzzTargets(Supplier<List<byte[]>> seeds, Consumer<byte[]> reader) {
    this.seeds = seeds;
    this.reader = reader;
  }

  @Override
  public List<byte[]> seeds() {
    return seeds.get();
  }

  @Override
  public void read(byte[] input) {
    reader.accept(input);
  }

  @Override
  public long heapBytesMax() {
    return 64L << 20;
  }
}
