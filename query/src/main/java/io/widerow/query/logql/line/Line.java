package io.widerow.query.logql.line;

import io.widerow.query.logql.LabelCondition;
import io.widerow.query.logql.LogqlNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/// One line with its labels while the stages of a pipeline change it. Reused for each event.
///
/// - Threads: one.
public final class Line {
  /// Where a label comes from.
  public enum Category {
    /// A label of the stream.
    STREAM,
    /// Another attribute of the event: structured metadata.
    METADATA,
    /// A stage of the pipeline.
    PARSED
  }

  /// After the name of a label that is taken.
  static final String EXTRACTED = "_extracted";

  /// Among more names, one is looked up.
  private static final int SEARCHED_MAX = 64;

  private final LineMemory memory;
  private long timeNanos;
  private @Nullable String text; // null while it is that of the event
  private @Nullable EventText source;
  private String[] names = new String[32];
  private String[] values = new String[32];
  private Category[] categories = new Category[32];
  private final List<String> ofStream = new ArrayList<>(); // names of the labels that it came with
  private boolean streamChanged; // a stage has removed or replaced one of them
  private int size;
  private final Map<String, Integer> places = new HashMap<>(); // of many names; empty when unknown
  private final Set<String> removed = new HashSet<>(); // parsed labels that are gone again
  private ParserHints hints = ParserHints.ALL;
  private boolean parserFailed;
  private boolean dropped;
  private boolean pushed;
  private boolean findsLevel;
  private String error = "";
  private String errorDetails = "";

  /// The text of the event that a line is of.
  interface EventText {
    String text();

    /// Length of the text in UTF-8.
    int bytes();

    /// True when the text is the body of the event, and not made of its attributes.
    boolean isBody();
  }

  Line(LineMemory memory) {
    this.memory = memory;
  }

  /// Where stages reserve what they make.
  LineMemory memory() {
    return memory;
  }

  void begin(long newTimeNanos, EventText newSource) {
    memory.begin();
    timeNanos = newTimeNanos;
    source = newSource;
    text = null;
    size = 0;
    places.clear();
    ofStream.clear();
    streamChanged = false;
    removed.clear();
    hints = ParserHints.ALL;
    parserFailed = false;
    dropped = false;
    pushed = false;
    findsLevel = false;
    error = "";
    errorDetails = "";
  }

  /// Marks the line of an event that was pushed as a part of a stream: its metadata makes series.
  void pushed() {
    pushed = true;
  }

  /// Sets the level of the event.
  ///
  /// @param isPushed whether the event was pushed with one; else it makes no series by itself
  void level(String level, boolean isPushed) {
    findsLevel = !isPushed;
    set(Category.METADATA, LabelMapping.DETECTED_LEVEL, level);
  }

  /// The labels that make a series without a grouping: those of the stream, and of stages. Metadata
  /// only belongs to them when the stream was pushed.
  public SortedMap<String, String> seriesLabels() {
    if (!pushed) {
      return labels(Category.STREAM, Category.PARSED);
    }
    SortedMap<String, String> labels = labels(Category.STREAM, Category.METADATA, Category.PARSED);
    int level = findsLevel ? find(LabelMapping.DETECTED_LEVEL) : -1;
    if (level >= 0 && categories[level] == Category.METADATA) {
      labels.remove(LabelMapping.DETECTED_LEVEL);
    }
    return labels;
  }

  /// Time of the event, nanoseconds since the Unix epoch.
  public long timeNanos() {
    return timeNanos;
  }

  public String text() {
    String known = text;
    if (known == null) {
      EventText of = source;
      known = of == null ? "" : of.text();
      text = known;
    }
    return known;
  }

  void setText(String newText) {
    text = newText;
    source = null;
  }

  /// True when the text is the body of the event as it was stored.
  boolean isBody() {
    EventText of = source;
    return of != null && of.isBody();
  }

  /// Length of the text in UTF-8.
  public int bytes() {
    EventText of = source;
    return of != null ? of.bytes() : utf8Length(text());
  }

