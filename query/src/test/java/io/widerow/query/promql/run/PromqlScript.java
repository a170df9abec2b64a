package io.widerow.query.promql.run;

import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.PromqlExpr;
import io.widerow.query.promql.PromqlParser;
import io.widerow.query.series.HistogramValue;
import io.widerow.query.series.Labels;
import io.widerow.query.series.Labels.Label;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Runs a script of Prometheus' test language over samples in memory, or over a store that gets
/// them.
///
/// - Threads: one.
public final class PromqlScript implements SampleSource {
  private static final long LOOKBACK = 300_000;
  private static final Pattern EVAL =
      Pattern.compile(
          "eval(_fail|_warn|_info|_ordered)?\\s+(?:instant\\s+(?:at\\s+)?(\\S+)"
              + "|range\\s+from\\s+(\\S+)\\s+to\\s+(\\S+)\\s+step\\s+(\\S+))\\s+(.*)");

  /// They keep names until the end of a query, which is an experiment.
  private static final Set<String> LATE_NAMES =
      Set.of(
          "name_label_dropping:59",
          "name_label_dropping:64",
          "name_label_dropping:69",
          "name_label_dropping:74",
          "name_label_dropping:89",
          "name_label_dropping:115",
          "name_label_dropping:119",
          "name_label_dropping:123");

  /// Prometheus finds resets of counters that no sender told of, but only where a query needs no
  /// buckets; and texts that are not UTF-8 are read in another form here.
  private static final Set<String> OTHERWISE =
      Set.of(
          "aggregators:481",
          "native_histograms:1857",
          "native_histograms:1862",
          "native_histograms:1867",
          "native_histograms:1872",
          "native_histograms:1880",
          "native_histograms:1885",
          "native_histograms:1947",
          "native_histograms:1951",
          "native_histograms:1955");

  private final String name;
  private final List<String> lines;
  private final List<String> differences;
  private final Map<Labels, TreeMap<Long, Point>> series = new HashMap<>();
  private int at;
  private final Map<Labels, TreeMap<Long, ScriptHistograms.Classic>> classics = new HashMap<>();
  private final @Nullable Store store;
  private @Nullable SampleSource source; // of the store; null while it lacks samples
  private int evaluated;
  private int leftOut;
  private int otherwise;

  /// Writes samples.
  @FunctionalInterface
  public interface Store {
    /// A source with these series only; the one before is not used any more.
    SampleSource with(Map<Labels, List<Sample>> series);
  }

  /// A sample of a series; a histogram if it has one.
  public record Sample(long millis, double value, @Nullable HistogramValue histogram) {}

  /// @param differences gets a sentence for each evaluation with another result
  /// @param store null to keep the samples in memory
  public PromqlScript(
      String name, List<String> lines, List<String> differences, @Nullable Store store) {
    this.store = store;
    this.name = name;
    this.lines = lines.stream().map(line -> line.strip()).toList();
    this.differences = differences;
  }

  public int evaluated() {
    return evaluated;
  }

  /// Evaluations with another result, as is known.
  public int otherwise() {
    return otherwise;
  }

  public int leftOut() {
    return leftOut;
  }

  public void run() {
    while (at < lines.size()) {
      String line = lines.get(at++);
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      source = line.startsWith("eval") ? source : null;
      if (line.equals("clear")) {
        series.clear();
      } else if (line.startsWith("load")) {
        load(line);
      } else if (line.startsWith("eval")) {
        evaluate(line);
      } else {
        throw new IllegalStateException(name + ":" + at + ": " + line);
      }
    }
  }

  private List<String> block() {
    List<String> block = new ArrayList<>();
    while (at < lines.size() && !lines.get(at).isEmpty()) {
      String line = lines.get(at);
      if (line.startsWith("eval") || line.startsWith("load") || line.equals("clear")) {
        break;
      }
      at++;
      if (!line.startsWith("#")) {
        block.add(line);
      }
    }
    return block;
  }

