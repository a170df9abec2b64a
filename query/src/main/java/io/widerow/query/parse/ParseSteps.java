package io.widerow.query.parse;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.event.Text;
import io.widerow.query.DerivedFields;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import io.widerow.storage.Filters;
import io.widerow.storage.Grouping;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/// The steps behind the filter of a query: `| parse body as nginx | status >= 500`.
///
/// The store gets a filter that keeps all events that the steps keep, so that it skips blocks, and
/// evaluates the steps once for each distinct text of a dictionary:
///
/// ```
///   the text of the first source passes the steps      or
///   the event has a field of its own that a condition or another `parse` names
/// ```
///
/// That is exact for an event without such fields; others are left to the steps. There is no such
/// filter when a condition is on more than attributes, or keeps an event without the source.
public final class ParseSteps implements DerivedFields {
  /// Most steps `parse` of a query.
  public static final int PARSES_MAX = 8;

  private static final int IDLE_MAX = 8;
  private static final Filter EVERYTHING = new Filter.Everything();

  private final List<ParseStep> steps;
  private final Set<AttributeName> columns = new HashSet<>();
  private final Filter required;

  /// @param steps at least one of which parses
  public ParseSteps(List<ParseStep> steps) {
    this.steps = List.copyOf(steps);
    for (ParseStep step : steps) {
      switch (step) {
        case ParseStep.Parse(AttributeName source, _, _) -> columns.add(source);
        case ParseStep.Where(Filter filter) -> Filters.addColumns(filter, columns);
      }
    }
    this.required = ofStore();
  }

  List<ParseStep> steps() {
    return steps;
  }

  @Override
  public Set<AttributeName> columns() {
    return Set.copyOf(columns);
  }

  @Override
  public Filter required() {
    return required;
  }

  @Override
  public DerivedFields where(Filter further) {
    List<ParseStep> more = new ArrayList<>(steps);
    more.add(new ParseStep.Where(further));
    return new ParseSteps(more);
  }

  /// Events with the same values of all attributes that are looked at have the same fields.
  @Override
  public @Nullable Grouping grouping(Grouping wanted) {
    boolean isOfAttributes =
        steps.stream()
            .allMatch(
                step -> !(step instanceof ParseStep.Where(Filter f)) || Filters.isOfAttributes(f));
    if (!isOfAttributes || wanted.level() || !wanted.fields().isEmpty() || wanted.runs() != null) {
      return null;
    }
    Set<AttributeName> names = new TreeSet<>(columns);
    names.addAll(wanted.names());
    return new Grouping(List.copyOf(names), 0).withSteps(wanted.stepNanos(), wanted.phaseNanos());
  }

  @Override
  public Making begin() {
    return new ParsedEvent(this);
  }

  private Filter ofStore() {
    AttributeName source = null;
    Set<AttributeName> own = new HashSet<>(columns);
    List<Filter> conditions = new ArrayList<>();
    for (ParseStep step : steps) {
      switch (step) {
        case ParseStep.Parse(AttributeName name, _, _) -> source = source == null ? name : source;
        case ParseStep.Where(Filter filter) -> conditions.add(filter);
      }
    }
    if (source == null
        || conditions.isEmpty()
        || !conditions.stream().allMatch(ParseSteps::isOfAttributes)
        || new ParsedEvent(this).of(new LoneText(source)) != null) {
      return EVERYTHING;
    }
    own.remove(source);
    List<Filter> any = new ArrayList<>();
    any.add(new Filter.Matches(source, new Test(this, source, text())));
    own.stream().sorted().forEach(name -> any.add(new Filter.Exists(name)));
    return new Filter.Or(any);
  }

  private static boolean isOfAttributes(Filter filter) {
    return switch (filter) {
      case Filter.OfLevel _, Filter.HasLevel _ -> false;
      case Filter.And(var parts) -> parts.stream().allMatch(ParseSteps::isOfAttributes);
      case Filter.Or(var parts) -> parts.stream().allMatch(ParseSteps::isOfAttributes);
      case Filter.Not(Filter inner) -> isOfAttributes(inner);
      default -> Filters.isOfAttributes(filter) && !Filters.named(filter).contains(Level.FIELD);
    };
  }

  /// The longest text that a condition directly after the only `parse` asks for, where the fields
  /// are parts of the source; null when there is none.
  private @Nullable Text text() {
    boolean verbatim =
        steps.stream().filter(ParseStep.Parse.class::isInstance).count() == 1
            && steps.getFirst() instanceof ParseStep.Parse first
            && first.format().isVerbatim();
    Text longest = null;
    for (ParseStep step : steps) {
      if (verbatim && step instanceof ParseStep.Where(Filter filter)) {
        longest = longer(longest, text(filter));
      }
    }
    return longest;
  }

  private static @Nullable Text text(Filter filter) {
    return switch (filter) {
      case Filter.And(var parts) -> {
        Text longest = null;
        for (Filter part : parts) {
          longest = longer(longest, text(part));
        }
        yield longest;
      }
      case Filter.Compare(_, Comparison comparison, Literal.Word(Text text)) ->
          comparison == Comparison.EQUAL && text.length() > 0 ? text : null;
      case Filter.Contains(_, Text needle) -> needle;
      case Filter.Has(_, Text words) -> words;
      default -> null;
    };
  }

  private static @Nullable Text longer(@Nullable Text a, @Nullable Text b) {
    return a == null || (b != null && b.length() > a.length()) ? b : a;
  }

  /// The steps on an event that is nothing but a text.
  private static final class Test implements Filter.TextTest {
    private final ParseSteps steps;
    private final AttributeName source;
    private final @Nullable Text part;
    private final ArrayBlockingQueue<Run> idle = new ArrayBlockingQueue<>(IDLE_MAX);

    Test(ParseSteps steps, AttributeName source, @Nullable Text part) {
      this.steps = steps;
      this.source = source;
      this.part = part;
    }

    private record Run(ParsedEvent event, LoneText text) {}

    @Override
    public boolean keeps(MemorySegment memory, long offset, int length) {
      Run known = idle.poll();
      Run run = known != null ? known : new Run(new ParsedEvent(steps), new LoneText(source));
      boolean keeps = run.event.of(run.text.show(memory, offset, length)) != null;
      boolean _ = idle.offer(run);
      return keeps;
    }

    @Override
    public @Nullable Text required() {
      return part;
    }
  }

  /// An event of one text, or of none.
  private static final class LoneText implements EventView {
    private final AttributeName name;
    private final AttributeValue text = new AttributeValue();
    private boolean has;

    LoneText(AttributeName name) {
      this.name = name;
    }

    LoneText show(MemorySegment memory, long offset, int length) {
      text.setText(AttributeKind.STRING, memory, offset, length);
      has = true;
      return this;
    }

    @Override
    public boolean find(AttributeName wanted, AttributeValue out) {
      if (!has || !wanted.equals(name)) {
        return false;
      }
      out.setText(text.kind(), text.memory(), text.offset(), text.length());
      return true;
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
      if (find(name, scratch)) {
        visitor.visit(name, scratch);
      }
    }

    @Override
    public long idTime() {
      throw notAsked();
    }

    @Override
    public long idTail() {
      throw notAsked();
    }

    @Override
    public long version() {
      throw notAsked();
    }

    @Override
    public String type() {
      throw notAsked();
    }

    private static IllegalStateException notAsked() {
      return new IllegalStateException("a condition of attributes asks for nothing else");
    }
  }
}
