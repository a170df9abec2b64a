package io.widerow.query.series;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.storage.sketch.EventRun;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Takes one event apart: its numbers, or those of its histogram, and a key that is equal for the
/// events of the same labels. [EventForm] decides which attributes are labels.
///
/// - Of a sample, labels are the attributes that are texts, bytes, whole numbers or booleans.
///   Fractions are none: they are measured, as `value` is. Parts of the sample are not labels
///   either, see [Role].
/// - Of a measurement, every number and boolean that is no label is a field, `value` too.
/// - Of any other event, every number is a field, and labels are attributes that were asked for.
///
/// - Threads: one.
/// - Memory: allocates nothing for a plain sample.
final class EventPoints {
  /// The number of the type in a key, and of the field `value`.
  static final int TYPE = -1;

  /// The number of the attribute that selects the series of a histogram, or how names are made.
  static final int FORM = -2;

  /// Added to the number of an attribute whose name has the prefix [#TAG] because a field has it.
  static final int TAGGED = 1 << 30;

  /// The prefix that line protocol puts before the name of a tag that a field has, too.
  static final String TAG = "tag.";

  private static final byte[] NO_TEXT = {};
  private static final byte[] DELTA = {'d', 'e', 'l', 't', 'a'};
  private static final byte[] FIELDS = {'f'};
  private static final byte[] OTLP = {'o'};
  private static final byte[] OTLP_COUNTER = {'o', 'c'};

  private final Set<AttributeName> logLabels;
  private final Map<AttributeName, Attribute> known = new HashMap<>();
  private final List<Attribute> byNumber = new ArrayList<>();
  private @Nullable Attribute[] recent = new Attribute[32]; // by place in the event
  private final AttributeValue scratch = new AttributeValue();
  private final AttributeValue found = new AttributeValue();
  private final EventForm.Reader forms = new EventForm.Reader();
  private final EventView.AttributeVisitor ofSample = this::ofSample;
  private final EventView.AttributeVisitor ofMeasurement = this::ofMeasurement;
  private final EventView.AttributeVisitor ofLog = this::ofLog;
  private final KeyBytes key = new KeyBytes();
  private final KeyBytes aside = new KeyBytes(); // attributes that only the whole event decides
  private final Map<Role, Integer> asideAt = new EnumMap<>(Role.class);
  private EventForm form = EventForm.NONE;
  private @Nullable EventView event;
  private @Nullable EventRun run; // whose event is read; null for a plain event
  private int runAt;
  private int place;
  private boolean histogram;
  private boolean isNative;
  private boolean hasValue;
  private long valueBits;
  private boolean whole;
  private boolean stale;
  private boolean monotonic;
  private boolean exemplar; // of a series, and no sample
  private boolean hasSum;
  private long sumBits;
  private int[] fields = new int[16]; // numbers of attributes
  private long[] fieldBits = new long[16]; // of doubles
  private int fieldCount;

  /// The kind of an event.
  enum Kind {
    NONE,
    SAMPLE,
    STALE,
    HISTOGRAM,
    /// A native histogram of Prometheus or an exponential one of OTLP: a sample of one series.
    NATIVE,
    /// Several numbers, each of a series of its own.
    FIELDS
  }

  /// The name of an attribute.
  ///
  /// @param number counts from 0
  /// @param untagged the name without [#TAG]; null when it does not begin so
  private record Attribute(
      AttributeName name, int number, Role role, @Nullable AttributeName untagged) {}

  /// @param logLabels the labels of events that are neither samples nor measurements
  EventPoints(Set<AttributeName> logLabels) {
    this.logLabels = logLabels;
  }

  /// Reads one of the events of a run.
  Kind show(EventRun newRun, int at) {
    run = newRun;
    runAt = at;
    return read(newRun);
  }

  /// Reads an event.
  Kind show(EventView newEvent) {
    run = null;
    return read(newEvent);
  }

