package io.widerow.query.fields;

import io.widerow.event.AttributeName;
import io.widerow.query.NameText;
import io.widerow.query.RangeQuery;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.survey.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Writes the field values that are new in a later time range, gone, or a greater or smaller share
/// of its events than before, as JSON lines:
///
/// ```
/// {"from":..,"to":..,"events":5210,"beforefrom":..,"beforeto":..,"before":4980,"exact":true}
/// {"change":"new","field":"version","value":"2.14.0","before":0,"after":151,"weight":209.3}
/// ```
///
/// The weight is the log-likelihood ratio G2 of the two counts, given how many events each range
/// has (Dunning, "Accurate Methods for the Statistics of Surprise and Coincidence", 1993). A share
/// is reported as greater or smaller from [#WEIGHT_LEAST] on, so that chance is not reported.
final class DiffResult {
  /// One in a thousand differences of pure chance has a greater weight.
  static final double WEIGHT_LEAST = 10.83;

  private static final Comparator<Row> WEAKEST_FIRST =
      Comparator.comparingDouble(Row::weight).thenComparing(Row::order, Comparator.reverseOrder());

  private final FieldsScan.Counted counted;
  private final int limit;
  private final PriorityQueue<Row> rows = new PriorityQueue<>(WEAKEST_FIRST); // at most `limit`
  private int order;
  private final List<String> untold = new ArrayList<>();

  private DiffResult(FieldsScan.Counted counted, int limit) {
    this.counted = counted;
    this.limit = limit;
  }

  /// @param told the value, as members of a JSON object
  /// @param order of fields, and of their values
  private record Row(
      String change,
      String field,
      String told,
      long before,
      long after,
      double weight,
      int order) {}

  static void write(DiffRequest asked, FieldsScan.Counted counted, OutputBuffer out) {
    var answer = new DiffResult(counted, asked.limit());
    answer.compare();
    answer.write(asked, out);
  }

  private void compare() {
    Map<String, FieldCounts> fields = new TreeMap<>();
    for (Map.Entry<AttributeName, FieldCounts> field : counted.fields().entrySet()) {
      fields.put(NameText.shown(field.getKey().toString()), field.getValue());
    }
    if (counted.types().values().distinct() > 0) {
      compare("type", counted.types());
    }
    fields.forEach(this::compare);
  }

  private void compare(String field, FieldCounts counts) {
    ValueCounts values = counts.values();
    if (counts.isNumber() && counts.hasManyNumbers()) {
      for (FieldCounts.Bin bin : counts.bins()) {
        String told = ",\"from\":" + Json.number(bin.from()) + ",\"to\":" + Json.number(bin.to());
        compare(field, told, bin.rest(), bin.picked());
      }
    } else if (DistributionDistance.isOfIds(counts)) {
      untold.add(field);
    } else {
      values.all().stream()
          .sorted(Comparator.comparing(ValueCounts.Counted::json))
          .forEach(
              value -> compare(field, ",\"value\":" + value.json(), value.rest(), value.picked()));
    }
  }

  private void compare(String field, String told, long before, long after) {
    double weight = weight(before, after);
    boolean more =
        (double) after * (double) counted.rest() > (double) before * (double) counted.picked();
    String change = before == 0 ? "new" : after == 0 ? "gone" : more ? "grew" : "shrank";
    if (before == 0 || after == 0 || weight >= WEIGHT_LEAST) {
      rows.add(new Row(change, field, told, before, after, weight, order++));
      if (rows.size() > limit) {
        rows.remove();
      }
    }
  }

  /// G2 of two counts. An empty range has none.
  private double weight(long before, long after) {
    double all = (double) (counted.rest() + counted.picked());
    double share = (double) (before + after) / all;
    double weight =
        2
            * (term((double) before, share * (double) counted.rest())
                + term((double) after, share * (double) counted.picked()));
    return Math.max(0, weight);
  }

  private static double term(double count, double expected) {
    return count == 0 || expected == 0 ? 0 : count * Math.log(count / expected);
  }

  private void write(DiffRequest asked, OutputBuffer out) {
    out.put("{" + range(asked.after(), "") + ",\"events\":" + counted.picked());
    out.put("," + range(asked.before(), "before") + ",\"before\":" + counted.rest());
    counted.putHowMuch(out);
    if (!untold.isEmpty()) {
      out.put(
          untold.stream().map(Json::string).collect(Collectors.joining(",", ",\"ids\":[", "]")));
    }
    out.put("}\n");
    rows.stream().sorted(WEAKEST_FIRST.reversed()).forEach(row -> write(row, out));
  }

  private static String range(RangeQuery range, String which) {
    return "\"%sfrom\":\"%s\",\"%sto\":\"%s\""
        .formatted(which, Json.time(range.fromNanos()), which, Json.time(range.untilNanos()));
  }

  private static void write(Row row, OutputBuffer out) {
    out.put("{\"change\":\"" + row.change + "\",\"field\":" + Json.string(row.field) + row.told);
    out.put(",\"before\":" + row.before + ",\"after\":" + row.after);
    out.put(String.format(Locale.ROOT, ",\"weight\":%.1f}%n", row.weight));
  }
}
