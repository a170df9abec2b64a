package io.widerow.ingest.receive.prometheus;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufBytes;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.series.MetricDescription;
import io.widerow.ingest.series.SeriesCache;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Fuzz targets of remote write, and of the file of its descriptions.
public final class RemoteWriteFuzz {
  private RemoteWriteFuzz() {}

  public static List<byte[]> seedsOfOne() {
    byte[] name = Messages.labels("__name__", "up", "instance", "a:1", "job", "x");
    List<byte[]> seeds = new ArrayList<>();
    seeds.add(Messages.series(name, Messages.sample(0, 1_000), Messages.sample(2.5, 2_000)));
    seeds.add(
        ProtobufBytes.join(
            Messages.series(Messages.sample(Messages.STALE, 1_000), name),
            Messages.series(name, RemoteWriteTest.wholeHistogram(4)),
            Messages.series(name, ProtobufBytes.message(3, Messages.fraction(2, 1))),
            Messages.description(1, "up", "whether it is", "")));
    RemoteWriteCases.ofOne().forEach(bad -> seeds.add(Messages.series(bad.content())));
    return small(seeds);
  }

  public static List<byte[]> seedsOfTwo() {
    Messages.Symbols symbols = new Messages.Symbols();
    byte[] name = symbols.labels("__name__", "up", "instance", "a:1", "job", "x");
    byte[] about = symbols.description(3, "whether it is", "s");
    List<byte[]> seeds = new ArrayList<>();
    byte[] series =
        Messages.seriesTwo(name, about, Messages.sample(0, 1_000), ProtobufBytes.number(6, 500));
    byte[] histogram = Messages.seriesTwo(name, RemoteWriteTest.fractionalHistogram(3));
    seeds.add(ProtobufBytes.join(symbols.table(), series, histogram));
    seeds.add(ProtobufBytes.join(series, histogram, symbols.table()));
    for (RemoteWriteCases.Case bad : RemoteWriteCases.ofTwo(symbols)) {
      seeds.add(ProtobufBytes.join(Messages.seriesTwo(bad.content()), symbols.table()));
    }
    return small(seeds);
  }

  private static List<byte[]> small(List<byte[]> seeds) {
    return seeds.stream().filter(seed -> seed.length < 4_096).toList();
  }

  /// Decodes a request. One that is refused as a whole may have decoded some of its events, which
  /// are dropped with their batch.
  public static void decode(
      boolean two, byte[] body, int limit, IncomingBatch batch, @Nullable SeriesCache cache) {
    MetadataTable table = new MetadataTable(Path.of("absent"));
    MessageVersion version = two ? MessageVersion.TWO : MessageVersion.ONE;
    try {
      new RemoteWriteDecoder(version, null, table).decode(body, limit, batch, cache);
    } catch (RequestRefused whole) {
      if (whole.status().code() != 400 || !whole.reason().contains("at byte ")) {
        throw new AssertionError(whole);
      }
    }
  }

  public static List<byte[]> fileSeeds() {
    MetricDescription one = new MetricDescription(MetricDescription.Type.GAUGE, "a - é\n", "-");
    return List.of(
        MetadataFile.encode(Map.of("up", List.of(one, one))),
        MetadataFile.encode(Map.of()),
        "widerow-prometheus-metadata 2 00000000\n".getBytes(StandardCharsets.US_ASCII));
  }

  /// A message that is read without an error is written unchanged.
  public static void file(byte[] input) {
    Map<String, List<MetricDescription>> read = new LinkedHashMap<>();
    String wrong =
        MetadataFile.decode(
            input, (name, each) -> read.computeIfAbsent(name, _ -> new ArrayList<>()).add(each));
    if (wrong.isEmpty() && !Arrays.equals(MetadataFile.encode(read), input)) {
      throw new AssertionError("read otherwise than written: " + read);
    }
  }
}
