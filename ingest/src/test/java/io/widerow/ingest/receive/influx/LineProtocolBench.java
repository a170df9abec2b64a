package io.widerow.ingest.receive.influx;

import io.widerow.ingest.DecoderBench;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.series.SeriesCache;
import org.openjdk.jmh.annotations.Param;

/// Line protocol: four tags and six fields sorted by name, or as in the devops scenario ten tags
/// and ten integers in its own order, of 700 and 100 series; or one number of each of a thousand
/// series. With a series cache as in the daemon, or without.
public class LineProtocolBench extends DecoderBench {
  private final LineProtocolDecoder decoder = new LineProtocolDecoder(1);

  @Param({"ordered", "devops", "samples", "logs"})
  public String scenario = "";

  @Param({"false", "true"})
  public boolean cached;

  private final SeriesCache series = new SeriesCache();

  @Override
  public String lines() {
    return switch (scenario) {
      case "devops" -> devops();
      case "samples" -> samples();
      case "logs" -> logs();
      default -> ordered();
    };
  }

  private static String samples() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      String[] labels = labels(i);
      text.append(labels[1]);
      for (int at = 2; at < labels.length; at += 2) {
        text.append(',').append(labels[at]).append('=').append(labels[at + 1]);
      }
      text.append(" value=").append(i % 97).append(".25 ");
      text.append(1_434_055_562_000L + i).append("000000\n");
    }
    return text.toString();
  }

  private static String logs() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      text.append("access,host=web-").append(i % 100).append(" body=\"10.0.").append(i % 250);
      text.append(".7 - - [22/Jan/2019:03:56:14 +0330] \\\"GET /filter/27|13%20,27|p").append(i);
      text.append(" HTTP/1.1\\\" 200 30577 \\\"-\\\" \\\"Mozilla/5.0 (compatible; bot; ");
      text.append("+http://www.bing.com/bingbot.htm)\\\" \\\"-\\\"\",status=200i,bytes=").append(i);
      text.append("i ").append(1_434_055_562_000_000_000L + i).append('\n');
    }
    return text.toString();
  }

  private static String devops() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      text.append("cpu,hostname=host_").append(i % 100).append(",region=eu-west-1");
      text.append(",datacenter=eu-west-1").append((char) ('a' + i % 3)).append(",rack=");
      text.append(i % 97).append(",os=Ubuntu16.04LTS,arch=x64,team=LON,service=").append(i % 20);
      text.append(",service_version=1,service_environment=staging usage_user=").append(i % 100);
      text.append("i,usage_system=").append(i % 89).append("i,usage_idle=").append(i % 83);
      text.append("i,usage_nice=").append(i % 79).append("i,usage_iowait=").append(i % 73);
      text.append("i,usage_irq=").append(i % 71).append("i,usage_softirq=").append(i % 67);
      text.append("i,usage_steal=").append(i % 61).append("i,usage_guest=").append(i % 59);
      text.append("i,usage_guest_nice=").append(i % 53).append("i ");
      text.append(1_434_055_562_000_000_000L + i).append('\n');
    }
    return text.toString();
  }

  private static String ordered() {
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
  public void decode(byte[] body, int limit, IncomingBatch batch) {
    decoder.decode(body, 0, limit, batch, cached ? series : null);
  }
}
