package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.receive.json.JsonLinesDecoder;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: numbers, strings and times are decoded as by other programs. Method: random ones, decoded
/// by our decoders, by Jackson and by the JDK.
class NumbersTest {
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void jsonIsReadAsByJackson(long seed) throws IOException {
    var random = new SplittableRandom(seed);
    ObjectMapper jackson = new ObjectMapper();
    for (int round = 0; round < 5_000; round++) {
      String json = object(random, 3);
      Map<String, Object> expected = new TreeMap<>();
      flatten("", jackson.readTree(json), expected);
      Decoding.Result ours =
          Decoding.of(
              json,
              (body, limit, batch) -> new JsonLinesDecoder("t").decode(body, 0, limit, batch));
      assertEquals(1, ours.stored().size(), json);
      assertEquals(expected, ours.stored().get(0).attributes(), json);
    }
  }

  @Test
  void noDigitOfAWholeNumberIsLost() {
    List<String> narrow = List.of("0", "-1", "9223372036854775807", "-9223372036854775808");
    List<String> wide =
        List.of(
            "9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "12345678901234567890123",
            "1" + "0".repeat(400));
    for (String number : narrow) {
      assertEquals(Long.valueOf(number), attribute(number));
    }
    for (String number : wide) {
      assertEquals(number, attribute(number));
    }
    assertEquals(1.5e20, attribute("150000000000000000000.0"));
  }

  private static Object attribute(String number) {
    Decoding.Result ours =
        Decoding.of(
            "{\"a\":{\"n\":" + number + "}}",
            (body, limit, batch) -> new JsonLinesDecoder("t").decode(body, 0, limit, batch));
    return ours.stored().getFirst().attributes().getOrDefault("a.n", "none");
  }

  private static void flatten(String prefix, JsonNode node, Map<String, Object> out) {
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      JsonNode value = each.getValue();
      String name = prefix + each.getKey();
      if (value.isObject()) {
        flatten(name + ".", value, out);
      } else if (value.isTextual()) {
        out.put(name, value.textValue());
      } else if (value.isBoolean()) {
        out.put(name, value.booleanValue());
      } else if (value.canConvertToLong() && value.isIntegralNumber()) {
        out.put(name, value.longValue());
      } else if (value.isIntegralNumber()) {
        out.put(name, value.asText()); // of more than 64 bits
      } else if (value.isNumber()) {
        out.put(name, value.doubleValue());
      }
    }
  }

  private static String object(SplittableRandom random, int depth) {
    List<String> members = new ArrayList<>();
    int count = random.nextInt(8);
    for (int i = 0; i < count; i++) {
      String space = " ".repeat(random.nextInt(3));
      members.add(
          "\"k"
              + (char) ('a' + (i * 5 + 3) % 8)
              + "\""
              + space
              + ":"
              + space
              + value(random, depth));
    }
    return "{" + String.join(", ", members) + "}";
  }

  private static String value(SplittableRandom random, int depth) {
    return switch (random.nextInt(depth > 0 ? 9 : 8)) {
      case 0 -> Long.toString(random.nextLong() >> random.nextInt(64));
      case 1 -> Double.toString(Double.longBitsToDouble(random.nextLong() & ~(1L << 62)));
      case 2 -> random.nextInt(100_000) + "." + random.nextInt(100_000);
      case 3 -> Boolean.toString(random.nextBoolean());
      case 4 -> "null";
      case 5 -> Long.toUnsignedString(random.nextLong()) + "e" + random.nextInt(-30, 30);
      case 6 -> "\"" + text(random) + "\"";
      case 7 -> new BigInteger(random.nextInt(60, 400), new Random(random.nextLong())).toString();
      default -> object(random, depth - 1);
    };
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    List<String> pieces =
        List.of(
            "a",
            "bc",
            "\\\"",
            "\\\\",
            "\\n",
            "\\u00e9",
            "\\ud83d\\ude00",
            "é",
            "日",
            "😀",
            "{",
            "]");
    for (int i = random.nextInt(20); i > 0; i--) {
      text.append(pieces.get(random.nextInt(pieces.size())));
    }
    return text.toString();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void timesAreReadAsByTheJdk(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 20_000; round++) {
      long seconds = random.nextLong(7_258_118_400L);
      int below = random.nextInt(1_000_000_000);
      Instant instant = Instant.ofEpochSecond(seconds, below);
      byte[] text = (instant + "        ").getBytes(StandardCharsets.US_ASCII);
      long nanos = seconds * 1_000_000_000L + below;
      assertEquals(nanos, TimeParser.rfc3339(text, 0, text.length - 8), instant.toString());
    }
  }
}
