package io.widerow.ingest.receive.graphite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.socket.StreamDecoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: pickles of metrics are read, and no other pickle does anything. Method: the pickles that
/// Python 3.11 makes of one list with each protocol, what Dropwizard writes, pickles that call
/// functions, and pickles of which one opcode is another.
class PickleTest {
  /// `[(p, (1767323045, 0.25)), (p, (1767323046, '7')), ('d\u00e9;a=b', (1767323047.5, -3)), ["l",
  /// ["1767323048", 1e300]], ('big', (2**40, 2**40))]`, protocols 0 to 5.
  private static final List<String> PYTHON =
      List.of(
          "286c70300a2856736572766572732e776562312e6c6f61640a70310a28493137"
              + "36373332333034350a46302e32350a7470320a7470330a612867310a28493137"
              + "36373332333034360a56370a70340a7470350a7470360a61285664e93b613d62"
              + "0a70370a2846313736373332333034372e350a492d330a7470380a7470390a61"
              + "286c7031300a566c0a7031310a61286c7031320a56313736373332333034380a"
              + "7031330a614631652b3330300a61616128566269670a7031340a284c31303939"
              + "3531313632373737364c0a4c313039393531313632373737364c0a747031350a"
              + "747031360a612e",
          "5d710028285811000000736572766572732e776562312e6c6f61647101284aa5"
              + "355769473fd0000000000000747102747103286801284aa63557695801000000"
              + "37710474710574710628580700000064c3a93b613d627107284741da55cd69e0"
              + "00004afdffffff7471087471095d710a2858010000006c710b5d710c28580a00"
              + "000031373637333233303438710d477e37e43c8800759c656528580300000062"
              + "6967710e284c313039393531313632373737364c0a4c31303939353131363237"
              + "3737364c0a74710f747110652e",
          "80025d7100285811000000736572766572732e776562312e6c6f616471014aa5"
              + "355769473fd000000000000086710286710368014aa635576958010000003771"
              + "04867105867106580700000064c3a93b613d6271074741da55cd69e000004afd"
              + "ffffff8671088671095d710a2858010000006c710b5d710c28580a0000003137"
              + "3637333233303438710d477e37e43c8800759c65655803000000626967710e8a"
              + "060000000000018a0600000000000186710f867110652e",
          "80035d7100285811000000736572766572732e776562312e6c6f616471014aa5"
              + "355769473fd000000000000086710286710368014aa635576958010000003771"
              + "04867105867106580700000064c3a93b613d6271074741da55cd69e000004afd"
              + "ffffff8671088671095d710a2858010000006c710b5d710c28580a0000003137"
              + "3637333233303438710d477e37e43c8800759c65655803000000626967710e8a"
              + "060000000000018a0600000000000186710f867110652e",
          "80049592000000000000005d94288c11736572766572732e776562312e6c6f61"
              + "64944aa5355769473fd00000000000008694869468014aa63557698c01379486"
              + "9486948c0764c3a93b613d62944741da55cd69e000004afdffffff869486945d"
              + "94288c016c945d94288c0a3137363733323330343894477e37e43c8800759c65"
              + "658c03626967948a060000000000018a0600000000000186948694652e",
          "80059592000000000000005d94288c11736572766572732e776562312e6c6f61"
              + "64944aa5355769473fd00000000000008694869468014aa63557698c01379486"
              + "9486948c0764c3a93b613d62944741da55cd69e000004afdffffff869486945d"
              + "94288c016c945d94288c0a3137363733323330343894477e37e43c8800759c65"
              + "658c03626967948a060000000000018a0600000000000186948694652e");

  /// `[('a', (1, 1)), x]`, where `x` runs a program when it is unpickled; protocols 0, 2 and 4.
  private static final List<String> HARMFUL =
      List.of(
          "286c70300a2856610a70310a2849310a49310a7470320a7470330a6163706f73"
              + "69780a73797374656d0a70340a2856747275650a70350a7470360a5270370a61"
              + "2e",
          "80025d71002858010000006171014b014b0186710286710363706f7369780a73"
              + "797374656d0a71045804000000747275657105857106527107652e",
          "8004952f000000000000005d94288c0161944b014b01869486948c05706f7369"
              + "78948c0673797374656d9493948c04747275659485945294652e");

