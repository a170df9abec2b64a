package io.widerow.storage.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.Text;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.codec.BlockCompressor;
import io.widerow.storage.codec.BlockDecompressor;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.ColumnFlags;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.Needle;
import io.widerow.storage.codec.Series;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.segment.ColumnBuilder;
import io.widerow.storage.segment.ColumnEncoder;
import io.widerow.storage.segment.ColumnReader;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: lines are printed exactly, in any order of requests. A search of their parts finds exactly
/// the lines that contain a text, and misses none that has the words. Method: encode and decode
/// lines of random templates with every form of number, some alternating and some in rows; cut
/// texts out of them, mostly across edges, some with a byte changed, and search for these in the
/// printed lines too. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
@Timeout(300)
class TemplateSearchTest {
  private static final Path FILE = Path.of("f");
  private static final int NEEDLES = 400;

  /// Of longer ones there may be more parts to look for than pays.
  private static final int EXACT_MAX = 60;

  private static final String BYTES = "0123456789-:,. \"aé_=";

  static List<Long> seeds() {
    return Seeds.of(Slice.of(3, 12));
  }

  /// A kind of variable; each line draws its own.
  private enum Variable {
    SMALL,
    NUMBER,
    DIGITS,
    TIME,
    MILLIS,
    CLOCK,
    CLOCK_MILLIS,
    OR_HYPHEN,
    WORD,
    QUOTED,
    LONG,
    REPEATED
  }

  /// The events' clock, and how far some lines' clocks deviate from it.
  private record Clock(long start, int zoneMillis, int jitterMillis) {
    static Clock any(SplittableRandom random) {
      int zone = random.nextInt(-12, 12) * (random.nextBoolean() ? 3_600_000 : 0);
      int jitter = random.nextBoolean() ? 0 : 1 << random.nextInt(1, 20);
      return new Clock(random.nextLong(1L << 50), zone, jitter);
    }

    /// Ticks of 100 ns.
    long idTime(int line) {
      return start + 1_770_001L * line;
    }

    String print(int line, boolean millis, SplittableRandom random) {
      long shown = idTime(line) / 10_000 + zoneMillis;
      shown += jitterMillis == 0 ? 0 : random.nextInt(-jitterMillis, jitterMillis);
      long day = Math.floorMod(shown, 86_400_000L);
      long second = day / 1_000;
      String time = "%02d:%02d:%02d".formatted(second / 3_600, second / 60 % 60, second % 60);
      return millis ? time + ".%03d".formatted(day % 1_000) : time;
    }
  }

  private record Template(List<String> constants, List<Variable> variables) {}

  private static Template template(SplittableRandom random) {
    List<String> joints = List.of(" ", "=", " [", "] ", ": ", " n=", " 17 x ", ", ", " a1 ", "(");
    List<Variable> variables = new ArrayList<>();
    List<String> constants = new ArrayList<>();
    constants.add(random.nextBoolean() ? "" : "line of words ");
    for (int i = random.nextInt(1, 8); i > 0; i--) {
      variables.add(Variable.values()[random.nextInt(Variable.values().length)]);
      constants.add(joints.get(random.nextInt(joints.size())));
    }
    constants.set(
        constants.size() - 1, random.nextBoolean() ? "" : constants.getLast() + "and its end");
    return new Template(constants, variables);
  }

  private static String print(
      Template template, String shown, Clock clock, int at, SplittableRandom random) {
    StringBuilder line = new StringBuilder(template.constants.getFirst());
    for (int i = 0; i < template.variables.size(); i++) {
      Variable variable = template.variables.get(i);
      line.append(
          switch (variable) {
            case CLOCK -> clock.print(at, false, random);
            case CLOCK_MILLIS -> clock.print(at, true, random);
            case REPEATED -> shown;
            default -> print(variable, random);
          });
      line.append(template.constants.get(i + 1));
    }
    return line.toString();
  }