  private void load(String line) {
    String[] words = line.split("\\s+", -1);
    long step = ScriptHistograms.millis(words[1]);
    for (String each : block()) {
      Described described = described(each);
      TreeMap<Long, Point> samples = series.computeIfAbsent(described.labels, _ -> new TreeMap<>());
      long time = 0;
      for (Point point : described.points) {
        if (point.kind != PointKind.NONE) {
          samples.put(time, point);
        }
        time += step;
      }
      if (words[0].equals("load_with_nhcb")) { // makes native histograms of them, too
        classic(described, step);
      }
    }
    classics.forEach((labels, times) -> {
      TreeMap<Long, Point> samples = series.computeIfAbsent(labels, _ -> new TreeMap<>());
      times.forEach((time, classic) ->
          samples.put(time, new Point(PointKind.HISTOGRAM, 0, classic.toNative())));
    });
    classics.clear();
  }

  private void classic(Described described, long step) {
    String metric = described.labels.get(Labels.NAME);
    String le = described.labels.get("le");
    Labels made =
        LabelEdits.with(
            LabelEdits.without(described.labels, List.of("le")),
            Labels.NAME,
            metric.replaceFirst("_(bucket|count|sum)$", ""));
    boolean isBucket = metric.endsWith("_bucket") && !le.isEmpty();
    if (!isBucket && !metric.endsWith("_count") && !metric.endsWith("_sum")) {
      return;
    }
    double bound;
    try {
      bound = isBucket ? ScriptHistograms.number(le) : 0;
    } catch (NumberFormatException none) {
      return;
    }
    var times = classics.computeIfAbsent(made, _ -> new TreeMap<>());
    long time = -step;
    for (Point point : described.points) {
      time += step;
      if (point.kind == PointKind.VALUE) {
        var classic = times.computeIfAbsent(time, _ -> new ScriptHistograms.Classic());
        if (isBucket) {
          classic.bucket(bound, point.value);
        } else if (metric.endsWith("_count")) {
          classic.count(point.value);
        } else {
          classic.sum(point.value);
        }
      }
    }
  }

  private enum PointKind {
    VALUE,
    STALE,
    NONE,
    HISTOGRAM
  }

  private record Point(PointKind kind, double value, @Nullable HistogramValue histogram) {
    Point(PointKind kind, double value) {
      this(kind, value, null);
    }

    boolean isSame(double number, @Nullable HistogramValue found) {
      HistogramValue wanted = histogram;
      if (wanted == null || found == null) {
        return wanted == null && found == null && same(value, number);
      }
      return ScriptHistograms.isSame(wanted, found, (one, other) -> same(one, other) ? 0 : 1);
    }
  }

  private record Described(Labels labels, List<Point> points, boolean bare) {}

  /// A series with its points: `up{job="x"} 1+1x5 _ stale`.
  private static Described described(String line) {
    int end = 0;
    boolean quoted = false;
    boolean braces = false;
    while (end < line.length()) {
      char c = line.charAt(end);
      quoted ^= c == '"' && (end == 0 || line.charAt(end - 1) != '\\');
      braces = quoted ? braces : c == '{' || (braces && c != '}');
      if (!quoted && !braces && (c == ' ' || c == '\t')) {
        break;
      }
      end++;
    }
    String left = line.substring(0, end);
    String right = line.substring(end).strip();
    boolean bare = right.isEmpty();
    if (bare) {
      right = left;
      left = "{}";
    }
    return new Described(labels(left), points(right), bare);
  }

  private static Labels labels(String text) {
    if (text.equals("{}")) {
      return LabelEdits.NONE;
    }
    List<Label> labels = new ArrayList<>();
    for (Matcher matcher : PromqlParser.matchers("series", text)) {
      labels.add(new Label(matcher.name(), matcher.text()));
    }
    labels.removeIf(each -> each.value().isEmpty());
    labels.sort(Comparator.comparing(Label::name));
    return new Labels(labels);
  }

