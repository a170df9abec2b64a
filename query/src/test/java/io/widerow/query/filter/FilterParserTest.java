package io.widerow.query.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.re2j.Pattern;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.FoldedText;
import io.widerow.event.RetentionPolicy;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.query.QueryException;
import io.widerow.query.RegexText;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import io.widerow.storage.FilteredRetention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a printed filter parses to the same filter, and an invalid one is refused at the right
/// character. Method: print random filters with random spaces and quotes and parse them; a table of
/// errors. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
class FilterParserTest {
  private static final long NOW = 1_763_666_100_000_000_000L;
  private static final List<Comparison> COMPARISONS = List.of(Comparison.values());
  private static final List<String> SIGNS = List.of("=", "!=", "<", "<=", ">", ">=");

  private static Filter filter(SplittableRandom random, int depth) {
    int kind = depth == 0 ? random.nextInt(3, 12) : random.nextInt(12);
    return switch (kind) {
      case 0 -> new Filter.Not(filter(random, depth - 1));
      case 1 -> new Filter.And(parts(random, depth));
      case 2 -> new Filter.Or(parts(random, depth));
      case 3 -> new Filter.Exists(name(random));
      case 4 -> new Filter.Contains(name(random), Text.of("\"'\\\n" + random.nextInt(9)));
      case 5 -> new Filter.Has(name(random), Text.of("\"'\\\n" + random.nextInt(9)));
      case 8 -> new Filter.ContainsFolded(name(random), FoldedText.of("É\n" + random.nextInt(9)));
      case 9 ->
          new Filter.OfType(
              new Filter.Compare(
                  AttributeName.of("type"),
                  COMPARISONS.get(random.nextInt(SIGNS.size())),
                  literal(random)));
      case 10 ->
          new Filter.OfTime(COMPARISONS.get(random.nextInt(SIGNS.size())), NOW + random.nextInt());
      case 11 ->
          new Filter.OfId(new EventId(random.nextLong(1L << 59), TimeUuid.tailOf(NOW, 1, 2)));
      case 6 ->
          new Filter.Matches(name(random), RegexText.part(Pattern.compile("^a\\d+ \"[^\"]*$")));
      default ->
          new Filter.Compare(
              name(random), COMPARISONS.get(random.nextInt(SIGNS.size())), literal(random));
    };
  }

  private static List<Filter> parts(SplittableRandom random, int depth) {
    List<Filter> parts = new ArrayList<>();
    for (int left = random.nextInt(2, 4); left > 0; left--) {
      parts.add(filter(random, depth - 1));
    }
    return parts;
  }

  private static AttributeName name(SplittableRandom random) {
    List<String> names =
        List.of("body", "a.b-c/@:_9", "and", "größe", "with space", "500", "type", "is");
    return AttributeName.of(names.get(random.nextInt(names.size())));
  }