  private static String print(Variable variable, SplittableRandom random) {
    long any = random.nextLong(999_999_999_999_999_999L) >> random.nextInt(60);
    int time = random.nextInt(500);
    return switch (variable) {
      case SMALL -> String.valueOf(random.nextInt(40));
      case NUMBER -> String.valueOf(random.nextInt(3) == 0 ? -any : any);
      case DIGITS -> "%05d".formatted(random.nextInt(3_000));
      case TIME -> "23:%02d:%02d".formatted(time / 60, time % 60);
      case MILLIS -> "00:00:%02d,%03d".formatted(time % 60, random.nextInt(1_000));
      case OR_HYPHEN -> random.nextInt(4) == 0 ? "-" : String.valueOf(random.nextInt(2_000));
      case WORD -> "é17_".repeat(random.nextInt(2)) + "w" + random.nextInt(30);
      case QUOTED -> "\"" + " GET /17 ".substring(random.nextInt(9)) + "\"";
      case LONG -> "x".repeat(random.nextInt(200)) + random.nextInt(9);
      case CLOCK, CLOCK_MILLIS, REPEATED -> throw new AssertionError(variable);
    };
  }

  private static List<String> lines(Clock clock, SplittableRandom random) {
    List<Template> templates = new ArrayList<>();
    for (int i = random.nextInt(1, 5); i > 0; i--) {
      templates.add(template(random));
    }
    List<String> lines = new ArrayList<>();
    int alike = random.nextBoolean() ? 1 : 60; // average run of lines of one template
    Template template = templates.getFirst();
    for (int i = random.nextInt(40, 900); i > 0; i--) {
      String shown = String.valueOf(1_000 + random.nextInt(20));
      boolean whole = random.nextInt(60) == 0;
      if (random.nextInt(alike) == 0) {
        template = templates.get(random.nextInt(templates.size()));
      }
      String line = print(template, shown, clock, lines.size(), random);
      String strange = "no template fits %x ".formatted(random.nextInt()).repeat(random.nextInt(4));
      int begun = random.nextInt(3) == 0 ? line.indexOf(' ') + 1 : 0;
      lines.add(whole ? line.substring(0, begun) + strange : line);
    }
    return lines;
  }

  private static String needle(List<String> lines, SplittableRandom random) {
    String line = "";
    while (line.isEmpty()) {
      line = lines.get(random.nextInt(lines.size()));
    }
    int from = random.nextInt(line.length());
    int length = 1 + random.nextInt(random.nextInt(4) == 0 ? line.length() : 12);
    String needle = line.substring(from, Math.min(line.length(), from + length));
    if (random.nextInt(4) == 0) {
      int at = random.nextInt(needle.length());
      char other = BYTES.charAt(random.nextInt(BYTES.length()));
      needle = needle.substring(0, at) + other + needle.substring(at + 1);
    }
    return needle;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void partsTellWhatPrintedLinesDo(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 20; round++) {
      Clock clock = Clock.any(random);
      List<String> lines = lines(clock, random);
      read(
          lines,
          clock,
          random.nextBoolean() ? 1 : 7,
          reader -> {
            for (int i = 0; i < NEEDLES / 20; i++) {
              check(reader, lines, needle(lines, random));
            }
          });
    }
  }

  private static void check(ColumnReader reader, List<String> lines, String needle) {
    BitSet contain = new BitSet();
    BitSet have = new BitSet();
    MemorySegment memory;
    for (int i = 0; i < lines.size(); i++) {
      byte[] line = lines.get(i).getBytes(UTF_8);
      memory = MemorySegment.ofArray(line);
      contain.set(i, lines.get(i).contains(needle));
      have.set(i, FilterEvaluation.hasWords(Text.of(needle), memory, 0, line.length));
    }
    BitSet found = new BitSet();
    reader.search(new Needle(Text.of(needle), false), found);
    if (needle.length() <= EXACT_MAX) {
      assertEquals(contain, found, () -> "contains '" + needle + "'");
    }
    contain.stream().forEach(line -> assertTrue(found.get(line), "contains '" + needle + "'"));
    found.clear();
    reader.search(new Needle(Text.of(needle), true), found);
    BitSet missed = (BitSet) have.clone();
    missed.andNot(found);
    assertTrue(missed.isEmpty(), () -> "has '" + needle + "' misses " + missed);
    found.andNot(contain);
    assertTrue(
        found.isEmpty() || needle.length() > EXACT_MAX,
        () -> "has '" + needle + "' finds " + found);
  }

