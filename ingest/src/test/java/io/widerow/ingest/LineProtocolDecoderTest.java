package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a line means what InfluxDB's documentation says it means. Method: examples from there.
class LineProtocolDecoderTest {
  private static List<MemoryStore.Stored> decode(String lines) {
    return Decoding.of(
            lines, (body, limit, batch) -> new LineProtocolDecoder(1).decode(body, 0, limit, batch))
        .stored();
  }

  @Test
  void kindsAndEscapes() {
    assertEquals(
        "[Stored[type=cpu, timeNanos=1434055562000000000, ownId=null, attributes={count=3,"
            + " host=a b, note=a \"b\" \\ \\n, ok=true, usage=0.5}]]",
        decode(
                "cpu,host=a\\ b usage=0.5,count=3i,note=\"a \\\"b\\\" \\\\ \\n\",ok=t"
                    + " 1434055562000000000\n")
            .toString());
  }

  @Test
  void namesWithEscapes() {
    assertEquals(
        "{a,b=1.0, k=e=x y}",
        decode("my\\,type,k\\=e=x\\ y a\\,b=1 5").get(0).attributes().toString());
    assertEquals("my,type", decode("my\\,type,k\\=e=x\\ y a\\,b=1 5").get(0).type());
  }

  @Test
  void stringsMayHoldNewlines() {
    assertEquals("{s=a\nb}", decode("m s=\"a\nb\" 5\n").get(0).attributes().toString());
  }

  @Test
  void numbers() {
    assertEquals(
        "{a=1.0, b=-1.5, c=1000.0, d=0.5, e=-9223372036854775808, f=9223372036854775807, g=7}",
        decode("m a=1,b=-1.5,c=1e3,d=.5,e=-9223372036854775808i,f=9223372036854775807i,g=7u 1")
            .get(0)
            .attributes()
            .toString());
  }

  @Test
  void aQuoteThatNeverEndsCostsItsLineOnly() {
    Decoding.Result result =
        Decoding.of(
            "a s=\"x 1\nb v=2 2\n# c\n\nc v=3 3",
            (body, limit, batch) -> new LineProtocolDecoder(1).decode(body, 0, limit, batch));
    assertEquals(2, result.stored().size());
    assertEquals(1, result.refused().count());
    assertNotNull(result.refused().reason(0));
  }
}
