package io.widerow.query.series;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Takes one event apart: its number, or the numbers of its histogram, and a key that is equal for
/// the events of one series.
///
/// - Labels are the attributes that are texts, bytes, whole numbers or booleans. Fractions are
///   none: they are measured, as `value` is.
/// - Parts of the sample are not labels, see [Role].
/// - Threads: one.
/// - Memory: allocates nothing for a plain sample.
final class EventPoints {
  /// The number of the type in a key.
  static final int TYPE = -1;

  /// The number of the attribute that selects the series of a histogram.
  static final int FORM = -2;

  private static final byte[] NO_TEXT = {};

  private final Map<AttributeName, Attribute> known = new HashMap<>();
  private final List<Attribute> byNumber = new ArrayList<>();
  private @Nullable Attribute[] recent = new Attribute[32]; // by place in the event
  private final AttributeValue scratch = new AttributeValue();
  private final EventView.AttributeVisitor visitor = this::attribute;
  private final KeyBytes key = new KeyBytes();
  private final KeyBytes aside = new KeyBytes(); // attributes that only the whole event decides
  private final Map<Role, Integer> asideAt = new EnumMap<>(Role.class);
  private int place;
  private boolean histogram;
  private boolean isNative;
  private boolean hasValue;
  private long valueBits;
  private boolean stale;
  private boolean monotonic;
  private boolean hasSum;
  private long sumBits;

  /// The kind of an event.
  enum Kind {
    NONE,
    SAMPLE,
    STALE,
    HISTOGRAM,
    /// A native histogram of Prometheus, which is a sample of one series.
    NATIVE
  }

  /// The name of an attribute.
  ///
  /// @param number counts from 0
  private record Attribute(AttributeName name, int number, Role role) {}

  /// Reads an event.
  Kind show(EventView event) {
    place = 0;
    key.clear();
    aside.clear();
    asideAt.clear();
    hasValue = false;
    stale = false;
    monotonic = false;
    hasSum = false;
    event.readType(scratch);
    key.put(TYPE, scratch);
    event.forEach(scratch, visitor);
    histogram = !hasValue && hasCounts();
    isNative = !hasValue && !histogram && has(Role.SCHEMA) && !isText(Role.SCHEMA);
    if (!stale && !hasValue && !histogram && !isNative) {
      return Kind.NONE;
    }
    for (int at = 0; at < aside.length(); at = aside.next(at)) {
      if (isKey(byNumber.get(aside.number(at)).role(), at)) {
        key.put(aside, at, aside.next(at));
      }
    }
    if (histogram) {
      putForm();
    }
    if (stale) {
      return Kind.STALE;
    }
    return histogram ? Kind.HISTOGRAM : isNative ? Kind.NATIVE : Kind.SAMPLE;
  }

  private void attribute(AttributeName name, AttributeValue value) {
    Attribute attribute = known(name);
    Role role = attribute.role();
    switch (value.kind()) {
      case DOUBLE -> {
        if (role == Role.VALUE) {
          hasValue = true;
          valueBits = value.bits();
        } else if (role == Role.SUM) {
          hasSum = true;
          sumBits = value.bits();
        }
      }
      case LONG -> {
        if (role == Role.VALUE) {
          hasValue = true;
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
      found = new Attribute(name, byNumber.size(), Role.of(name.toString()));
      known.put(name, found);
      byNumber.add(found);
    }
    Attribute shared = new Attribute(name, found.number(), found.role());
    recent[at] = shared;
    return shared;
  }

  private void put(Attribute attribute, AttributeValue value) {
    if (attribute.role() == Role.LABEL) {
      key.put(attribute.number(), value);
    } else {
      asideAt.put(attribute.role(), aside.length());
      aside.put(attribute.number(), value);
    }
  }

  private void putForm() {
    List<String> form = new ArrayList<>(NumberList.names(text(Role.QUANTILES)));
    form.add(has(Role.BUCKETS) ? "buckets" : "");
    byte[] text = String.join(",", form).getBytes(StandardCharsets.UTF_8);
    scratch.setText(AttributeKind.STRING, MemorySegment.ofArray(text), 0, text.length);
    key.put(FORM, scratch);
  }

  /// Counts of OTLP, not of native histograms.
  private boolean hasCounts() {
    boolean parts = hasSum || has(Role.BUCKETS) || has(Role.QUANTILES) || has(Role.SCALE);
    return has(Role.COUNT) && !isText(Role.COUNT) && (parts || stale) && !has(Role.SCHEMA);
  }

  /// True when the event has the counts of a histogram or a summary.
  boolean isHistogram() {
    return histogram;
  }

  private boolean has(Role role) {
    return asideAt.containsKey(role);
  }

  private int at(Role role) {
    return asideAt.getOrDefault(role, -1);
  }

  private boolean isText(Role role) {
    return aside.kind(at(role)).isText();
  }

  /// Whether a series has it, as a label or because its buckets follow from it.
  private boolean isKey(Role role, int at) {
    return switch (role) {
      case TEMPORALITY -> !histogram && !monotonic;
      case EXEMPLARS -> !(aside.kind(at).isText() && beginsAsExemplars(aside.text(at)));
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

  /// The name of an attribute of the key.
  String name(int number) {
    return byNumber.get(number).name().toString();
  }

  /// The number of a sample: the bits of a double.
  long valueBits() {
    return valueBits;
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
    return has(role) && isText(role) ? aside.text(at(role)) : NO_TEXT;
  }
}