  /// An id at the end of each line: only its own line is printed.
  @Test
  void oneOfManyNumbersIsOneLine() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      lines.add("GET /item seq=" + (1_000_000_000_000L + 7L * i) + " t=00" + (100 + i));
    }
    read(
        lines,
        new Clock(0, 0, 0),
        7,
        reader -> {
          for (String needle :
              List.of("seq=1000000000700", "1000000000700", "seq=1000000000700 t=00200", "00200")) {
            BitSet found = new BitSet();
            reader.search(new Needle(Text.of(needle), true), found);
            assertEquals("{100}", found.toString(), needle);
          }
          BitSet found = new BitSet();
          reader.search(new Needle(Text.of("seq=100000000070"), true), found);
          assertEquals("{}", found.toString(), "a word that goes on");
          reader.search(new Needle(Text.of("seq=100000000070"), false), found);
          assertEquals("{100, 101}", found.toString());
        });
  }

  /// The search is bounded by its cost, and then it misses no line.
  @Test
  void textsOfManyPartsMissNone() {
    var random = new SplittableRandom(1);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      StringBuilder line = new StringBuilder();
      for (int k = 0; k < 60; k++) {
        line.append(i % 7 == 0 || random.nextBoolean() ? 1 : 3).append(' ');
      }
      lines.add(line.append(random.nextBoolean() ? 2 : 4).toString());
    }
    read(
        lines,
        new Clock(0, 0, 0),
        1,
        reader -> assertFewPartsMissNone(reader, lines, "1 ".repeat(20) + "2"));
  }

  private static void assertFewPartsMissNone(
      ColumnReader reader, List<String> lines, String needle) {
    BitSet found = new BitSet();
    reader.search(new Needle(Text.of(needle), false), found);
    for (int i = 0; i < lines.size(); i++) {
      assertTrue(found.get(i) || !lines.get(i).contains(needle), lines.get(i));
    }
    assertEquals(lines.size(), found.cardinality(), "too many parts to look for");
  }

  private interface Use {
    void of(ColumnReader reader);
  }

  private static void read(List<String> lines, Clock clock, int level, Use use) {
    ColumnBuilder column = new ColumnBuilder(AttributeName.BODY, AttributeKind.STRING);
    AttributeValue value = new AttributeValue();
    for (int i = 0; i < lines.size(); i++) {
      byte[] line = lines.get(i).getBytes(UTF_8);
      value.setText(AttributeKind.STRING, MemorySegment.ofArray(line), 0, line.length);
      column.add(i, value);
    }
    ByteSink out = new ByteSink();
    try (var compressor = new BlockCompressor(level, Throttle.NONE);
        var decompressor = new BlockDecompressor()) {
      var encoder = new ColumnEncoder(compressor, new TokenSet());
      long[] idTimes = new long[lines.size()];
      Arrays.setAll(idTimes, clock::idTime);
      EventTimes times = new EventTimes().of(idTimes);
      int flags = encoder.encode(column, lines.size(), new Series(), times, out);
      var reader = new ColumnReader(FILE, new LongDecoder(decompressor), decompressor);
      byte[] written = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
      reader.decode(
          new ByteSource(FILE).over(written, 0, out.length(), 0),
          AttributeKind.STRING,
          lines.size(),
          lines.size(),
          null,
          (flags & ColumnFlags.TIMED) != 0 ? times : null,
          (flags & ColumnFlags.COMPRESSED) != 0);
      use.of(reader);
      checkLines(reader, lines);
    }
  }

  /// Forwards, backwards, and on from anywhere.
  private static void checkLines(ColumnReader reader, List<String> lines) {
    var random = new SplittableRandom(lines.size());
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      order.add(i);
    }
    order.addAll(order.reversed().stream().toList());
    for (int i = 0; i < 20; i++) {
      int from = random.nextInt(lines.size());
      int step = random.nextBoolean() ? 1 : -1;
      for (int at = from, left = random.nextInt(300); left > 0; left--, at += step) {
        order.add(Math.floorMod(at, lines.size()));
      }
    }
    AttributeValue value = new AttributeValue();
    for (int line : order) {
      assertTrue(reader.value(line, value));
      assertEquals(lines.get(line), value.toString());
    }
  }
}
