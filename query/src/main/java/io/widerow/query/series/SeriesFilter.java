package io.widerow.query.series;

import com.google.re2j.Pattern;
import io.widerow.event.AttributeName;
import io.widerow.event.StreamLabels;
import io.widerow.event.Utf8;
import io.widerow.query.RegexText;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Matcher;
import io.widerow.storage.Filter;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Makes the filter that keeps the events of some series, and few others.
///
/// ```
///   name = "disk_used_percent"
///     type disk_used_percent  and  value, stale or count           a sample, or its histogram
///     type disk               and  used_percent                    a field
///     type disk_used          and  percent
///     type disk.used.percent ...                                   a metric of OTLP, or an alias
///   job = "a"
///     the text job, label.job or tag.job is "a", or another attribute may show as job
/// ```
///
/// - Threads: one.
final class SeriesFilter {
  private static final AttributeName TYPE = AttributeName.of("type");
  private static final Filter OF_OTLP = SeriesSelector.is(EventForm.FIELD, StreamLabels.OTLP);

  /// Events whose texts need not be labels.
  private static final Filter CHOOSY =
      new Filter.And(
          List.of(
              new Filter.Exists(EventForm.FIELD),
              new Filter.Not(SeriesSelector.is(EventForm.FIELD, StreamLabels.TEXTS))));

  private final List<Matcher> matchers;
  private final List<Matcher> ofNames;
  private final @Nullable Set<AttributeName> names;

  /// @param names all attributes that events may have; null when nobody knows
  SeriesFilter(List<Matcher> matchers, @Nullable Set<AttributeName> names) {
    this.matchers = matchers;
    this.ofNames = matchers.stream().filter(each -> each.name().equals(Labels.NAME)).toList();
    this.names = names;
  }

  Filter filter() {
    List<Filter> parts = new ArrayList<>();
    parts.add(ofName());
    for (Matcher matcher : matchers) {
      if (!matcher.name().equals(Labels.NAME)) {
        parts.add(ofLabel(matcher));
      }
    }
    return new Filter.And(parts);
  }

  /// Events of the types that may have the name: the attributes of others do not matter.
  static Filter types(List<Matcher> matchers) {
    String asked = new SeriesFilter(matchers, null).asked();
    return asked == null
        ? new Filter.Everything()
        : of(
            type ->
                asked.startsWith(type)
                    || asked.startsWith(LogqlNames.metric(type))
                    || asked.startsWith(OtlpNames.label(type)),
            new Filter.Everything());
  }

  /// The name that a matcher `=` asks for; null without one.
  private @Nullable String asked() {
    return ofNames.stream()
        .filter(each -> each.kind() == Matcher.Kind.EQUAL)
        .map(Matcher::text)
        .findFirst()
        .orElse(null);
  }

  private Filter ofName() {
    String asked = asked();
    List<Filter> any = new ArrayList<>();
    any.add(of(this::isOfSamples, SeriesSelector.SAMPLES));
    if (asked == null) {
      any.add(OF_OTLP); // its names are made of more than the type
      any.add(of(this::isOfFields, new Filter.Everything()));
      return new Filter.Or(any);
    }
    any.add(of(type -> asked.startsWith(OtlpNames.label(type)), OF_OTLP));
    for (int at = asked.indexOf('_', 1); at > 0; at = asked.indexOf('_', at + 1)) {
      String type = asked.substring(0, at);
      Filter hasField = hasField(asked.substring(at + 1));
      if (hasField != null) {
        any.add(of(each -> isSame(type, each), hasField));
      }
    }
    return new Filter.Or(any);
  }

  private static boolean isSame(String asked, String name) {
    return name.equals(asked) || LogqlNames.metric(name).equals(asked);
  }

  /// Events that have a field of this name, or one that shows so; null when none has.
  private @Nullable Filter hasField(String field) {
    Set<AttributeName> all = names;
    if (all == null) {
      return new Filter.Everything();
    }
    List<Filter> any =
        all.stream()
            .filter(name -> isSame(field, name.toString()))
            .map(name -> (Filter) new Filter.Exists(name))
            .toList();
    return any.isEmpty() ? null : new Filter.Or(any);
  }