  private static final String METRIC = "(S'%s'\n(L1L\nS'1'\ntt";

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /// A frame as Dropwizard Metrics writes them, with one metric.
  static byte[] frame(String path) {
    return framed(latin("(l" + METRIC.formatted(path) + "a."));
  }

  private static byte[] framed(byte[] pickle) {
    return ByteBuffer.allocate(4 + pickle.length).putInt(pickle.length).put(pickle).array();
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  /// Decodes frames, and then the rest, as of a connection that ended.
  private static Decoding.Result decode(byte[] frames) {
    return Decoding.of(
        frames,
        (body, limit, batch) -> {
          PickleDecoder decoder = new PickleDecoder();
          int at = 0;
          int next = decoder.decode(body, 0, limit, batch);
          while (next >= 0) {
            at = next;
            next = decoder.decode(body, at, limit, batch);
          }
          if (at < limit) {
            decoder.decodeLast(body, at, limit, batch);
          }
        });
  }

  private static List<String> shown(Decoding.Result result) {
    return result.stored().stream()
        .map(event -> event.type() + event.attributes() + " " + event.timeNanos() / 1_000_000)
        .toList();
  }

  private static List<String> python() {
    return PYTHON;
  }

  private static List<String> harmful() {
    return HARMFUL;
  }

  @ParameterizedTest
  @MethodSource("python")
  void whatPythonMakes(String pickle) {
    Decoding.Result result = decode(framed(HexFormat.of().parseHex(pickle)));
    assertEquals(
        List.of(
            "graphite{path=servers.web1.load, value=0.25} 1767323045000",
            "graphite{path=servers.web1.load, value=7.0} 1767323046000",
            "d\u00e9{a=b, value=-3.0} 1767323047500",
            "graphite{path=l, value=1.0E300} 1767323048000",
            "graphite{path=big, value=1.099511627776E12} 1099511627776"), // milliseconds
        shown(result));
    assertEquals(0, result.refused().count());
  }

  @ParameterizedTest
  @MethodSource("harmful")
  void whatWouldRunSomethingIsRefusedWhole(String pickle) {
    byte[] all = join(frame("a"), framed(HexFormat.of().parseHex(pickle)), frame("b"));
    Decoding.Result result = decode(all);
    assertEquals(
        List.of("graphite{path=a, value=1.0} 1000", "graphite{path=b, value=1.0} 1000"),
        shown(result));
    assertEquals(1, result.refused().count());
    assertTrue(
        result.refused().reason(0).contains("is none of lists, texts and numbers"),
        result.refused().reason(0));
  }

  /// Every opcode of Python that is not needed, where a metric could be.
  @Test
  void anyOtherOpcodeRefusesTheFrame() {
    String known = "(l])t\u0085\u0086\u0087aeSVUTX\u008cIJKML\u008aFGpqr\u0094ghj0\u0080\u0095.";
    for (int opcode = 0; opcode < 256; opcode++) {
      if (known.indexOf(opcode) >= 0) {
        continue;
      }
      String pickle = "(l" + METRIC.formatted("a") + "a" + (char) opcode + "0\n1\n.";
      Decoding.Result result = decode(join(framed(latin(pickle)), frame("b")));
      assertEquals(1, result.stored().size(), "opcode " + opcode);
      assertEquals(1, result.refused().count(), "opcode " + opcode);
      String expected = "pickle at byte 21: opcode 0x%02x is none of".formatted(opcode);
      assertTrue(result.refused().reason(0).startsWith(expected), result.refused().reason(0));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "S'x'~|metric: must be (path, (time, value))",
        "(S'x'~t|metric: must be (path, (time, value))",
        "(S'x'~S'y'~t|point: must be (time, value)",
        "(S'x'~(I1~tt|point: must be (time, value)",
        "(S''~(I1~I1~tt|path: must be a text",
        "(I5~(I1~I1~tt|path: must be a text",
        "(S'x'~((tI1~tt|time: must be a number or a text",
        "(S'x'~(I1~S'y'~tt|value: must be a number",
        "(S'x'~(I1~Fnan~tt|value: must be a number",
        "(S'x'~(I1~Finf~tt|value: must be a number",
        "(S'x'~(I1~F1e999~tt|value: must be a number",
        "(S'x'~(I1~]tt|value: must be a number",
        "I1~|metric: must be (path, (time, value))",
        ")|metric: must be (path, (time, value))"
      })
  void anEntryThatIsNoMetricIsRefusedAlone(String entry, String reason) {
    String pickle =
        "(l"
            + METRIC.formatted("a")
            + "a"
            + entry.replace('~', '\n')
            + "a"
            + METRIC.formatted("b")
            + "a.";
    Decoding.Result result = decode(framed(latin(pickle)));
    assertEquals(
        List.of("graphite{path=a, value=1.0} 1000", "graphite{path=b, value=1.0} 1000"),
        shown(result));
    assertEquals("entry 1 of the pickle, " + reason, result.refused().reason(0));
    assertEquals(1, result.refused().index(0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "(",
        "(.",
        "(l",
        "I1\n.",
        "S'a'\n.",
        "]].",
        "].x",
        "t.",
        "a.",
        "]a.",
        "(a.",
        "](a.",
        "]e.",
        "e.",
        "](I1\ne",
        "I1\nI2\na.",
        ")I2\na.",
        "0.",
        "](0.",
        "\u0085.",
        "]\u0086.",
        "S'a",
        "Sa\n.",
        "S'a\n.",
        "S'\n.",
        "S'\\q'\n.",
        "S'\\x4'\n.",
        "S'\\xzz'\n.",
        "S'a\\'\n.",
        "V\\u12\n.",
        "V\\U00110000\n.",
        "U\u0005a.",
        "X\u0005\u0000\u0000\u0000a.",
        "X\u00ff\u00ff\u00ff\u00ffa.",
        "T\u00ff\u00ff\u00ff\u00ffa.",
        "\u008c\u0002a",
        "I1",
        "L1L",
        "F1",
        "J\u0001\u0000.",
        "M\u0001",
        "K",
        "\u008a\u0005a.",
        "G\u0000.",
        "p0\n.",
        "]px\n.",
        "]p-1\n.",
        "]p99999999999\n.",
        "]r\u00ff\u00ff\u00ff\u00ff.",
        "]q.",
        "q\u0000.",
        "\u0094.",
        "g0\n.",
        "]h\u0000.",
        "]q\u0000h\u0001a.",
        "]q\u0000h\u0000a.",
        "]j\u0000\u0000\u0000\u0000.",
        "\u0080",
        "\u0080\u0006].",
        "\u0095\u0000\u0000].",
        "((((tttt(I1\n",
        "(((((ttttt.",
        "(l(l(l(l(laaaa."
      })
  void aPickleThatIsNoneIsRefused(String pickle) {
    Decoding.Result result = decode(join(frame("a"), framed(latin(pickle)), frame("b")));
    assertEquals(
        List.of("graphite{path=a, value=1.0} 1000", "graphite{path=b, value=1.0} 1000"),
        shown(result));
    assertEquals(1, result.refused().count());
    String reason = result.refused().reason(0);
    assertTrue(reason.matches("pickle at byte \\d+: .*"), reason);
  }

  @Test
  void marksAndItemsAreBounded() {
    assertEquals(
        "pickle at byte 64: it has more than 64 open marks",
        decode(framed(latin("(".repeat(65) + "."))).refused().reason(0));
    assertEquals(
        "pickle at byte 262144: it has more than 262144 items",
        decode(framed(latin(")".repeat(262_145) + "."))).refused().reason(0));
  }

  @Test
  void textsAreUnescaped() {
    Decoding.Result result =
        decode(
            framed(latin("(l(S'a\\'\\\\\\x42\\n'\n(I1\nI1\ntta(V\u00e9\\u20ac\\q\n(I1\nI1\ntta.")));
    assertEquals(
        List.of(
            "graphite{path=a'\\B\n, value=1.0} 1000",
            "graphite{path=\u00e9\u20ac\\q, value=1.0} 1000"),
        shown(result));
    Decoding.Result notUtf8 =
        decode(framed(latin("(l(S'caf\\xe9'\n(I1\nI1\ntta(S'caf\u00e9'\n(I1\nI1\ntta.")));
    String escaped = "graphite{path=caf\\xE9, value=1.0, widerow.escaped=1} 1000";
    assertEquals(List.of(escaped, escaped), shown(notUtf8));
  }

  @Test
  void minusOneAndZeroAreNow() {
    for (String time :
        List.of("I-1\n", "I0\n", "F-1.0\n", "F0.0\n", "S'-1'\n", "S'0'\n", "L-1L\n")) {
      Decoding.Result result = decode(framed(latin("(l(S'a'\n(" + time + "I1\ntta.")));
      assertEquals(Decoding.ARRIVAL_NANOS, result.stored().getFirst().timeNanos(), time);
    }
  }

  @Test
  void aFrameIsWaitedForAndOneThatIsTooLongEndsTheStream() {
    byte[] frame = frame("a");
    IntStream.range(0, frame.length)
        .forEach(length -> {
          Decoding.Result _ =
              Decoding.of(
                  new String(frame, 0, length, StandardCharsets.ISO_8859_1),
                  (body, limit, batch) ->
                      assertEquals(
                          StreamDecoder.MORE, new PickleDecoder().decode(body, 0, limit, batch)));
        });
    Decoding.Result cut = decode(Arrays.copyOf(frame, 10));
    assertEquals("frame: it ends after 6 of 22 bytes", cut.refused().reason(0));
    for (int length : new int[] {PickleDecoder.FRAME_BYTES_MAX + 1, -1, Integer.MIN_VALUE}) {
      byte[] longer = ByteBuffer.allocate(4).putInt(length).array();
      Decoding.Result result = decode(join(frame, longer, frame));
      assertEquals(1, result.stored().size());
      assertEquals(
          "frame: its length is %d bytes, at most 1048576 are allowed"
              .formatted(Integer.toUnsignedLong(length)),
          result.refused().reason(0));
    }
  }

  @Test
  void aPathThatIsUsedOftenIsBounded() {
    ByteArrayOutputStream pickle = new ByteArrayOutputStream();
    pickle.writeBytes(latin("\u0080\u0002]q\u0000("));
    pickle.writeBytes(latin("X"));
    pickle.writeBytes(new byte[] {0, 0, 4, 0}); // 256 KiB
    pickle.writeBytes(latin("x".repeat(1 << 18)));
    pickle.writeBytes(latin("q\u0001K\u0001K\u0001\u0086\u0086"));
    pickle.writeBytes(latin("h\u0001K\u0001K\u0001\u0086\u0086".repeat(1_000)));
    pickle.writeBytes(latin("e."));
    Decoding.Result result = decode(framed(pickle.toByteArray()));
    assertEquals(1_001, result.stored().size() + result.refused().count());
    assertTrue(result.stored().size() < 140, () -> "stored " + result.stored().size());
  }

  @Test
  void theReaderHoldsNothingOfAnEarlierPickle() {
    byte[] memo = framed(latin("(l(S'a'\np5\n(I1\nI1\ntta."));
    byte[] use = framed(latin("(l(g5\n(I1\nI1\ntta."));
    Decoding.Result result = decode(join(memo, use));
    assertEquals(1, result.stored().size());
    assertEquals("pickle at byte 3: the memo has no item 5", result.refused().reason(0));
  }
}
