package io.widerow.query.logql.run;

import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.Units;
import io.widerow.query.logql.line.Fields;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Line.Category;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// The fields of the newest lines of a query: attributes of their events, and the fields that the
/// parsers find in the lines.
///
/// - Threads: one.
/// - Memory: the fields found, counted by the execution.
public final class DetectedFields {
  private static final long TEXT_BYTES = 128;
  private static final String JSON = "json";
  private static final String EXTRACTED = "_extracted";
  private static final Pattern WHOLE = Pattern.compile("[-+]?[0-9]{1,100}");
  private static final Set<String> TRUTHS =
      Set.of("t", "T", "TRUE", "true", "True", "f", "F", "FALSE", "false", "False");

  private final LogqlContext execution;
  private final Map<String, Values> fields = new TreeMap<>();

  public DetectedFields(LogqlContext execution) {
    this.execution = execution;
  }

  /// A field.
  ///
  /// @param label its name as a label
  /// @param type one of string int float boolean duration bytes
  /// @param cardinality number of values seen
  /// @param parsers the parsers that find it in lines; empty for an attribute
  /// @param jsonPath names of the members that lead to it in an object; empty when no line is one
  public record Field(
      String label, String type, int cardinality, List<String> parsers, List<String> jsonPath) {
    public Field {
      parsers = List.copyOf(parsers);
      jsonPath = List.copyOf(jsonPath);
    }
  }

  private static final class Values {
    private final SortedSet<String> values = new TreeSet<>();
    private final Set<String> parsers = new TreeSet<>();
    private List<String> jsonPath = List.of();
    private String type = "";
  }

  /// Reads lines.
  ///
  /// @param lineLimit how many of the newest
  public void read(LogQuery query, long fromNanos, long untilNanos, long lineLimit) {
    boolean parsed =
        query.stages().stream()
            .anyMatch(stage -> stage instanceof Stage.Json || stage instanceof Stage.Logfmt);
    LogRun run = new LogRun(execution, query, line -> read(line, parsed));
    run.read(fromNanos, untilNanos, true, lineLimit);
  }

  /// @param isParsed whether a stage has parsed the line
  private void read(Line line, boolean isParsed) {
    String text = line.text();
    Map<String, String> metadata = line.labels(Category.METADATA);
    metadata.forEach((label, value) -> add(label, value, "", ""));
    if (isParsed) {
      line.labels(Category.PARSED)
          .forEach((label, value) -> {
            if (!label.startsWith("__error")) {
              add(label, value, Fields.isJson(text) ? JSON : "logfmt", text);
            }
          });
      return;
    }
    Map<String, String> stream = line.labels(Category.STREAM);
    Fields.read(
        text,
        execution.lineMemory(),
        (label, value, parser) -> {
          boolean taken = stream.containsKey(label) || metadata.containsKey(label);
          add(taken ? label + EXTRACTED : label, value, parser, text);
        });
  }

  /// @param line from which a parser read it
  private void add(String label, String value, String parser, String line) {
    if (value.isEmpty()) {
      return;
    }
    Values of = fields.get(label);
    if (of == null) {
      execution.hold(2 * TEXT_BYTES + 2L * label.length());
      of = new Values();
      fields.put(label, of);
    }
    if (!of.values.contains(value)) {
      execution.hold(TEXT_BYTES + 2L * value.length());
      of.values.add(value);
    }
    if (!parser.isEmpty()) {
      of.parsers.add(parser);
    }
    if (parser.equals(JSON) && of.jsonPath.isEmpty()) {
      String sent =
          label.endsWith(EXTRACTED)
              ? label.substring(0, label.length() - EXTRACTED.length())
              : label;
      of.jsonPath = Fields.jsonPath(line, sent);
      of.jsonPath.forEach(name -> execution.hold(TEXT_BYTES + 2L * name.length()));
    }
    String type = type(value);
    of.type = of.type.isEmpty() || of.type.equals(type) ? type : both(of.type, type);
  }

  private static String both(String one, String other) {
    boolean numbers =
        (one.equals("int") || one.equals("float"))
            && (other.equals("int") || other.equals("float"));
    return numbers ? "float" : "string";
  }

  /// The first kind of number that a value is, in the order of Loki.
  static String type(String value) {
    if (WHOLE.matcher(value).matches() && Units.number(value) != null) {
      boolean fits = new BigInteger(value).bitLength() < Long.SIZE;
      return fits ? "int" : "float";
    }
    if (Units.number(value) != null) {
      return "float";
    }
    if (TRUTHS.contains(value)) {
      return "boolean";
    }
    if (Units.seconds(value) != null) {
      return "duration";
    }
    return Units.bytes(value) != null ? "bytes" : "string";
  }

  /// The fields by name, at most so many.
  public List<Field> fields(long limit) {
    List<Field> list = new ArrayList<>();
    fields.forEach((label, of) -> {
      if (list.size() < limit) {
        list.add(new Field(label, of.type, of.values.size(), List.copyOf(of.parsers), of.jsonPath));
      }
    });
    return list;
  }

  /// The values of a field in order, at most so many; none when it was not seen.
  public List<String> values(String label, long limit) {
    Values of = fields.get(label);
    return of == null ? List.of() : of.values.stream().limit(limit).toList();
  }
}