  private Kind read(EventView newEvent) {
    event = newEvent;
    form = forms.of(newEvent);
    begin(newEvent);
    if (form.isMeasurement()) {
      newEvent.forEach(scratch, ofMeasurement);
      return endFields();
    }
    newEvent.forEach(scratch, ofSample);
    boolean isExponential = has(Role.COUNT) && has(Role.SCALE) && !isText(Role.SCALE);
    histogram = !hasValue && !isExponential && hasCounts();
    isNative =
        !hasValue && !histogram && (isExponential || (has(Role.SCHEMA) && !isText(Role.SCHEMA)));
    if (exemplar) {
      return Kind.NONE;
    }
    if (!stale && !hasValue && !histogram && !isNative) {
      begin(newEvent);
      newEvent.forEach(scratch, ofLog);
      return endFields();
    }
    for (int at = 0; at < aside.length(); at = aside.next(at)) {
      if (isKey(byNumber.get(aside.number(at)).role(), at)) {
        key.put(aside, at, aside.next(at));
      }
    }
    if (form == EventForm.OTLP) {
      boolean isCounter = monotonic && !isDelta();
      put(FORM, isCounter ? OTLP_COUNTER : OTLP);
    }
    if (histogram) {
      putForm();
    }
    if (stale) {
      return Kind.STALE;
    }
    return histogram ? Kind.HISTOGRAM : isNative ? Kind.NATIVE : Kind.SAMPLE;
  }

  private void begin(EventView newEvent) {
    place = 0;
    key.clear();
    aside.clear();
    asideAt.clear();
    hasValue = false;
    stale = false;
    monotonic = false;
    exemplar = false;
    hasSum = false;
    histogram = false;
    isNative = false;
    fieldCount = 0;
    newEvent.readType(scratch);
    key.put(TYPE, scratch);
  }

  private Kind endFields() {
    if (fieldCount == 0) {
      return Kind.NONE;
    }
    put(FORM, FIELDS);
    return Kind.FIELDS;
  }

  /// Lets the event of a run have its own number.
  private void replace(Attribute attribute, AttributeValue value) {
    EventRun of = run;
    boolean isNumber = value.kind() == AttributeKind.DOUBLE || value.kind() == AttributeKind.LONG;
    if (of != null && isNumber && attribute.role() == Role.VALUE) {
      value.setBits(value.kind(), of.bits(runAt));
    }
  }

  private void ofSample(AttributeName name, AttributeValue value) {
    Attribute attribute = known(name);
    replace(attribute, value);
    Role role = attribute.role();
    switch (value.kind()) {
      case DOUBLE -> {
        if (role == Role.VALUE) {
          hasValue = true;
          whole = false;
          valueBits = value.bits();
        } else if (role == Role.SUM) {
          hasSum = true;
          sumBits = value.bits();
        }
        exemplar |= role == Role.EXEMPLAR;
      }
      case LONG -> {
        if (role == Role.VALUE) {
          hasValue = true;
          whole = true;
          valueBits = Double.doubleToRawLongBits(value.asDouble());
        } else if (role != Role.START && role != Role.FLAGS) {
          put(attribute, value);
        }
      }
      case BOOLEAN -> {
        if (role == Role.STALE) {
          stale = value.bits() != 0;
        } else if (role == Role.MONOTONIC) {
          monotonic = true;
        } else {
          put(attribute, value);
        }
      }
      case STRING, BYTES -> put(attribute, value);
    }
  }

  private void ofMeasurement(AttributeName name, AttributeValue value) {
    Attribute attribute = known(name);
    replace(attribute, value);
    AttributeName untagged = attribute.untagged();
    EventView of = event;
    if (name.equals(EventForm.FIELD)) {
      return;
    }
    boolean isText = value.kind().isText();
    boolean isTagged = untagged != null && isText && of != null && of.find(untagged, found);
    if (form.isLabel(isTagged && untagged != null ? untagged : name, isText)) {
      key.put(attribute.number() | (isTagged ? TAGGED : 0), value);
    } else if (!isText) {
      field(attribute.role() == Role.VALUE ? TYPE : attribute.number(), value);
    }
  }

  private void ofLog(AttributeName name, AttributeValue value) {
    Attribute attribute = known(name);
    replace(attribute, value);
    boolean isFraction = value.kind() == AttributeKind.DOUBLE;
    if (!isFraction && logLabels.contains(name)) {
      key.put(attribute.number(), value);
    }
    if (isFraction || value.kind() == AttributeKind.LONG) {
      field(attribute.number(), value);
    }
  }

  private void field(int number, AttributeValue value) {
    if (fieldCount == fields.length) {
      fields = Arrays.copyOf(fields, 2 * fieldCount);
      fieldBits = Arrays.copyOf(fieldBits, 2 * fieldCount);
    }
    fields[fieldCount] = number;
    fieldBits[fieldCount++] = Double.doubleToRawLongBits(value.asDouble());
  }