  private static List<Point> points(String text) {
    List<Point> points = new ArrayList<>();
    var tokens = ScriptHistograms.TOKEN.matcher(text);
    while (tokens.find()) {
      String word = tokens.group();
      if (tokens.group(1) != null) {
        ScriptHistograms.series(tokens)
            .forEach(each -> points.add(new Point(PointKind.HISTOGRAM, 0, each)));
        continue;
      }
      var times = Pattern.compile("(.+?)x(\\d+)").matcher(word);
      boolean repeated = times.matches();
      String each = repeated ? times.group(1) : word;
      int count = repeated ? Integer.parseInt(times.group(2)) : 0;
      if (each.equals("_")) {
        for (int i = 0; i < Math.max(1, count); i++) {
          points.add(new Point(PointKind.NONE, 0));
        }
        continue;
      }
      if (each.equals("stale")) {
        for (int i = 0; i <= count; i++) {
          points.add(new Point(PointKind.STALE, 0));
        }
        continue;
      }
      var sum =
          Pattern.compile("([+-]?[^+-]+(?:[eE][+-]?\\d+)?)([+-][^+-]+(?:[eE][+-]?\\d+)?)")
              .matcher(each);
      boolean grows = repeated && sum.matches();
      double value = ScriptHistograms.number(grows ? sum.group(1) : each);
      double step = grows ? ScriptHistograms.number(sum.group(2)) : 0;
      for (int i = 0; i <= count; i++) {
        points.add(new Point(PointKind.VALUE, value));
        value += step;
      }
    }
    return points;
  }

  @Override
  public List<Samples> select(List<Matcher> matchers, long fromMillis, long lastMillis) {
    Store other = store;
    if (other != null) {
      SampleSource of = source == null ? other.with(all()) : source;
      source = of;
      return of.select(matchers, fromMillis, lastMillis);
    }
    List<Samples> found = new ArrayList<>();
    series.forEach((labels, samples) -> {
      if (fromMillis <= lastMillis
          && matchers.stream().allMatch(each -> each.test(labels.get(each.name())))) {
        var part = samples.subMap(fromMillis, true, lastMillis, true);
        boolean some = part.values().stream().anyMatch(each -> each.histogram != null);
        found.add(
            new Samples(
                labels,
                part.keySet().stream().mapToLong(each -> each).toArray(),
                part.values().stream()
                    .mapToDouble(each -> each.kind == PointKind.STALE ? Row.NONE : each.value)
                    .toArray(),
                some
                    ? part.values().stream().map(Point::histogram).toArray(HistogramValue[]::new)
                    : null));
      }
    });
    return found;
  }

  private Map<Labels, List<Sample>> all() {
    Map<Labels, List<Sample>> all = new HashMap<>();
    series.forEach((labels, points) -> {
      List<Sample> samples = new ArrayList<>();
      points.forEach((time, point) -> {
        double value = point.kind == PointKind.STALE ? Row.NONE : point.value;
        samples.add(new Sample(time, value, point.histogram));
      });
      all.put(labels, samples);
    });
    return all;
  }

  private void evaluate(String line) {
    int number = at;
    List<String> block = block();
    List<String> expects = new ArrayList<>();
    List<Described> expected = new ArrayList<>();
    for (String each : block) {
      if (each.startsWith("expect")) {
        expects.add(each);
      } else if (!each.isEmpty()) {
        expected.add(described(each));
      }
    }
    var eval = EVAL.matcher(line);
    if (!eval.matches()) {
      throw new IllegalStateException(name + ":" + number + ": " + line);
    }
    String kind = eval.group(1) == null ? "" : eval.group(1);
    String query = eval.group(6);
    boolean instant = eval.group(2) != null;
    StepTimes steps =
        instant
            ? StepTimes.at(ScriptHistograms.millis(eval.group(2)))
            : StepTimes.of(
                ScriptHistograms.millis(eval.group(3)),
                ScriptHistograms.millis(eval.group(4)),
                ScriptHistograms.millis(eval.group(5)));
    evaluated++;
    String difference = difference(query, steps, kind, expects, expected, 0);
    if (difference.isEmpty()
        && instant
        && !kind.equals("_ordered")
        && isRangeable(query, expects)) {
      long time = steps.fromMillis();
      difference =
          difference(
              query,
              StepTimes.of(time - 60_000, time + 60_000, 60_000),
              kind,
              expects,
              expected,
              1);
      difference = difference.isEmpty() ? "" : "as a range: " + difference;
    }
    if (difference.contains("experimental") || LATE_NAMES.contains(name + ":" + number)) {
      evaluated--;
      leftOut++;
    } else if (!difference.isEmpty() && OTHERWISE.contains(name + ":" + number)) {
      otherwise++;
    } else if (!difference.isEmpty()) {
      differences.add(name + ":" + number + ": " + query + "\n    " + difference);
    }
  }