  private static Literal literal(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> new Literal.Word(Text.of("\\x\t" + random.nextInt()));
      case 1 -> new Literal.Whole(random.nextLong());
      case 2 -> new Literal.Fraction((random.nextDouble() - 0.5) * 1e12);
      default -> new Literal.Truth(random.nextBoolean());
    };
  }

  private static String print(Filter filter) {
    return switch (filter) {
      case Filter.Everything(), Filter.ArrivedBefore _ ->
          throw new IllegalStateException("has no text");
      case Filter.And(var parts) -> join(parts, " and ");
      case Filter.Or(var parts) -> join(parts, "\nor ");
      case Filter.Not(Filter inner) -> "not(" + print(inner) + ")";
      case Filter.Exists(var name) -> "exists `" + name + "`";
      case Filter.Compare(var name, var comparison, var literal) ->
          "`" + name + "`" + SIGNS.get(COMPARISONS.indexOf(comparison)) + print(literal);
      case Filter.Contains(var name, var needle) -> "`" + name + "`contains" + quoted("" + needle);
      case Filter.ContainsFolded(var name, var needle) ->
          "`" + name + "` icontains" + quoted("" + needle);
      case Filter.OfType(Filter test) -> print(test).replace("`type`", "type");
      case Filter.OfTime(var comparison, long nanos) ->
          "ts" + SIGNS.get(COMPARISONS.indexOf(comparison)) + nanos;
      case Filter.OfId(EventId id) -> "id=" + id;
      case Filter.OfLevel(var comparison, var level) ->
          "level" + SIGNS.get(COMPARISONS.indexOf(comparison)) + level.word();
      case Filter.HasLevel() -> "level != unknown";
      case Filter.Has(var name, var words) -> "`" + name + "`has" + quoted("" + words);
      case Filter.Matches(var name, var test) ->
          "`" + name + "` ~ '" + ((RegexText) test).regex().pattern() + "'";
    };
  }

  private static String join(List<Filter> parts, String word) {
    return String.join(word, parts.stream().map(part -> "(" + print(part) + ")").toList());
  }

  private static String print(Literal literal) {
    return switch (literal) {
      case Literal.Word(Text text) -> quoted(text.toString());
      case Literal.Whole(long value) -> Long.toString(value);
      case Literal.Fraction(double value) -> Double.toString(value);
      case Literal.Truth(boolean value) -> Boolean.toString(value);
    };
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void printedFilterIsParsedBack(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 100; i++) {
      Filter filter = filter(random, 4);
      String text = print(filter);
      assertEquals(print(filter), print(FilterParser.parse(text, NOW)), text);
    }
  }

  @Test
  void literalsOfTimeAreNanoseconds() {
    assertEquals(
        new Filter.Compare(AttributeName.of("d"), Comparison.LESS, new Literal.Whole(1_500_000)),
        FilterParser.parse("d < 1.5ms", NOW));
    assertEquals(
        new Filter.Compare(AttributeName.of("at"), Comparison.EQUAL, new Literal.Whole(NOW)),
        FilterParser.parse("at == 2025-11-20T19:15:00Z", NOW));
  }

  @ParameterizedTest(name = "{1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "9|status ==",
        "1|and x = 1",
        "5|a = b",
        "5|a = \"open",
        "7|a = 1 b = 2",
        "2|(a = 1",
        "5|a ~ \"(\"",
        "5|a = 99999999999999999999",
        "2|a",
        "1|`open",
        "5|a in 1",
        "10|a contains 5",
        "1|)",
        "5|a = null",
        "6|a is nothing",
        "7|a not = 5",
        "4|id > \"5a8c6b80-c64a-11f0-8080-808080808080\"",
        "6|id = 17",
        "13|ts contains \"2025\"",
        "6|ts > someday",
        "8|type = nginx",
      })
  void errorPointsNearTheCharacter(int character, String text) {
    var refused = assertThrows(QueryException.Refused.class, () -> FilterParser.parse(text, NOW));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("at character "), message);
    int given = Integer.parseInt(message.replaceAll("(?s).*at character (\\d+).*", "$1"));
    assertTrue(given >= character && given <= text.length() + 1, message);
    assertTrue(message.contains(text), message);
  }

  /// Every time that a relative range takes, and the attribute that an answer shows as
  /// `attributes.ts`.
  @Test
  void ownNamesAreTheEventsOwn() {
    assertEquals(
        new Filter.OfTime(Comparison.GREATER, NOW - 900_000_000_000L),
        FilterParser.parse("ts > 15m", NOW));
    assertEquals(FilterParser.parse("ts = 1763666100", NOW), FilterParser.parse("ts = now", NOW));
    assertEquals(
        FilterParser.parse("ts >= '2025-11-20 19:15:00Z'", NOW),
        FilterParser.parse("ts>=1763666100000", NOW));
    var attribute =
        new Filter.Compare(AttributeName.of("ts"), Comparison.EQUAL, new Literal.Whole(5));
    assertEquals(attribute, FilterParser.parse("attributes.ts = 5", NOW));
    assertEquals(attribute, FilterParser.parse("`ts` = 5", NOW));
    assertEquals(new Filter.Everything(), FilterParser.parse("type is not null", NOW));
    assertEquals(
        FilterParser.parse("`attributes.ts` = 5", NOW),
        FilterParser.parse("attributes.attributes.ts = 5", NOW));
  }

  /// A policy of retention is set again, and removed, by its filter, however that is written.
  @ParameterizedTest(name = "{0} | {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "level<=debug | level  <=\tdebug | true",
        "level <= debug | (level <= debug) | true",
        "a = 1 and b = 2 | `b` == 2 and (a = 1) | true",
        "a = 1 or (b = 2 or c = 3) | c = 3 or a = 1 or b = 2 or a = 1 | true",
        "not (not a exists) | exists a | true",
        "a in (1, 2) | a = 2 or a = 1 | true",
        "type = 't' and a = 1 | a = 1 and type = \"t\" | true",
        "level <= debug | level < debug | false",
        "level = debug | level = 'debug' | false",
        "a = 1 and b = 2 | a = 1 or b = 2 | false",
        "a = 1 and (b = 2 or c = 3) | (a = 1 and b = 2) or c = 3 | false",
        "not (a = 1 and b = 2) | not a = 1 and b = 2 | false",
        "a = 1 | a = '1' | false",
        "a contains 'x' | a has 'x' | false"
      })
  void policyIsFoundByItsFilter(String text, String other, boolean same) {
    RetentionPolicy policy =
        new RetentionPolicy(
            "t*",
            Duration.ofDays(1),
            RetentionPolicy.UNLIMITED,
            Duration.ZERO,
            RetentionPolicy.Source.API);
    var set = FilteredRetention.of(policy, text, FilterParser.parse(text, NOW), NOW);
    assertEquals(same, set.isFor("t*", FilterParser.parse(other, NOW)));
    assertFalse(set.isFor("t", set.filter()));
  }

  @Test
  void depthIsLimited() {
    String deep = "(".repeat(100_000) + "a=1" + ")".repeat(100_000);
    assertThrows(QueryException.Refused.class, () -> FilterParser.parse(deep, NOW));
    String nots = "not ".repeat(10_000) + "a=1";
    assertThrows(QueryException.Refused.class, () -> FilterParser.parse(nots, NOW));
  }

  /// Compiling 4,000 characters took 75 MB, and twice the characters take four times the memory.
  @Test
  void expressionsAreLimitedTogether() {
    String half = "a ~ \"" + "x".repeat(1_499) + ".\"";
    assertEquals(
        FilterParser.parse(half, NOW),
        ((Filter.And) FilterParser.parse(half + " and " + half, NOW)).parts().getFirst());
    String more = half + " and " + half + " and b ~ \"y\"";
    var refused = assertThrows(QueryException.Refused.class, () -> FilterParser.parse(more, NOW));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("regular expressions of more than 3000 characters"), message);
  }
}
