package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.AttributeValue;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.remote.LineEvent;
import io.widerow.storage.FilterEvaluation;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a filter keeps the events that its text describes. Method: random filter texts, each built
/// together with a naive evaluation over a map that shares no code with the parser and the store;
/// random events with attributes of every kind. The seed is the test's name; `-Dseed=<n>` replays
/// it.
class FilterOracleTest {
  private static final long NOW = 1_763_666_100_000_000_000L;
  private static final List<String> NAMES = List.of("a", "b", "c.d", "body");
  private static final List<String> WORDS = List.of("", "x", "xy", "Y1", "1", "true", "grüße");
  private static final List<String> SIGNS = List.of("=", "==", "!=", "<", "<=", ">", ">=");
  private static final List<String> EXPRESSIONS = List.of("x", "^x$", "[xY]", "(?i)^y\\d", ".");

  /// A filter as text, and its naive evaluation.
  private record Said(String text, Predicate<Map<String, Object>> keeps) {}

  private static Said filter(SplittableRandom random, int depth) {
    return switch (depth == 0 ? 3 : random.nextInt(6)) {
      case 0 -> {
        Said inner = filter(random, depth - 1);
        yield new Said("not (" + inner.text + ")", inner.keeps.negate());
      }
      case 1 -> {
        Said left = filter(random, depth - 1);
        Said right = filter(random, depth - 1);
        yield new Said("(" + left.text + ") and (" + right.text + ")", left.keeps.and(right.keeps));
      }
      case 2 -> { // without parentheses: "and" binds tighter
        Said a = test(random);
        Said b = test(random);
        Said c = test(random);
        yield new Said(
            a.text + " or " + b.text + " and not " + c.text,
            a.keeps.or(b.keeps.and(c.keeps.negate())));
      }
      default -> {
        yield test(random);
      }
    };
  }

  private static Said test(SplittableRandom random) {
    String name = pick(random, NAMES);
    return switch (random.nextInt(6)) {
      case 0 -> {
        yield new Said("exists " + name, event -> event.containsKey(name));
      }
      case 1 -> {
        String word = pick(random, WORDS);
        yield new Said(
            name + " contains '" + word + "'",
            event -> event.get(name) instanceof String text && text.contains(word));
      }
      case 2 -> {
        Pattern pattern = Pattern.compile(pick(random, EXPRESSIONS));
        boolean not = random.nextBoolean();
        yield new Said(
            name + (not ? " !~ '" : " ~ '") + pattern + "'",
            event ->
                event.containsKey(name)
                    && not != (event.get(name) instanceof String s && pattern.matcher(s).find()));
      }
      case 3 -> {
        Object first = value(random);
        Object second = value(random);
        yield new Said(
            name + " in (" + literal(first) + ", " + literal(second) + ")",
            event ->
                compares(event.get(name), "=", first) || compares(event.get(name), "=", second));
      }
      default -> {
        Object value = value(random);
        String sign = pick(random, SIGNS);
        yield new Said(
            name + " " + sign + " " + literal(value),
            event -> compares(event.get(name), sign, value));
      }
    };
  }

  private static <T> T pick(SplittableRandom random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private static Object value(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> pick(random, WORDS);
      case 1 -> (long) random.nextInt(-2, 4);
      case 2 -> random.nextInt(-4, 8) / 2.0;
      default -> random.nextBoolean();
    };
  }

  private static String literal(Object value) {
    return value instanceof String text ? '"' + text + '"' : value.toString();
  }

  private static boolean compares(@Nullable Object value, String sign, Object literal) {
    if (value == null) {
      return false;
    }
    Integer order = order(value, literal);
    return switch (sign) {
      case "=", "==" -> order != null && order == 0;
      case "!=" -> order == null || order != 0;
      case "<" -> order != null && order < 0;
      case "<=" -> order != null && order <= 0;
      case ">" -> order != null && order > 0;
      default -> order != null && order >= 0;
    };
  }

  /// Null for kinds that cannot be compared.
  private static @Nullable Integer order(Object value, Object literal) {
    if (value instanceof Number && literal instanceof Number) {
      return new BigDecimal(value.toString()).compareTo(new BigDecimal(literal.toString()));
    }
    if (value instanceof String a && literal instanceof String b) {
      return a.compareTo(b); // no surrogates, so in the order of UTF-8
    }
    if (value instanceof Boolean a && literal instanceof Boolean b) {
      return a.compareTo(b);
    }
    return null;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.query.QuerySeeds#twenty")
  void filterKeepsWhatItsTextSays(long seed) {
    var random = new SplittableRandom(seed);
    AttributeValue scratch = new AttributeValue();
    for (int i = 0; i < 300; i++) {
      Said said = filter(random, 3);
      var filter = FilterParser.parse(said.text, NOW);
      for (int j = 0; j < 20; j++) {
        Map<String, Object> attributes = new LinkedHashMap<>();
        for (String name : NAMES) {
          if (random.nextInt(3) > 0) {
            attributes.put(name, value(random));
          }
        }
        Map<String, Object> line = new LinkedHashMap<>(attributes);
        line.put("id", "5a8c6b80-c64a-11f0-8080-808080808080");
        line.put("ts", "2025-11-20T19:15:00.000000001Z");
        line.put("type", "t");
        assertEquals(
            said.keeps.test(attributes),
            FilterEvaluation.keeps(filter, new LineEvent(line), scratch),
            () -> said.text + " over " + attributes);
      }
    }
  }
}