  private static boolean isRangeable(String query, List<String> expects) {
    return expects.stream()
            .noneMatch(each ->
                each.startsWith("expect ordered")
                    || each.contains("string")
                    || each.contains("range vector")
                    || each.contains("warn")
                    || each.contains("info")
                    || each.contains("fail"))
        && !query.contains("step()")
        && !query.contains("range()")
        && !query.toLowerCase(java.util.Locale.ROOT).contains("start()")
        && !query.contains("end()");
  }

  private String difference(
      String query,
      StepTimes steps,
      String kind,
      List<String> expects,
      List<Described> expected,
      int step) {
    Annotations annotations = new Annotations(query);
    PromqlValue value;
    boolean fails =
        kind.equals("_fail") || expects.stream().anyMatch(e -> e.startsWith("expect fail"));
    try {
      PromqlExpr expr = PromqlParser.parse("query", query);
      value =
          new PromqlRun(this, steps, steps, LOOKBACK, annotations, _ -> {}, Helpers.NONE).run(expr);
    } catch (PromqlException failed) {
      String message = String.valueOf(failed.getMessage());
      for (String each : expects) {
        if (each.startsWith("expect fail msg:")
            && !message.equals(each.substring("expect fail msg:".length()).strip())) {
          return "fails with " + message;
        }
      }
      return fails ? "" : "fails: " + message;
    }
    if (fails) {
      return "does not fail";
    }
    if (step == 0) {
      String told = annotationDifference(expects, kind, annotations);
      if (!told.isEmpty()) {
        return told;
      }
    }
    return switch (value) {
      case PromqlValue.Text(String text) ->
          expects.stream().anyMatch(each -> each.contains("string") && each.contains(text))
              ? ""
              : "text " + text;
      case PromqlValue.Scalars(double[] values) ->
          expected.size() == 1 && steps.count() == 1 + 2 * step
              ? same(expected.getFirst().points.getFirst().value, values[step])
                  ? ""
                  : "is " + values[step]
              : compareScalars(expected, values);
      case PromqlValue.Samples(var all) -> samplesDifference(all, expected);
      case PromqlValue.Rows(var all, boolean ordered) ->
          rowsDifference(all, expected, steps, step, expects, kind);
    };
  }

  private static String compareScalars(List<Described> expected, double[] values) {
    List<Point> points = expected.isEmpty() ? List.of() : expected.getFirst().points;
    for (int i = 0; i < values.length; i++) {
      if (i >= points.size() || !same(points.get(i).value, values[i])) {
        return "scalars " + java.util.Arrays.toString(values);
      }
    }
    return "";
  }

  private static String samplesDifference(List<Samples> all, List<Described> expected) {
    Map<Labels, Samples> found = new HashMap<>();
    all.forEach(each -> found.put(each.labels(), each));
    for (Described each : expected) {
      Samples samples = found.remove(each.labels);
      if (samples == null) {
        return "no samples of " + LabelEdits.text(each.labels);
      }
      List<Point> points =
          each.points.stream()
              .filter(p -> p.kind == PointKind.VALUE || p.kind == PointKind.HISTOGRAM)
              .toList();
      if (points.size() != samples.values().length) {
        return samples.values().length + " samples of " + LabelEdits.text(each.labels);
      }
      for (int i = 0; i < points.size(); i++) {
        if (!points.get(i).isSame(samples.values()[i], samples.histogram(i))) {
          return "sample " + i + " is " + samples.values()[i];
        }
      }
    }
    return found.isEmpty() ? "" : "more samples: " + found.keySet();
  }