  private boolean isOfSamples(String type) {
    return SeriesSelector.SUFFIXES.stream().anyMatch(suffix -> isName(type + suffix));
  }

  private boolean isName(String name) {
    return ofNames.stream()
        .allMatch(each ->
            each.test(name)
                || (each.kind() == Matcher.Kind.EQUAL && SeriesNames.isAlias(each.text(), name)));
  }

  /// Whether a field of the type may have the name.
  private boolean isOfFields(String type) {
    Set<AttributeName> all = names;
    return all == null || all.stream().anyMatch(name -> isName(type + "_" + name));
  }

  private static Filter of(Predicate<String> types, Filter more) {
    Filter ofType = new Filter.OfType(new Filter.Matches(TYPE, new TypeTest(types)));
    return new Filter.And(List.of(ofType, more));
  }

  /// Tests the name of a type.
  private record TypeTest(Predicate<String> keeps) implements Filter.TextTest {
    @Override
    public boolean keeps(MemorySegment memory, long offset, int length) {
      byte[] utf8 = RegexText.bytes(memory, offset, length);
      return keeps.test(new String(utf8, StandardCharsets.UTF_8));
    }
  }

  private Filter ofLabel(Matcher matcher) {
    String label = matcher.name();
    AttributeName name = SeriesSelector.attribute(label);
    if (name == null
        || !Utf8.isEncodable(matcher.text())
        || label.startsWith(SeriesSelector.EXPORTED)) {
      return new Filter.Everything();
    }
    if (matcher.test("")) { // only the attribute of this very name decides that it does not pass
      Filter fails = new Filter.And(List.of(ofText(matcher, name, false), new Filter.Not(CHOOSY)));
      return Role.of(label) == Role.LABEL ? new Filter.Not(fails) : new Filter.Everything();
    }
    List<Filter> any = new ArrayList<>();
    any.add(ofText(matcher, name, true));
    any.add(
        new Filter.And(
            List.of(new Filter.Exists(name), new Filter.Not(SeriesSelector.isText(name)))));
    for (String prefix : List.of(SeriesSelector.PREFIX, EventPoints.TAG)) {
      AttributeName renamed = SeriesSelector.attribute(prefix + label);
      if (renamed != null && (names == null || names.contains(renamed))) {
        any.add(ofText(matcher, renamed, true));
      }
    }
    if (SeriesSelector.MADE.contains(label)) {
      any.add(SeriesSelector.HISTOGRAM);
    }
    any.addAll(ofOthers(label));
    return new Filter.Or(any);
  }

  /// Events with other attributes that show as a label.
  private List<Filter> ofOthers(String label) {
    Set<AttributeName> all = names;
    if (all == null) {
      return label.contains("_") || label.equals("job") || label.equals("instance")
          ? List.of(new Filter.Everything())
          : List.of(OF_OTLP);
    }
    List<Filter> others = new ArrayList<>();
    for (AttributeName each : all) {
      String sent = each.toString();
      boolean shows =
          LogqlNames.shown(sent).equals(label)
              || OtlpNames.label(sent).equals(label)
              || (label.equals("job") && sent.equals("service.name"))
              || (label.equals("instance") && sent.equals("service.instance.id"))
              || (label.startsWith("otel_scope_") && sent.startsWith("scope."));
      if (shows && !sent.equals(label)) {
        others.add(new Filter.Exists(each));
      }
    }
    return others;
  }

  /// Keeps events whose attribute is a text that passes, or does not pass, a matcher.
  private static Filter ofText(Matcher matcher, AttributeName name, boolean passes) {
    Pattern regex = matcher.regex();
    Filter found =
        regex == null
            ? SeriesSelector.is(name, matcher.text())
            : new Filter.Matches(name, RegexText.whole(regex));
    return matcher.kind().isNegative() == passes
        ? new Filter.And(List.of(SeriesSelector.isText(name), new Filter.Not(found)))
        : found;
  }
}
