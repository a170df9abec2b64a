package io.widerow.ingest.receive.prometheus;

import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufBytes;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.series.SeriesCache;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Param;

/// Remote write, one sample of each of a thousand series: the samples of the scenario of the same
/// name of `LineProtocolBench`, with a series cache as in the daemon, or without.
public class RemoteWriteBench extends DecoderBench {
  @Param({"1", "2"})
  public int version;

  @Param({"false", "true"})
  public boolean cached;

  private final MetadataTable table = new MetadataTable(Path.of("absent"));
  private final SeriesCache series = new SeriesCache();

  @Override
  public byte[] body() {
    Messages.Symbols symbols = new Messages.Symbols();
    List<byte[]> parts = new ArrayList<>();
    for (int i = 0; i < LINES; i++) {
      byte[] sample = Messages.sample(i % 97 + 0.25, 1_434_055_562_000L + i);
      String[] labels = DecoderBench.labels(i);
      parts.add(
          version == 1
              ? Messages.series(Messages.labels(labels), sample)
              : Messages.seriesTwo(symbols.labels(labels), sample));
    }
    if (version == 2) {
      parts.addFirst(symbols.table());
    }
    return ProtobufBytes.join(parts.toArray(byte[][]::new));
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    MessageVersion message = version == 1 ? MessageVersion.ONE : MessageVersion.TWO;
    try { // a decoder for each request, as in the daemon
      new RemoteWriteDecoder(message, null, table)
          .decode(body, limit, batch, cached ? series : null);
    } catch (RequestRefused refused) {
      throw new IllegalStateException(refused);
    }
  }
}
