package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.FoldedText;
import io.widerow.event.RecordView;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: filters mean what [Filter] documents. Method: random filters over random events, compared
/// with an evaluator on plain maps and BigDecimal. Numbers are drawn from the edges.
class FilterEvaluationTest {
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final List<Comparison> COMPARISONS = List.of(Comparison.values());
  private static final long[] LONGS = {
    0,
    1,
    -1,
    42,
    (1L << 53) - 1,
    1L << 53,
    (1L << 53) + 1,
    -(1L << 53) - 1,
    Long.MAX_VALUE - 1,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1
  };
  private static final double[] DOUBLES = {
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    42,
    Double.MIN_VALUE,
    0x1p53,
    0x1p53 + 2,
    -0x1p53 - 2,
    0x1p63,
    -0x1p63,
    Double.MAX_VALUE,
    -Double.MAX_VALUE,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN
  };
  private static final String[] WORDS = {"", "a", "ab", "b", "é", "\0", "z\uffff", "z🦊", "abab"};
  private static final String[] NUMBERS = {
    "0",
    "-0",
    "042",
    "+1",
    "1.0",
    ".5",
    "5e-1",
    "42.",
    "1e",
    " 1",
    "1 ",
    "0x1",
    "-",
    ".",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "1e400",
    "-1E+400",
    "4.9e-324",
    "1.7976931348623157e308",
    "0.10000000000000000000000000000000000000000000000000000000000001",
    "0.100000000000000000000000000000000000000000000000000000000000001",
    "NaN",
    "Infinity",
    "٣"
  };
  private static final String[] FOLDED = {"A", "É", "aB", "bA", "Z\uFFFF", "🦊", "é", "B"};
  private static final List<String> TYPES = List.of("t", "ab", "é");
  private static final long TIME = 1_763_666_100_000_000_017L;

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#hundred")
  void agreesWithTheNaiveEvaluator(long seed) {
    var random = new SplittableRandom(seed);
    var scratch = new AttributeValue();
    try (var batch = new EventBatch(256, 1 << 16)) {
      for (int i = 0; i < 300; i++) {
        Map<String, Object> event = randomEvent(random, batch);
        RecordView view = new RecordView().show(batch.memory(), 0);
        for (int j = 0; j < 10; j++) {
          Filter filter = randomFilter(random, 3);
          assertEquals(
              naive(filter, event),
              FilterEvaluation.keeps(filter, view, scratch),
              () -> filter + " of " + event);
        }
      }
    }
  }

  @Test
  void missingAttributeIsUnequalToEverything() {
    var scratch = new AttributeValue();
    try (var batch = new EventBatch(256, 1 << 16)) {
      batch.begin(new byte[] {'t'}, 0, 1, 0);
      batch.end();
      RecordView view = new RecordView().show(batch.memory(), 0);
      for (Comparison comparison : Comparison.values()) {
        var filter = new Filter.Compare(AttributeName.of("a"), comparison, new Literal.Whole(1));
        boolean unequal = comparison == Comparison.NOT_EQUAL;
        assertEquals(unequal, FilterEvaluation.keeps(filter, view, scratch));
        assertEquals(!unequal, FilterEvaluation.keeps(new Filter.Not(filter), view, scratch));
      }
    }
  }

