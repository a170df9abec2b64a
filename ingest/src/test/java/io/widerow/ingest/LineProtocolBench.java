package io.widerow.ingest;

/// Lines of line protocol with four tags and six fields.
public class LineProtocolBench extends DecoderBench {
  private final LineProtocolDecoder decoder = new LineProtocolDecoder(1);

  @Override
  String lines() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      text.append("cpu,cluster=eu-1,host=web-").append(i % 100).append(",rack=r").append(i % 7);
      text.append(",service=shop idle=").append(i % 97).append(".25,iowait=0.5,system=");
      text.append(i % 13).append(".125,threads=").append(i).append("i,up=true,user=12.75 ");
      text.append(1_434_055_562_000_000_000L + i).append('\n');
    }
    return text.toString();
  }

  @Override
  void decode(byte[] body, int limit, IncomingBatch batch) {
    decoder.decode(body, 0, limit, batch);
  }
}
