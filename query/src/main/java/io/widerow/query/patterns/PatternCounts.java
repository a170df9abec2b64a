package io.widerow.query.patterns;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.HeldMemory;
import io.widerow.query.QueryMemory;
import io.widerow.storage.sketch.ValueTable;
import io.widerow.storage.text.LineShape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Counts lines by type and shape. Of a text its first line counts, and of that its first
/// [#LINE_BYTES_MAX] bytes.
///
/// - Threads: one.
/// - Memory: at most [#SHAPES_MAX] shapes and samples, counted in [QueryMemory] until [#close].
public final class PatternCounts implements AutoCloseable {
  static final int LINE_BYTES_MAX = 1_000;
  static final int SHAPES_MAX = 5_000;
  private static final int SAMPLE_BYTES_MAX = 2_000;
  private static final int PATTERN_BYTES = 250; // besides its texts
  private static final int STEP_BYTES = 64;

  private final HeldMemory held;
  private final long stepNanos; // 0 for no steps
  private final LineShape shape = new LineShape();
  private final AttributeValue value = new AttributeValue();
  private final ValueTable types = new ValueTable(true);
  private final List<Shapes> ofTypes = new ArrayList<>(); // by number of the type
  private int shapes;
  private long lines;
  private long others;

  private static final class Shapes {
    private final String type;
    private final ValueTable shapes = new ValueTable(true);
    private final List<Pattern> patterns = new ArrayList<>(); // by number of the shape

    Shapes(String type) {
      this.type = type;
    }
  }

  /// @param stepNanos width of steps in which lines are counted; 0 for none
  public PatternCounts(QueryMemory memory, long stepNanos) {
    this.held = new HeldMemory(memory);
    this.stepNanos = stepNanos;
  }

  /// Counts the line of an event.
  ///
  /// @param line a text of the event; other values are left out
  public void add(EventView event, AttributeValue line) {
    if (line.kind() != AttributeKind.STRING || line.length() == 0) {
      return;
    }
    lines++;
    makeShape(line);
    event.readType(value);
    int type = types.add(value);
    if (type == ofTypes.size()) {
      ofTypes.add(new Shapes(event.type()));
    }
    Shapes of = ofTypes.get(type);
    value.setText(AttributeKind.STRING, MemorySegment.ofArray(shape.bytes()), 0, shape.length());
    int number = shapes == SHAPES_MAX ? of.shapes.find(value) : of.shapes.add(value);
    if (number < 0) {
      others++;
      return;
    }
    if (number == of.patterns.size()) {
      shapes++;
      of.patterns.add(
          new Pattern(
              of.type, new String(shape.bytes(), 0, shape.length(), StandardCharsets.UTF_8)));
      held.accept(PATTERN_BYTES + 2L * shape.length());
    }
    count(of.patterns.get(number), event, line);
  }

  private void makeShape(AttributeValue line) {
    int most = Math.min(line.length(), LINE_BYTES_MAX);
    byte[] text = shape.room(most);
    MemorySegment.copy(line.memory(), ValueLayout.JAVA_BYTE, line.offset(), text, 0, most);
    int end = 0;
    while (end < most && text[end] != '\n') {
      end++;
    }
    boolean cut = end == most && most < line.length();
    while (cut && end > 0 && text[end - 1] != ' ') {
      end--; // no half word or character
    }
    while (end > 0 && text[end - 1] == '\r') {
      end--;
    }
    shape.make(end, cut);
  }

  private void count(Pattern pattern, EventView event, AttributeValue line) {
    long nanos = event.timeNanos();
    if (pattern.add(event.id(), nanos)) {
      String before = pattern.sample();
      String sample = sample(line);
      pattern.setSample(sample);
      held.accept(sample.length() - before.length());
    }
    if (stepNanos > 0 && pattern.addTo(Math.floorDiv(nanos, stepNanos) * stepNanos)) {
      held.accept(STEP_BYTES);
    }
  }

  private static String sample(AttributeValue line) {
    int length = Math.min(line.length(), SAMPLE_BYTES_MAX);
    byte[] bytes = new byte[length];
    MemorySegment.copy(line.memory(), ValueLayout.JAVA_BYTE, line.offset(), bytes, 0, length);
    String text = new String(bytes, StandardCharsets.UTF_8);
    return length < line.length() ? text + "..." : text;
  }

  /// Lines that were counted.
  public long lines() {
    return lines;
  }

  /// Lines of further shapes, which no pattern has.
  public long others() {
    return others;
  }

  /// The patterns, the most frequent first; words that many shapes differ in are variables too, see
  /// [ShapeFold].
  ///
  /// @throws io.widerow.query.QueryException.OverBudget when there is no memory left to fold them
  public List<Pattern> patterns() {
    List<Pattern> all = new ArrayList<>();
    for (Shapes of : ofTypes) {
      all.addAll(new ShapeFold(of.patterns, held).fold());
    }
    all.sort(
        Comparator.comparingLong(Pattern::lines)
            .reversed()
            .thenComparing(Pattern::type)
            .thenComparing(Pattern::shape));
    return all;
  }

  /// Gives its memory back.
  @Override
  public void close() {
    held.close();
  }
}