  /// Length in UTF-8, in which half a surrogate pair is a question mark.
  static int utf8Length(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        bytes++;
      } else if (c < 0x800) {
        bytes += 2;
      } else if (!Character.isSurrogate(c)) {
        bytes += 3;
      } else if (i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1))) {
        bytes += 4;
        i++;
      } else {
        bytes++;
      }
    }
    return bytes;
  }

  private int find(String name) {
    if (size > SEARCHED_MAX) {
      return places().getOrDefault(name, -1);
    }
    for (int i = 0; i < size; i++) {
      if (names[i].equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /// The places of all names: a parser may find a hundred thousand in one line.
  private Map<String, Integer> places() {
    for (int i = places.size(); i < size; i++) {
      places.put(names[i], i);
    }
    return places;
  }

  /// The value of a label; null when the line does not have it.
  public @Nullable String get(String name) {
    if (name.equals(LogqlNames.ERROR)) {
      return error.isEmpty() ? null : error;
    }
    if (name.equals(LogqlNames.ERROR_DETAILS)) {
      return errorDetails.isEmpty() ? null : errorDetails;
    }
    int at = find(name);
    return at < 0 ? null : values[at];
  }

  /// True when the line has a label that makes a series: one of a stream without a value does not.
  public boolean isPresent(String name) {
    int at = find(name);
    return at >= 0 && (categories[at] != Category.STREAM || !values[at].isEmpty());
  }

  /// The value of a label; null when the line does not have it. Errors are no labels here: filters
  /// of numbers cannot look at them.
  @Nullable String label(String name) {
    int at = find(name);
    return at < 0 ? null : values[at];
  }

  boolean has(String name) {
    return find(name) >= 0;
  }

  /// Adds a label, or replaces it.
  void set(Category category, String name, String value) {
    int at = find(name);
    if (at < 0) {
      memory.reserveLabels(1);
      if (size == names.length) {
        names = Arrays.copyOf(names, 2 * size);
        values = Arrays.copyOf(values, 2 * size);
        categories = Arrays.copyOf(categories, 2 * size);
      }
      at = size++;
      names[at] = name;
    } else {
      streamChanged |= categories[at] == Category.STREAM;
    }
    if (category == Category.STREAM) {
      ofStream.add(name);
    }
    values[at] = value;
    categories[at] = category;
  }

  /// Sets the labels that parsers need to find.
  void hint(ParserHints newHints) {
    hints = newHints;
  }

  ParserHints hints() {
    return hints;
  }

  /// True when parsers have found all labels that are needed, or one for which the line is dropped.
  boolean isParsed() {
    Set<String> required = hints.required();
    if (required == null || dropped) {
      return dropped;
    }
    for (String name : required) {
      int at = find(name);
      boolean isFound = at >= 0 && categories[at] == Category.PARSED;
      if (!isFound && !removed.contains(name)) {
        return false;
      }
    }
    return true;
  }

  /// Adds what a parser has found, unless a stage made a label of that name before. A label of the
  /// event keeps its name, the parsed one gets `_extracted` after it.
  void parsed(String name, String value) {
    String free = free(name);
    if (!isMade(free) && hints.takes(free)) {
      set(Category.PARSED, free, value);
      drop(free);
    }
  }

  /// Drops the line when a filter of this label does not keep it.
  private void drop(String name) {
    LabelCondition condition = hints.conditions().get(name);
    dropped |= condition != null && !Pipeline.holds(condition, this);
  }

  /// True when a filter drops the line for what a parser has found.
  boolean isDropped() {
    return dropped;
  }

  /// Adds what a parser was asked for, whatever was found before.
  void extracted(String name, String value) {
    set(Category.PARSED, free(name), value);
  }

  private String free(String name) {
    return isFree(name) ? name : name + EXTRACTED;
  }

  /// True when a parser has made a label beside that of the event.
  boolean isExtracted(String name) {
    return isMade(name + EXTRACTED);
  }

  /// True when a stage made a label of this name, whether it is still there or not.
  boolean isMade(String name) {
    int at = find(name);
    return at >= 0 ? categories[at] == Category.PARSED : removed.contains(name);
  }

  /// The name of a label of the stream is not free, whatever stages have made of it.
  boolean isFree(String name) {
    int at = find(name);
    boolean isTaken = at >= 0 && categories[at] != Category.PARSED;
    return !isTaken && !(streamChanged && ofStream.contains(name));
  }

  void remove(String name) {
    switch (name) {
      case LogqlNames.ERROR -> error = "";
      case LogqlNames.ERROR_DETAILS -> errorDetails = "";
      default -> {
        int at = find(name);
        if (at >= 0) {
          removeAt(at);
        }
      }
    }
  }

  private void removeAt(int at) {
    noteRemoved(at);
    size--;
    places.clear();
    System.arraycopy(names, at + 1, names, at, size - at);
    System.arraycopy(values, at + 1, values, at, size - at);
    System.arraycopy(categories, at + 1, categories, at, size - at);
  }

  private void noteRemoved(int at) {
    streamChanged |= categories[at] == Category.STREAM;
    if (categories[at] == Category.PARSED) {
      removed.add(names[at]);
    }
  }

  /// Removes the labels that a test does not keep.
  void keep(BiPredicate<String, String> kept) {
    int left = 0;
    for (int i = 0; i < size; i++) {
      if (kept.test(names[i], values[i])) {
        names[left] = names[i];
        values[left] = values[i];
        categories[left] = categories[i];
        left++;
      } else {
        noteRemoved(i);
      }
    }
    size = left;
    places.clear();
  }

  /// Marks the line: a stage could not do its work on it.
  void fail(String newError, String details) {
    error = newError;
    errorDetails = details.isEmpty() ? errorDetails : details;
  }

  /// Marks the line: a parser could not read it.
  void failParsing(String newError, String details) {
    memory.reserveBuilt((long) newError.length() + details.length());
    fail(newError, details);
    parserFailed = true;
  }

  /// The same, and drops the line when a filter of errors does not keep it.
  void failStrictly(String newError, String details) {
    failParsing(newError, details);
    drop(LogqlNames.ERROR);
  }

  /// True when the line fails its query: a stage has failed on it, and the query does not ask for
  /// errors of parsers.
  public boolean fails() {
    return hasError() && !(parserFailed && hints.keepsErrors());
  }

  /// True when a stage has failed on the line.
  public boolean hasError() {
    return !error.isEmpty();
  }

  /// The labels of some categories, by name. A label of a stream has a value.
  public SortedMap<String, String> labels(Category... wanted) {
    memory.reserveLabels(size);
    SortedMap<String, String> labels = new TreeMap<>();
    for (int i = 0; i < size; i++) {
      for (Category category : wanted) {
        if (categories[i] == category && (category != Category.STREAM || !values[i].isEmpty())) {
          labels.put(names[i], values[i]);
        }
      }
    }
    boolean parsed = Arrays.asList(wanted).contains(Category.PARSED);
    if (parsed && !error.isEmpty()) {
      labels.put(LogqlNames.ERROR, error);
    }
    if (parsed && !errorDetails.isEmpty()) {
      labels.put(LogqlNames.ERROR_DETAILS, errorDetails);
    }
    return labels;
  }
}
