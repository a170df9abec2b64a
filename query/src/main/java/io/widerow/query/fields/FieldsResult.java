package io.widerow.query.fields;

import io.widerow.event.AttributeName;
import io.widerow.query.NameText;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.survey.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.PriorityQueue;
import java.util.Set;

/// Writes the counts of a [FieldsScan] as JSON lines:
///
/// ```
/// {"events":262942,"picked":272,"exact":true}
/// {"field":"version","kind":"string","events":262942,"distinct":2,"score":0.97,"values":[...]}
/// ```
///
/// Fields are in the order of their names, `type` first; with a pick, the most different first.
final class FieldsResult {

  private final FieldsRequest asked;
  private final FieldsScan.Counted counted;
  private final boolean picks;

  private FieldsResult(FieldsRequest asked, FieldsScan.Counted counted) {
    this.asked = asked;
    this.counted = counted;
    this.picks = asked.pick() != null;
  }

  /// A field and its score.
  private record Scored(String name, FieldCounts counts, OptionalDouble score) {
    double rank() {
      return score.orElse(-1);
    }
  }

  static void write(FieldsRequest asked, FieldsScan.Counted counted, OutputBuffer out) {
    new FieldsResult(asked, counted).write(out);
  }

  private void write(OutputBuffer out) {
    out.put("{\"events\":" + (counted.rest() + counted.picked()));
    if (picks) {
      out.put(",\"picked\":" + counted.picked());
    }
    counted.putHowMuch(out);
    out.put("}\n");
    for (Scored field : fields()) {
      write(field, out);
    }
  }

  private List<Scored> fields() {
    FieldsRequest.Pick pick = asked.pick();
    Set<String> without = pick == null ? Set.of() : pick.names();
    List<Scored> all = new ArrayList<>();
    String only = asked.field();
    if ((only == null || only.equals("type")) && counted.types().values().distinct() > 0) {
      add("type", counted.types(), without, all);
    }
    counted.fields().entrySet().stream()
        .sorted(Comparator.comparing(entry -> name(entry.getKey())))
        .forEach(entry -> add(name(entry.getKey()), entry.getValue(), without, all));
    if (picks) {
      all.sort(Comparator.comparingDouble(Scored::rank).reversed()); // stable
    }
    return all;
  }

  private static String name(AttributeName name) {
    return NameText.shown(name.toString());
  }

  private void add(String name, FieldCounts counts, Set<String> without, List<Scored> to) {
    if (!without.contains(name)) {
      OptionalDouble score =
          picks
              ? new DistributionDistance(counts, counted.rest(), counted.picked()).score()
              : OptionalDouble.empty();
      to.add(new Scored(name, counts, score));
    }
  }

  private void write(Scored field, OutputBuffer out) {
    FieldCounts counts = field.counts();
    ValueCounts values = counts.values();
    long events = counts.events(ValueCounts.REST) + counts.events(ValueCounts.PICKED);
    out.put("{\"field\":" + Json.string(field.name()));
    out.put(",\"kind\":\"" + counts.kind() + "\",\"events\":" + events);
    if (picks) {
      out.put(",\"picked\":" + counts.events(ValueCounts.PICKED));
    }
    out.put(",\"distinct\":" + values.distinct());
    if (values.isMany()) {
      out.put(",\"many\":true");
    }
    if (field.score().isPresent()) {
      out.put(String.format(Locale.ROOT, ",\"score\":%.4f", field.score().getAsDouble()));
    }
    if (counts.hasNumbers()) {
      out.put(",\"min\":" + Json.number(counts.least()));
      out.put(",\"max\":" + Json.number(counts.most()));
      out.put(",\"p50\":" + Json.number(counts.percentile(50)));
      out.put(",\"p99\":" + Json.number(counts.percentile(99)));
    }
    out.put(",\"values\":[");
    String comma = "";
    for (ValueCounts.Counted value : top(values)) {
      out.put(comma + "{\"value\":" + value.json() + ",\"count\":");
      out.put(Long.toString(value.rest() + value.picked()));
      out.put(picks ? ",\"picked\":" + value.picked() + "}" : "}");
      comma = ",";
    }
    out.put("]");
    if (counts.hasManyNumbers()) {
      bins(counts.bins(), out);
    }
    out.put("}\n");
  }

  private void bins(List<FieldCounts.Bin> bins, OutputBuffer out) {
    out.put(",\"bins\":[");
    String comma = "";
    for (FieldCounts.Bin bin : bins) {
      out.put(comma + "{\"from\":" + Json.number(bin.from()) + ",\"to\":" + Json.number(bin.to()));
      out.put(",\"count\":" + (bin.rest() + bin.picked()));
      out.put(picks ? ",\"picked\":" + bin.picked() + "}" : "}");
      comma = ",";
    }
    out.put("]");
  }

  /// Returns the most frequent values; with a pick, the values that are frequent in either part.
  private List<ValueCounts.Counted> top(ValueCounts values) {
    double rest = (double) Math.max(1, counted.rest());
    double picked = (double) Math.max(1, counted.picked());
    Comparator<ValueCounts.Counted> frequent =
        picks
            ? Comparator.comparingDouble(
                value -> -Math.max(value.rest() / rest, value.picked() / picked))
            : Comparator.comparingLong(value -> -value.rest());
    List<ValueCounts.Counted> top =
        first(values.all(), frequent.thenComparing(ValueCounts.Counted::json), asked.top());
    if (!picks) {
      return top;
    }
    return top.stream()
        .sorted(
            Comparator.comparingLong((ValueCounts.Counted value) -> -value.picked())
                .thenComparingLong(value -> -value.rest())
                .thenComparing(ValueCounts.Counted::json))
        .toList();
  }

  /// Returns the first elements in an order, as after a stable sort. Of 10,000 types nearly all are
  /// compared only once, with the last of the kept ones.
  private static <T> List<T> first(List<T> all, Comparator<T> order, int most) {
    Comparator<Integer> byNumber =
        Comparator.<Integer, T>comparing(all::get, order).thenComparing(Comparator.naturalOrder());
    PriorityQueue<Integer> kept = new PriorityQueue<>(byNumber.reversed());
    for (int number = 0; number < all.size(); number++) {
      if (kept.size() < most) {
        kept.add(number);
      } else if (order.compare(all.get(number), all.get(kept.element())) < 0) {
        kept.remove();
        kept.add(number);
      }
    }
    return kept.stream().sorted(byNumber).<T>map(all::get).toList();
  }
}