  @Test
  void containsOfNothingIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new Filter.Contains(AttributeName.of("a"), Text.of("")));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Filter.ContainsFolded(AttributeName.of("a"), FoldedText.of("")));
    assertThrows(
        IllegalArgumentException.class, () -> new Filter.Has(AttributeName.of("a"), Text.of("")));
  }

  private static Map<String, Object> randomEvent(SplittableRandom random, EventBatch batch) {
    Map<String, Object> event = new HashMap<>();
    batch.clear();
    String type = TYPES.get(random.nextInt(TYPES.size()));
    byte[] typeUtf8 = type.getBytes(StandardCharsets.UTF_8);
    long time = TIME + random.nextInt(3);
    event.put("(type)", type);
    event.put("(time)", time);
    batch.begin(typeUtf8, 0, typeUtf8.length, time);
    for (String name : NAMES) {
      byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
      switch (random.nextInt(6)) {
        case 0 -> {
          long value = LONGS[random.nextInt(LONGS.length)];
          event.put(name, value);
          batch.putLong(utf8, 0, 1, value);
        }
        case 1 -> {
          double value = DOUBLES[random.nextInt(DOUBLES.length)];
          event.put(name, value);
          batch.putDouble(utf8, 0, 1, value);
        }
        case 2 -> {
          boolean value = random.nextBoolean();
          event.put(name, value);
          batch.putBoolean(utf8, 0, 1, value);
        }
        case 3 -> {
          String value = word(random);
          event.put(name, value);
          batch.putString(utf8, 0, 1, value.getBytes(StandardCharsets.UTF_8));
        }
        case 4 -> {
          byte[] value = word(random).getBytes(StandardCharsets.UTF_8);
          event.put(name, value);
          batch.putBytes(utf8, 0, 1, value, 0, value.length);
        }
        default -> {} // the event does not have it
      }
    }
    assertEquals(null, batch.end());
    RecordView view = new RecordView().show(batch.memory(), 0);
    event.put("(id)", view.id());
    event.put("(arrival)", view.arrival());
    return event;
  }

  private static Filter randomFilter(SplittableRandom random, int depth) {
    String name = NAMES.get(random.nextInt(NAMES.size()));
    AttributeName attribute = AttributeName.of(name);
    int kind = random.nextInt(depth > 0 ? 14 : 11) - 5;
    return switch (kind) {
      case -5 -> new Filter.ArrivedBefore(random.nextInt(3));
      case -4 -> new Filter.ContainsFolded(attribute, folded(random));
      case -3 -> new Filter.OfType(typeTest(random, attribute));
      case -2 ->
          new Filter.OfTime(
              COMPARISONS.get(random.nextInt(COMPARISONS.size())), TIME + random.nextInt(3));
      case -1 -> new Filter.OfId(new EventId(TimeUuid.timeOfNanos(TIME), TimeUuid.tailLeast()));
      case 0 -> new Filter.Exists(attribute);
      case 1 -> new Filter.Contains(attribute, Text.of(WORDS[1 + random.nextInt(8)]));
      case 2 -> new Filter.Matches(attribute, (memory, offset, length) -> length > 0 && offset > 0);
      case 3 -> new Filter.Has(attribute, Text.of(WORDS[1 + random.nextInt(8)]));
      case 4, 5 ->
          new Filter.Compare(
              attribute, COMPARISONS.get(random.nextInt(COMPARISONS.size())), literal(random));
      case 6 -> new Filter.Not(randomFilter(random, depth - 1));
      case 7 ->
          new Filter.And(List.of(randomFilter(random, depth - 1), randomFilter(random, depth - 1)));
      default -> new Filter.Or(List.of(randomFilter(random, depth - 1), new Filter.Or(List.of())));
    };
  }

  private static FoldedText folded(SplittableRandom random) {
    return FoldedText.of(FOLDED[random.nextInt(FOLDED.length)]);
  }

  /// A test of the type. The same test of an attribute with the type's name has the same result.
  private static Filter typeTest(SplittableRandom random, AttributeName name) {
    Text word = Text.of(TYPES.get(random.nextInt(TYPES.size())));
    Comparison comparison = COMPARISONS.get(random.nextInt(COMPARISONS.size()));
    return switch (random.nextInt(5)) {
      case 0 -> new Filter.Compare(name, comparison, new Literal.Word(word));
      case 1 -> new Filter.ContainsFolded(name, FoldedText.of("B"));
      case 2 -> new Filter.Not(new Filter.Contains(name, word));
      case 3 ->
          new Filter.And(
              List.of(
                  new Filter.Exists(name), new Filter.Compare(name, comparison, literal(random))));
      default -> new Filter.Or(List.of(new Filter.Has(name, word)));
    };
  }

  private static Literal literal(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> new Literal.Whole(LONGS[random.nextInt(LONGS.length)]);
      case 1 -> new Literal.Fraction(DOUBLES[random.nextInt(DOUBLES.length)]);
      case 2 -> new Literal.Word(Text.of(word(random)));
      default -> new Literal.Truth(random.nextBoolean());
    };
  }

  private static String word(SplittableRandom random) {
    return random.nextInt(3) == 0
        ? NUMBERS[random.nextInt(NUMBERS.length)]
        : WORDS[random.nextInt(WORDS.length)];
  }

  private static boolean naive(Filter filter, Map<String, Object> event) {
    return switch (filter) {
      case Filter.Everything() -> true;
      case Filter.And(var parts) -> parts.stream().allMatch(part -> naive(part, event));
      case Filter.Or(var parts) -> parts.stream().anyMatch(part -> naive(part, event));
      case Filter.Not(var inner) -> !naive(inner, event);
      case Filter.OfType(var test) -> {
        Map<String, Object> alike = new HashMap<>();
        NAMES.forEach(name -> alike.put(name, String.valueOf(event.get("(type)"))));
        yield naive(test, alike);
      }
      case Filter.OfTime(var comparison, long nanos) ->
          naive(comparison, Long.valueOf(String.valueOf(event.get("(time)"))).compareTo(nanos));
      case Filter.OfId(var id) -> id.equals(event.get("(id)"));
      case Filter.ArrivedBefore(long arrival) ->
          Long.parseLong(String.valueOf(event.get("(arrival)"))) < arrival;
      case Filter.OfLevel _, Filter.HasLevel _ -> throw new AssertionError("not generated");
      case Filter.ContainsFolded(var name, var needle) ->
          event.get(name.toString()) instanceof String s && containsFolded(s, needle.toString());
      case Filter.Exists(var name) -> event.containsKey(name.toString());
      case Filter.Contains(var name, var needle) ->
          event.get(name.toString()) instanceof String s && s.contains(needle.toString());
      case Filter.Has(var name, var words) ->
          event.get(name.toString()) instanceof String s && hasWords(s, words.toString());
      case Filter.Matches(var name, _) ->
          event.get(name.toString()) instanceof String s && !s.isEmpty();
      case Filter.Compare(var name, var comparison, var literal) -> {
        Object value = event.get(name.toString());
        yield naive(comparison, value == null ? null : order(value, literal));
      }
    };
  }

  private static boolean containsFolded(String text, String needle) {
    for (int at = 0; at + needle.length() <= text.length(); at++) {
      if (text.substring(at, at + needle.length()).equalsIgnoreCase(needle)) {
        return true;
      }
    }
    return false;
  }

  /// An equivalent definition: a word's edge is where only one side belongs to a word.
  private static boolean hasWords(String text, String words) {
    String wordByte = "[A-Za-z0-9_\\x{80}-\\x{10ffff}]";
    boolean opens = words.substring(0, words.offsetByCodePoints(0, 1)).matches(wordByte);
    boolean closes =
        words.substring(words.offsetByCodePoints(words.length(), -1)).matches(wordByte);
    String regex =
        (opens ? "(?<!" + wordByte + ")" : "")
            + Pattern.quote(words)
            + (closes ? "(?!" + wordByte + ")" : "");
    return Pattern.compile(regex).matcher(text).find();
  }

  /// Null when the two are not comparable.
  private static @Nullable Integer order(Object value, Literal literal) {
    return switch (literal) {
      case Literal.Word(var text) ->
          value instanceof String s
              ? Integer.signum(
                  Arrays.compareUnsigned(
                      s.getBytes(StandardCharsets.UTF_8),
                      text.toString().getBytes(StandardCharsets.UTF_8)))
              : null;
      case Literal.Truth(boolean truth) ->
          value instanceof Boolean b ? Boolean.compare(b, truth) : null;
      case Literal.Whole(long whole) -> orderOf(number(value), whole);
      case Literal.Fraction(double fraction) -> orderOf(number(value), fraction);
    };
  }

  /// The number that a value is, or that its text has the form of; null for none.
  private static @Nullable Number number(Object value) {
    if (!(value instanceof String text)) {
      return value instanceof Number number ? number : null;
    }
    if (text.length() > NumberText.BYTES_MAX
        || !text.matches("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?")) {
      return null;
    }
    if (text.matches("[+-]?[0-9]+") && new BigInteger(text).bitLength() < 64) {
      return Long.valueOf(text);
    }
    return Double.valueOf(text);
  }

  /// Random digits, exponents and signs: the fast way to a double rounds as Java's own does.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#hundred")
  void numbersOfTextsAreThoseOfJava(long seed) {
    var random = new SplittableRandom(seed);
    var value = new AttributeValue();
    for (int i = 0; i < 1_000; i++) {
      String digits = Long.toString(random.nextLong() >>> random.nextInt(64));
      int point = random.nextInt(digits.length() + 1);
      String text =
          switch (random.nextInt(4)) {
            case 0 -> digits;
            case 1 -> digits + "e" + random.nextInt(-340, 340);
            default -> digits.substring(0, point) + "." + digits.substring(point);
          };
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      value.setText(AttributeKind.STRING, MemorySegment.ofArray(utf8), 0, utf8.length);
      Number expected = number(text);
      assertEquals(expected != null, NumberText.read(value), text);
      if (expected != null) {
        Number read =
            value.kind() == AttributeKind.LONG
                ? Long.valueOf(value.bits())
                : (Number) value.asDouble();
        assertEquals(expected, read, text);
      }
    }
  }

  /// A filter with its tests of the type decided says the same of events of that type.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#hundred")
  void typesAreDecidedBeforeAScan(long seed) {
    var random = new SplittableRandom(seed);
    var scratch = new AttributeValue();
    try (var batch = new EventBatch(256, 1 << 16)) {
      for (int i = 0; i < 300; i++) {
        randomEvent(random, batch);
        RecordView view = new RecordView().show(batch.memory(), 0);
        Filter filter = randomFilter(random, 3);
        Filter decided = Filters.ofType(filter, view.type());
        boolean keeps = FilterEvaluation.keeps(filter, view, scratch);
        assertEquals(keeps, FilterEvaluation.keeps(decided, view, scratch), filter::toString);
        assertFalse(Filters.testsType(decided), decided::toString);
        assertTrue(!keeps || Filters.mayKeepType(filter, view.type()), filter::toString);
      }
    }
  }

  private static @Nullable Integer orderOf(@Nullable Number a, Number b) {
    if (a == null) {
      return null;
    }
    if (Double.isNaN(a.doubleValue()) || Double.isNaN(b.doubleValue())) {
      return null;
    }
    if (Double.isInfinite(a.doubleValue()) || Double.isInfinite(b.doubleValue())) {
      return a.doubleValue() == b.doubleValue()
          ? 0
          : Double.compare(a.doubleValue(), b.doubleValue());
    }
    return exact(a).compareTo(exact(b));
  }

  private static BigDecimal exact(Number number) {
    return number instanceof Long whole
        ? BigDecimal.valueOf(whole)
        : new BigDecimal(number.doubleValue());
  }

  private static boolean naive(Comparison comparison, @Nullable Integer order) {
    if (order == null) {
      return comparison == Comparison.NOT_EQUAL;
    }
    return switch (comparison) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
      case GREATER -> order > 0;
      case GREATER_OR_EQUAL -> order >= 0;
    };
  }

  @Test
  void kindsAreWhatTheFormatSays() {
    for (AttributeKind kind : AttributeKind.values()) {
      assertEquals(kind, AttributeKind.of(kind.code));
    }
    assertThrows(IllegalArgumentException.class, () -> AttributeKind.of(0));
    assertThrows(IllegalArgumentException.class, () -> AttributeKind.of(6));
  }
}
