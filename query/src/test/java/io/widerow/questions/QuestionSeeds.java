package io.widerow.questions;

import io.widerow.query.Token;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.Rfc3339;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/// Questions about [OracleEvents], of all kinds: ranges, types, filters, fields, both directions,
/// formats, limits, pages, aggregates, tails and plots. The same seed gives the same questions.
///
/// Of more than [#READ_MAX] events, all but a few questions ask for a part of the time: as much as
/// has [#READ_MIN] to [#READ_MAX] events, each order of magnitude as often as the next, as people
/// ask for minutes, hours and days.
public final class QuestionSeeds {
  private static final List<String> GLOBS =
      List.of("access*", "own.?", "cpu", "disk", "own|d", "*", "nothing", "a*r");
  private static final List<String> FIELDS = List.of("n", "x", "body", "host", "type", "n,host");
  private static final List<String> STATS =
      List.of(
          "count",
          "count,sum(n),min(n),max(n)",
          "avg(x),count",
          "count,p50(n),p99(n)",
          "count(distinct n),count(distinct host)",
          "min(x),max(x),sum(nothing)");
  private static final List<String> GROUPS = List.of("type", "host", "type,host", "nothing");
  private static final List<String> STEPS = List.of("1m", "17m", "1h", "5h", "1d");

  private static final int READ_MIN = 10_000;
  private static final int READ_MAX = 1_000_000;
  private static final int WHOLE_EVERY = 50; // one question in so many is about any part

  private final SplittableRandom random;
  private final int events;
  private double part = 1; // of all events, that a question is about

  private QuestionSeeds(SplittableRandom random, int events) {
    this.random = random;
    this.events = events;
  }

  /// @param count number of questions
  /// @param events number of the events that they are about
  public static List<Question> of(long seed, int count, int events) {
    QuestionSeeds seeds = new QuestionSeeds(new SplittableRandom(seed), events);
    List<Question> questions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      questions.add(seeds.next());
    }
    return questions;
  }

  private Question next() {
    part = events <= READ_MAX || random.nextInt(WHOLE_EVERY) == 0 ? 1 : narrowed();
    Question.Kind kind =
        switch (random.nextInt(10)) {
          case 0, 1, 2 -> Question.Kind.EVENTS;
          case 3, 4 -> Question.Kind.PAGES;
          case 5, 6 -> Question.Kind.STATS;
          case 7, 8 -> Question.Kind.TAIL;
          default -> Question.Kind.HISTOGRAM;
        };
    Map<String, List<String>> asked = new LinkedHashMap<>();
    switch (kind) {
      case EVENTS -> {
        events(asked);
        range(asked);
        if (random.nextInt(4) == 0) {
          asked.put("limit", List.of("" + random.nextInt(1, read())));
        }
      }
      case PAGES -> {
        events(asked);
        range(asked);
        asked.put("limit", List.of("" + random.nextInt(1 + read() / 20, 2 + read() / 4)));
      }
      case STATS -> {
        range(asked);
        stats(asked);
      }
      case TAIL -> {
        asked.put("after", List.of(Token.before(nanos()).toString()));
        if (random.nextInt(3) == 0 || part < 1) {
          asked.put("limit", List.of("" + random.nextInt(1, read())));
        }
      }
      case HISTOGRAM -> range(asked);
    }
    narrow(asked);
    return new Question(kind, asked);
  }

  private double narrowed() {
    return READ_MIN * Math.pow((double) READ_MAX / READ_MIN, random.nextDouble()) / events;
  }

  /// Events that an answer has, at most about.
  private int read() {
    return (int) (events * part);
  }

  private long nanos() {
    return OracleEvents.START - OracleEvents.SPAN + random.nextLong(2 * OracleEvents.SPAN);
  }

  private static String time(long nanos) {
    OutputBuffer text = new OutputBuffer(64);
    new Rfc3339(ZoneOffset.UTC).put(nanos, text);
    return text.toString();
  }

  private void range(Map<String, List<String>> asked) {
    long from = nanos();
    from -= random.nextBoolean() ? from % 1_000_000 : 0;
    if (random.nextInt(3) != 0 || part < 1) {
      asked.put("from", List.of(time(from)));
    }
    if (random.nextInt(3) != 0 || part < 1) {
      long span = (long) (OracleEvents.SPAN * part);
      asked.put("to", List.of(time(from + random.nextLong(1, span))));
    }
  }

  private void events(Map<String, List<String>> asked) {
    if (random.nextBoolean()) {
      asked.put("order", List.of("desc"));
    }
    if (random.nextInt(3) == 0) {
      asked.put("fields", List.of(FIELDS.get(random.nextInt(FIELDS.size()))));
    }
    switch (random.nextInt(4)) {
      case 0 -> asked.put("format", List.of("csv"));
      case 1 -> {
        asked.put("format", List.of("csv"));
        asked.put("csv-safe", List.of("true"));
      }
      default -> {}
    }
  }

  private void narrow(Map<String, List<String>> asked) {
    if (random.nextInt(3) == 0) {
      asked.put(
          "type",
          random
              .ints(random.nextInt(1, 3), 0, GLOBS.size())
              .distinct()
              .mapToObj(GLOBS::get)
              .collect(Collectors.toList()));
    }
    int number = random.nextInt(events);
    switch (random.nextInt(10)) {
      case 0 -> asked.put("where", List.of("n < " + number));
      case 1 -> asked.put("where", List.of("n >= %d and x < %d.5".formatted(number, number)));
      case 2 -> asked.put("where", List.of("body contains 'item/%d'".formatted(number % 1_000)));
      case 3 -> asked.put("where", List.of("host = 'h%d' or n = %d".formatted(number % 5, number)));
      case 4 -> asked.put("where", List.of("not host != 'h1' and body ~ 'took [0-9]$'"));
      case 5 -> asked.put("where", List.of("type = 'own.a' and body icontains 'TOOK 7'"));
      default -> {}
    }
  }

  private void stats(Map<String, List<String>> asked) {
    String stats = STATS.get(random.nextInt(STATS.size()));
    asked.put("stats", List.of(stats));
    if (random.nextBoolean()) {
      asked.put("by", List.of(GROUPS.get(random.nextInt(GROUPS.size()))));
    }
    if (random.nextInt(3) == 0) {
      asked.put("every", List.of(STEPS.get(random.nextInt(STEPS.size()))));
    }
    if (random.nextInt(4) == 0 && stats.startsWith("count,")) {
      asked.put("order-by", List.of("count desc"));
      asked.put("limit", List.of("" + random.nextInt(1, 20)));
    }
    if (random.nextInt(3) == 0) {
      asked.put("format", List.of("csv"));
    }
  }
}
