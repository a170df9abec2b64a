package io.widerow.query.logql.line;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.event.StreamLabels;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.line.Line.Category;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Shows events as lines. The body is the line, byte for byte. An event without a body, or whose
/// body is no text, has its attributes as logfmt.
///
/// - Threads: one.
/// - Memory: borrows the event until the next [#show].
public final class EventLines {
  /// Whole numbers below this show as such, whatever their kind.
  public static final double WHOLE_LIMIT = 1e15;

  /// Of each character of a value: six when it is escaped, in a builder that grows, and the text.
  private static final long LOGFMT_BYTES = 24;

  private final LabelMapping labels;
  private final @Nullable List<AttributeName> names;
  private final boolean level;
  private final LineMemory memory;
  private final Line line;
  private final AttributeValue scratch = new AttributeValue();
  private final AttributeValue body = new AttributeValue();
  private final Text text = new Text();
  private final Map<String, Integer> alike = new HashMap<>(); // shown name to the last number
  private final Map<String, String> doubles = new TreeMap<>(); // metadata of the names of labels
  private boolean pushedLevel; // the event was pushed with a level as metadata
  private final StreamNames streams = new StreamNames();
  private @Nullable Set<String> stream; // names of its labels; null when it was not pushed

  /// @param names the attributes to show; null for all
  /// @param level whether the detected level is shown
  /// @param memory for the texts of a line
  public EventLines(
      LabelMapping labels, @Nullable List<AttributeName> names, boolean level, LineMemory memory) {
    this.memory = memory;
    this.line = new Line(memory);
    this.labels = labels;
    this.names = names == null ? null : List.copyOf(names);
    this.level = level;
  }

  /// The line of an event, valid until the next call.
  public Line show(EventView newEvent) {
    text.event = newEvent;
    text.known = false;
    alike.clear();
    doubles.clear();
    pushedLevel = false;
    line.begin(newEvent.timeNanos(), text);
    line.set(Category.STREAM, LabelMapping.SERVICE, newEvent.type());
    stream = newEvent.find(StreamLabels.FIELD, scratch) ? streams.of(scratch.toString()) : null;
    if (stream != null) {
      line.pushed();
    }
    List<AttributeName> only = names;
    if (only == null) {
      newEvent.forEach(scratch, this::attribute);
    } else {
      for (AttributeName name : only) {
        if (newEvent.find(name, scratch)) {
          attribute(name, scratch);
        }
      }
    }
    doubles.forEach((name, value) -> {
      String unique = line.has(name) ? name + Line.EXTRACTED : name;
      line.set(Category.METADATA, unique, value);
    });
    if (level || pushedLevel) {
      boolean isWord =
          Level.find(newEvent, scratch)
              && scratch.kind() == AttributeKind.STRING
              && scratch.length() > 0;
      if (isWord) {
        reserve(scratch);
      }
      line.level(isWord ? scratch.toString() : Level.UNKNOWN, pushedLevel);
    }
    return line;
  }

  private void attribute(AttributeName name, AttributeValue value) {
    String shown = labels.shown(name);
    Set<String> of = stream;
    if (shown.equals(LabelMapping.DETECTED_LEVEL)) {
      pushedLevel = of != null;
      return;
    }
    if (shown.equals(LabelMapping.SERVICE)
        || name.equals(AttributeName.BODY)
        || name.equals(StreamLabels.FIELD)) {
      return;
    }
    reserve(value);
    if (of != null) {
      pushed(name, shown, of, value);
      return;
    }
    boolean isText = value.kind() == AttributeKind.STRING;
    boolean isLabel = isText && labels.isLabel(name);
    if (isLabel && value.length() == 0) {
      return;
    }
    String unique = shown;
    while (line.has(unique)) {
      unique = shown + "_" + alike.merge(shown, 2, (before, _) -> before + 1);
    }
    line.set(isLabel ? Category.STREAM : Category.METADATA, unique, text(value));
  }

  /// A label of the stream, or metadata. When both have a name, metadata gets `_extracted` after
  /// it.
  private void pushed(
      AttributeName name, String shown, Set<String> labelNames, AttributeValue value) {
    String sent = name.toString();
    if (sent.startsWith(StreamLabels.METADATA_PREFIX)) {
      String own = LogqlNames.shown(sent.substring(StreamLabels.METADATA_PREFIX.length()));
      doubles.put(own, text(value)); // the label, if there is one, may come later
      return;
    }
    boolean isLabel = labelNames.contains(StreamLabels.shown(sent));
    String unique = shown;
    while (line.has(unique)) {
      unique = shown + "_" + alike.merge(shown, 2, (before, _) -> before + 1);
    }
    line.set(isLabel ? Category.STREAM : Category.METADATA, unique, text(value));
  }

  /// Bytes become a text that is longer by a third.
  private void reserve(AttributeValue value) {
    if (value.kind().isText()) {
      memory.reserveBuilt(value.length());
    }
  }

  /// A value as the text of a label.
  public static String text(AttributeValue value) {
    return switch (value.kind()) {
      case BYTES -> Base64.getEncoder().encodeToString(value.toBytes());
      case DOUBLE -> number(value.asDouble());
      default -> value.toString();
    };
  }

  private static String number(double value) {
    boolean isWhole = value == Math.rint(value) && Math.abs(value) < WHOLE_LIMIT;
    return isWhole ? Long.toString((long) value) : Double.toString(value);
  }

  /// The text of the current event.
  private final class Text implements Line.EventText {
    private @Nullable EventView event;
    private boolean known; // whether `body` is that of the event
    private boolean isBody;

    @Override
    public boolean isBody() {
      EventView of = event;
      if (!known) {
        known = true;
        isBody =
            of != null && of.find(AttributeName.BODY, body) && body.kind() == AttributeKind.STRING;
      }
      return isBody;
    }

    @Override
    public String text() {
      EventView of = event;
      if (isBody() || of == null) {
        memory.reserveBuilt(body.length());
        return body.toString();
      }
      return logfmt(of);
    }

    @Override
    public int bytes() {
      return isBody() ? body.length() : Line.utf8Length(text());
    }
  }

  private String logfmt(EventView event) {
    StringBuilder text = new StringBuilder();
    event.forEach(
        new AttributeValue(),
        (name, value) -> {
          if (name.equals(StreamLabels.FIELD)) {
            return;
          }
          long chars = (long) name.length() + (value.kind().isText() ? value.length() : 24);
          memory.reserve(LOGFMT_BYTES * chars);
          text.append(text.isEmpty() ? "" : " ")
              .append(LogfmtText.key(name.toString()))
              .append('=');
          LogfmtText.value(text(value), text);
        });
    return text.toString();
  }
}