  private Attribute known(AttributeName name) {
    int at = place++;
    if (at == recent.length) {
      recent = Arrays.copyOf(recent, 2 * at);
    }
    Attribute last = recent[at];
    if (last != null && last.name().equals(name)) { // quick, as events of a block share names
      return last;
    }
    Attribute found = known.get(name);
    if (found == null) {
      String text = name.toString();
      boolean tagged = text.startsWith(TAG) && text.length() > TAG.length();
      found =
          new Attribute(
              name,
              byNumber.size(),
              Role.of(text),
              tagged ? AttributeName.of(text.substring(TAG.length())) : null);
      known.put(name, found);
      byNumber.add(found);
    }
    Attribute shared = new Attribute(name, found.number(), found.role(), found.untagged());
    recent[at] = shared;
    return shared;
  }

  private void put(Attribute attribute, AttributeValue value) {
    if (attribute.role() == Role.LABEL) {
      if (!attribute.name().equals(EventForm.FIELD)) {
        key.put(attribute.number(), value);
      }
    } else {
      asideAt.put(attribute.role(), aside.length());
      aside.put(attribute.number(), value);
    }
  }

  private void putForm() {
    List<String> form = new ArrayList<>(NumberList.names(text(Role.QUANTILES)));
    form.add(has(Role.BUCKETS) ? "buckets" : "");
    put(FORM, String.join(",", form).getBytes(StandardCharsets.UTF_8));
  }

  private void put(int number, byte[] text) {
    scratch.setText(AttributeKind.STRING, MemorySegment.ofArray(text), 0, text.length);
    key.put(number, scratch);
  }

  /// Counts of OTLP, not of native histograms.
  private boolean hasCounts() {
    boolean parts = hasSum || has(Role.BUCKETS) || has(Role.QUANTILES);
    return has(Role.COUNT) && !isText(Role.COUNT) && (parts || stale) && !has(Role.SCHEMA);
  }

  /// True when the event has the counts of a histogram or a summary.
  boolean isHistogram() {
    return histogram;
  }

  /// How the event says which attributes are labels.
  EventForm form() {
    return form;
  }

  /// Whether the key is that of a counter of OTLP.
  static boolean isOtlpCounter(byte[] form) {
    return Arrays.equals(form, OTLP_COUNTER);
  }

  private boolean isDelta() {
    return Arrays.equals(text(Role.TEMPORALITY), DELTA);
  }

  private boolean has(Role role) {
    return asideAt.containsKey(role);
  }

  private int at(Role role) {
    return asideAt.getOrDefault(role, -1);
  }

  private boolean isText(Role role) {
    return has(role) && aside.kind(at(role)).isText();
  }

  /// Whether a series has it, as a label or because its buckets follow from it.
  private boolean isKey(Role role, int at) {
    return switch (role) {
      case TEMPORALITY -> form != EventForm.OTLP && !histogram && !monotonic;
      case EXEMPLARS -> !(aside.kind(at).isText() && beginsAsExemplars(aside.text(at)));
      case DESCRIPTION -> form != EventForm.OTLP;
      case BOUNDS -> true;
      default -> !((histogram || isNative) && role.isOfHistograms());
    };
  }

  private static boolean beginsAsExemplars(byte[] text) {
    return text.length > 1 && text[0] == '[' && text[1] == '{';
  }

  /// Returns the key that is equal for the events of one series, valid until the next event.
  KeyBytes key() {
    return key;
  }

  /// The type of the event.
  String type() {
    return new String(key.text(0), StandardCharsets.UTF_8);
  }

  /// The name of an attribute of the key, or of a field.
  String name(int number) {
    return byNumber.get(number).name().toString();
  }

  /// Number of the fields of an event of [Kind#FIELDS].
  int fields() {
    return fieldCount;
  }

  /// The number of an attribute that is a field; [#TYPE] for `value`.
  int field(int index) {
    return fields[index];
  }

  /// The number in a field: the bits of a double.
  long fieldBits(int index) {
    return fieldBits[index];
  }

  /// The number of a sample: the bits of a double.
  long valueBits() {
    return valueBits;
  }

  /// Whether it was a whole number.
  boolean isWhole() {
    return whole;
  }

  /// The number of values that a histogram counts.
  double count() {
    return unsigned(aside.bits(at(Role.COUNT)));
  }

  static double unsigned(long count) {
    return count >= 0 ? count : Double.parseDouble(Long.toUnsignedString(count));
  }

  boolean hasSum() {
    return hasSum;
  }

  /// Their sum: the bits of a double.
  long sumBits() {
    return sumBits;
  }

  /// A text of a histogram; empty without it.
  byte[] text(Role role) {
    return isText(role) ? aside.text(at(role)) : NO_TEXT;
  }
}
