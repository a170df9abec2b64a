package io.widerow.ingest.receive.statsd;

import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.IncomingBatch;
import org.openjdk.jmh.annotations.Param;

/// StatsD: a plain counter; or DogStatsD with four tags and a rate, as line protocol's `ordered`
/// has tags. Each line is one sample.
public class StatsdBench extends DecoderBench {
  private final StatsdDecoder decoder = new StatsdDecoder();

  @Param({"plain", "tags"})
  public String scenario = "";

  @Override
  public String lines() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      text.append("shop.requests:").append(i % 97).append(i % 2 == 0 ? ".25|ms" : ".5|ms");
      if (scenario.equals("tags")) {
        text.append("|@0.5|#cluster:eu-1,host:web-").append(i % 100).append(",rack:r");
        text.append(i % 7).append(",service:shop");
      }
      text.append('\n');
    }
    return text.toString();
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    decoder.decode(body, 0, limit, batch);
  }
}
