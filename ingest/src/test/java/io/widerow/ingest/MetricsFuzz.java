package io.widerow.ingest;

import io.widerow.ingest.receive.datadog.DatadogFuzz;
import io.widerow.ingest.receive.gelf.GelfFuzz;
import io.widerow.ingest.receive.graphite.GraphiteDecoder;
import io.widerow.ingest.receive.graphite.PickleDecoder;
import io.widerow.ingest.receive.prometheus.RemoteWriteFuzz;
import io.widerow.ingest.receive.splunk.HecFuzz;
import io.widerow.ingest.receive.statsd.StatsdDecoder;
import io.widerow.ingest.series.SeriesCache;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/// Fuzz targets of StatsD, Graphite and GELF.
final class MetricsFuzz {
  private MetricsFuzz() {}

  static List<byte[]> statsdSeeds() {
    return DecoderFuzz.seeds(
        "malformed.statsd",
        "a:1|c\nb:0.5:2|h|@0.1|#k:v,w|T1700000000|c:id|e:x|card:low\r\nc:+1|g\nd:x:y|s",
        "x:1|c|@0.1:320|ms:4|d\nx:1|c|#type:t,kind:k,a:1,a:2,value:3",
        "_e{2,4}:t\u00e9|x\\ny|d:1|h:h|k:k|p:low|s:s|t:info|#a:b\n_sc|n|2|d:1|h:h|#a|m:down\\nx");
  }

  /// Decodes all lines, as a datagram and as lines of a stream, to the same events.
  static void statsd(byte[] input) {
    byte[] whole =
        DecoderFuzz.decode(
            input, (body, limit, batch) -> new StatsdDecoder().decode(body, 0, limit, batch));
    StatsdDecoder again = new StatsdDecoder();
    for (int i = 0; i < 2; i++) { // a decoder that has seen other lines decodes alike
      byte[] same =
          DecoderFuzz.decode(input, (body, limit, batch) -> again.decode(body, 0, limit, batch));
      if (!Arrays.equals(whole, same)) {
        throw new AssertionError("a decoder that was used before decodes something else");
      }
    }
  }

  static List<byte[]> graphiteSeeds() {
    return DecoderFuzz.seeds(
        "malformed.graphite",
        "a.b.c 0.25 1767323045\r\na;k=v;l=w -1.5e3 1767323045.125\n\nb\t1  N\nc 1 -1",
        "m;type=t;value=v;a=1;a=2 1 0\n\u00e9;\u00e9=\u00e9 1 1");
  }

  static void graphite(byte[] input) {
    byte[] whole =
        DecoderFuzz.decode(
            input, (body, limit, batch) -> new GraphiteDecoder().decode(body, 0, limit, batch));
    GraphiteDecoder again = new GraphiteDecoder();
    for (int i = 0; i < 2; i++) {
      byte[] same =
          DecoderFuzz.decode(input, (body, limit, batch) -> again.decode(body, 0, limit, batch));
      if (!Arrays.equals(whole, same)) {
        throw new AssertionError("a decoder that was used before decodes something else");
      }
    }
  }

  static List<byte[]> pickleSeeds() {
    List<byte[]> pickles = new ArrayList<>();
    for (String text :
        List.of(
            "(l(S'a.b'\n(L1767323045L\nS'0.25'\ntta(S'c'\n(I1\nF0.5\ntta.",
            "(lp0\n(Va\\u20ac\np1\n(I1\nF0.5\ntp2\ntp3\na(g1\n(I2\nI3\nttp4\na.",
            "\u0080\u0002]q\u0000(U\u0001aq\u0001J\u0001\u0000\u0000\u0000K\u0007\u0086"
                + "\u0086h\u0001M\u0001\u0000\u008a\u0001\u0005\u0086\u0086e.",
            "((S'a'\n]I1\naI2\nal.",
            "cposix\nsystem\n(S'true'\ntR.")) {
      pickles.add(text.getBytes(StandardCharsets.ISO_8859_1));
    }
    pickles.add(
        HexFormat.of()
            .parseHex(
                "80049592000000000000005d94288c11736572766572732e776562312e6c6f61"
                    + "64944aa5355769473fd00000000000008694869468014aa63557698c01379486"
                    + "9486948c0764c3a93b613d62944741da55cd69e000004afdffffff869486945d"
                    + "94288c016c945d94288c0a3137363733323330343894477e37e43c8800759c65"
                    + "658c03626967948a060000000000018a0600000000000186948694652e"));
    return pickles;
  }

  /// The input is a pickle, in a frame between two good ones, which are stored whatever it is.
  static void pickle(byte[] input) {
    byte[] good = framed("(l(S'good'\n(I1\nI1\ntta.".getBytes(StandardCharsets.US_ASCII));
    byte[] bad = framed(Arrays.copyOf(input, Math.min(input.length, 1 << 16)));
    byte[] all =
        ByteBuffer.allocate(2 * good.length + bad.length).put(good).put(bad).put(good).array();
    byte[] text =
        DecoderFuzz.decode(
            all,
            (body, limit, batch) -> {
              PickleDecoder decoder = new PickleDecoder();
              int at = 0;
              int frames = 0;
              while (at < limit) {
                at = decoder.decode(body, at, limit, batch);
                frames++;
              }
              if (frames != 3 || at != limit) {
                throw new AssertionError("%d frames, up to %d".formatted(frames, at));
              }
            });
    String events = new String(text, StandardCharsets.UTF_8);
    if (events.split("\"path\":\"good\"", -1).length < 3) {
      throw new AssertionError("a neighbour is lost: " + events);
    }
  }

  static void remoteWriteOne(byte[] input) {
    remoteWrite(false, input);
  }

  static void remoteWriteTwo(byte[] input) {
    remoteWrite(true, input);
  }

  /// Decodes each series alone, and then as a series that is known.
  private static void remoteWrite(boolean two, byte[] input) {
    byte[] alone =
        DecoderFuzz.decode(
            input, (body, limit, batch) -> RemoteWriteFuzz.decode(two, body, limit, batch, null));
    SeriesCache series = new SeriesCache();
    for (int i = 0; i < 2; i++) {
      byte[] same =
          DecoderFuzz.decode(
              input,
              (body, limit, batch) -> RemoteWriteFuzz.decode(two, body, limit, batch, series));
      if (!Arrays.equals(alone, same)) {
        throw new AssertionError("a sample of a known series became another event");
      }
    }
  }

  static void hec(byte[] input) {
    byte[] _ = DecoderFuzz.decode(input, HecFuzz::decode);
  }

  static void datadog(byte[] input) {
    byte[] _ = DecoderFuzz.decode(input, DatadogFuzz::decode);
  }

  static void gelf(byte[] input) {
    byte[] _ = DecoderFuzz.decode(input, GelfFuzz::decode);
  }

  private static byte[] framed(byte[] pickle) {
    return ByteBuffer.allocate(4 + pickle.length).putInt(pickle.length).put(pickle).array();
  }
}