  private String annotationDifference(List<String> expects, String kind, Annotations annotations) {
    for (boolean warn : new boolean[] {true, false}) {
      String word = warn ? "warn" : "info";
      List<String> told = warn ? annotations.warnings() : annotations.infos();
      if (expects.stream().anyMatch(each -> each.equals("expect no_" + word)) && !told.isEmpty()) {
        return "tells " + told;
      }
      boolean wanted =
          kind.equals("_" + word)
              || expects.stream().anyMatch(each -> each.startsWith("expect " + word));
      if (wanted && told.isEmpty()) {
        return "tells no " + word;
      }
      for (String each : expects) {
        String prefix = "expect " + word + " msg:";
        if (each.startsWith(prefix) && !told.contains(each.substring(prefix.length()).strip())) {
          return "tells " + told;
        }
      }
    }
    return "";
  }

  private static String rowsDifference(
      List<Row> all,
      List<Described> expected,
      StepTimes steps,
      int step,
      List<String> expects,
      String kind) {
    boolean instant = steps.count() == 1 || step > 0;
    List<Row> rows = new ArrayList<>();
    for (Row row : all) {
      if (instant ? row.has(step) : row.hasAny()) {
        rows.add(row);
      }
    }
    boolean ordered =
        step == 0
            && (kind.equals("_ordered")
                || expects.stream().anyMatch(each -> each.startsWith("expect ordered")));
    Map<Labels, Row> found = new HashMap<>();
    for (Row row : rows) {
      if (found.put(row.labels(), row) != null) {
        return "twice: " + LabelEdits.text(row.labels());
      }
    }
    int place = 0;
    for (Described each : expected) {
      if (each.points.stream().allMatch(point -> point.kind == PointKind.NONE)) {
        continue;
      }
      Row row = found.remove(each.labels);
      if (row == null) {
        return "lacks "
            + LabelEdits.text(each.labels)
            + " has "
            + rows.stream().map(r -> LabelEdits.text(r.labels())).toList();
      }
      if (ordered && !rows.get(place++).labels().equals(each.labels)) {
        return "in another order: " + rows.stream().map(r -> LabelEdits.text(r.labels())).toList();
      }
      if (instant) {
        if (!each.points.getFirst().isSame(row.value(step), row.histogram(step))) {
          return LabelEdits.text(each.labels) + " is " + shown(row, step);
        }
        continue;
      }
      for (int i = 0; i < steps.count(); i++) {
        Point point = i < each.points.size() ? each.points.get(i) : new Point(PointKind.NONE, 0);
        boolean has = point.kind == PointKind.VALUE || point.kind == PointKind.HISTOGRAM;
        if (has != row.has(i) || (has && !point.isSame(row.value(i), row.histogram(i)))) {
          return "%s at step %d is %s"
              .formatted(LabelEdits.text(each.labels), i, row.has(i) ? shown(row, i) : "missing");
        }
      }
    }
    return found.isEmpty() ? "" : "more: " + found.keySet().stream().map(LabelEdits::text).toList();
  }

  private static String shown(Row row, int step) {
    HistogramValue histogram = row.histogram(step);
    return histogram == null
        ? String.valueOf(row.value(step))
        : histogram + " schema " + histogram.schema();
  }

  private static boolean same(double wanted, double found) {
    if (Double.isNaN(wanted) || Double.isNaN(found)) {
      return Double.isNaN(wanted) && Double.isNaN(found);
    }
    if (wanted == found) {
      return true;
    }
    double difference = Math.abs(wanted - found);
    double sum = Math.abs(wanted) + Math.abs(found);
    if (wanted == 0 || found == 0 || sum < Double.MIN_NORMAL) {
      return difference < 1e-300;
    }
    return difference / Math.min(sum, Double.MAX_VALUE) < 1e-6;
  }
}
