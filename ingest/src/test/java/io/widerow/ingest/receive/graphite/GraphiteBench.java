package io.widerow.ingest.receive.graphite;

import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.IncomingBatch;
import org.openjdk.jmh.annotations.Param;

/// Graphite's plaintext protocol: a path without tags; or a name with four tags, as line protocol's
/// `ordered` has tags.
public class GraphiteBench extends DecoderBench {
  private final GraphiteDecoder decoder = new GraphiteDecoder();

  @Param({"plain", "tags"})
  public String scenario = "";

  @Override
  public String lines() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      if (scenario.equals("tags")) {
        text.append("cpu.idle;cluster=eu-1;host=web-").append(i % 100).append(";rack=r");
        text.append(i % 7).append(";service=shop ");
      } else {
        text.append("servers.eu-1.web-").append(i % 100).append(".cpu.idle ");
      }
      text.append(i % 97).append(".25 ").append(1_767_323_045 + i).append('\n');
    }
    return text.toString();
  }

  @Override
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    decoder.decode(body, 0, limit, batch);
  }
}
