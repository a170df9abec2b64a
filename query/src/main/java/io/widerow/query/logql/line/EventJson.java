package io.widerow.query.logql.line;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.event.StreamLabels;
import io.widerow.query.output.OutputBuffer;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Writes the entry of an event whose line no stage changes, and the labels of its stream, as Loki
/// does, while it visits the attributes once:
///
/// ```
///   event     agent="x" app="web" body="GET /" status=404
///   labels    {"app":"web","service_name":"shop"}
///   entry     ["1760000400000000001","GET /",{"structuredMetadata":{"agent":"x",...}}]
/// ```
///
/// That takes names in ascending order of what they show. An event in which two names show alike,
/// or in another order, or metadata of the name of a label, needs its line, see [EventLines].
///
/// - Threads: one.
/// - Memory: the names of attributes, at most [#NAMES_MAX] of a list of labels, and a thousand
///   lists.
public final class EventJson {
  private static final int NAMES_MAX = 1 << 12;
  private static final int LISTS_MAX = 1_000;

  private static final byte[] START = ascii("[\"");
  private static final byte[] TEXT = ascii("\",\"");
  private static final byte[] METADATA = ascii("\",{\"structuredMetadata\":{");
  private static final byte[] END = ascii("}}]");
  private static final byte[] SERVICE = ascii("\"" + LabelMapping.SERVICE + "\":\"");
  private static final byte[] LEVEL = ascii("\"" + LabelMapping.DETECTED_LEVEL + "\":\"");
  private static final byte[] TRUE = ascii("true");
  private static final byte[] FALSE = ascii("false");
  private static final byte[] UNKNOWN = ascii(Level.UNKNOWN);

  private final LabelMapping labels;
  private final boolean categorized;
  private final AttributeValue value = new AttributeValue();
  private final EventView.AttributeVisitor visitor = this::attribute;
  private final OutputBuffer level = new OutputBuffer(64); // that of the event, as JSON
  private final OutputBuffer scratch = new OutputBuffer(64);
  private String typeLast = "";
  private byte[] typeJson = new byte[0];
  private final Names unlisted = new Names(null);
  private final Map<String, Names> lists = new HashMap<>();
  private MemorySegment listLast = MemorySegment.ofArray(new byte[0]); // the last one of these
  private @Nullable Names namesLast;

  // The current event.
  private Names names = unlisted;
  private Name previous = unlisted.first;
  private OutputBuffer stream = scratch;
  private OutputBuffer metadata = scratch;
  private boolean plain;
  private boolean typeLeft; // not written yet
  private boolean levelLeft;

  /// @param categorized whether metadata are written to the entry; else they are labels
  public EventJson(LabelMapping labels, boolean categorized) {
    this.labels = labels;
    this.categorized = categorized;
  }

  /// The uses of an attribute.
  private enum Use {
    /// A label of the stream.
    LABEL,
    /// A label of the stream where it is a text, else metadata.
    LABEL_OF_TEXT,
    METADATA,
    /// It is the text, or is shown in another way.
    HIDDEN,
    /// Only the line shows what it is.
    UNSURE
  }

  /// An attribute of events that have one list of labels.
  private static final class Name {
    final @Nullable AttributeName name;
    final String shown;
    final Use use;
    final byte[] key; // in JSON, with the quote before the value
    final boolean afterType;
    final boolean afterLevel;
    @Nullable Name next; // that came after it last, and shows greater

    Name(@Nullable AttributeName name, String shown, Use use, byte[] key) {
      this.name = name;
      this.shown = shown;
      this.use = use;
      this.key = key;
      this.afterType = shown.compareTo(LabelMapping.SERVICE) > 0;
      this.afterLevel = shown.compareTo(LabelMapping.DETECTED_LEVEL) > 0;
    }
  }

  /// The attributes of events that have one list of labels.
  private final class Names {
    private final @Nullable Set<String> listed; // null for events that were not pushed
    private final IdentityHashMap<AttributeName, Name> known = new IdentityHashMap<>();
    private final Name first = new Name(null, "", Use.HIDDEN, new byte[0]); // before all

    Names(@Nullable Set<String> listed) {
      this.listed = listed;
    }

    Name of(AttributeName name) {
      Name found = known.get(name);
      if (found == null) {
        if (known.size() == NAMES_MAX) {
          known.clear();
        }
        found = make(name);
        known.put(name, found);
      }
      return found;
    }

    private Name make(AttributeName name) {
      String shown = labels.shown(name);
      scratch.clear();
      scratch.put('"');
      scratch.putJson(shown);
      scratch.put("\":\"");
      return new Name(
          name, shown, use(name, shown), Arrays.copyOf(scratch.bytes(), scratch.length()));
    }

    private Use use(AttributeName name, String shown) {
      if (name.equals(AttributeName.BODY)
          || name.equals(StreamLabels.FIELD)
          || shown.equals(LabelMapping.SERVICE)
          || shown.equals(LabelMapping.DETECTED_LEVEL)) {
        return Use.HIDDEN;
      }
      Set<String> of = listed;
      if (of == null) {
        return labels.isLabel(name) ? Use.LABEL_OF_TEXT : Use.METADATA;
      }
      String sent = name.toString();
      if (sent.startsWith(StreamLabels.METADATA_PREFIX)) {
        return Use.UNSURE;
      }
      return of.contains(StreamLabels.shown(sent)) ? Use.LABEL : Use.METADATA;
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Writes an event. False when only its line shows what to write; then parts of it may have been
  /// written.
  ///
  /// @param labelsOut gets the labels of the stream
  public boolean write(EventView event, OutputBuffer labelsOut, OutputBuffer entryOut) {
    Names of = namesOf(event);
    if (of == null
        || !event.find(AttributeName.BODY, value)
        || value.kind() != AttributeKind.STRING) {
      return false;
    }
    entryOut.put(START);
    entryOut.putLong(event.timeNanos());
    entryOut.put(TEXT);
    entryOut.putJson(value);
    if (categorized) {
      entryOut.put(METADATA);
    } else {
      entryOut.put('"');
    }
    findLevel(event);
    labelsOut.put('{');
    names = of;
    previous = of.first;
    stream = labelsOut;
    metadata = categorized ? entryOut : labelsOut;
    typeLeft = true;
    levelLeft = true;
    plain = true;
    typeJson = typeJson(event.type());
    event.forEach(value, visitor);
    putOwn(true, true);
    labelsOut.put('}');
    if (categorized) {
      entryOut.put(END);
    } else {
      entryOut.put(']');
    }
    return plain;
  }

  /// The names of an event; null when only its line shows them.
  private @Nullable Names namesOf(EventView event) {
    if (!event.find(StreamLabels.FIELD, value)) {
      return unlisted;
    }
    if (!value.kind().isText()) {
      return null;
    }
    long from = value.offset();
    long until = from + value.length();
    Names last = namesLast;
    if (last != null
        && MemorySegment.mismatch(value.memory(), from, until, listLast, 0, listLast.byteSize())
            < 0) {
      return last;
    }
    String list = value.toString();
    Names found = unlisted;
    if (StreamLabels.isList(list)) {
      if (lists.size() == LISTS_MAX) {
        lists.clear();
      }
      found = lists.computeIfAbsent(list, text -> new Names(StreamLabels.names(text)));
    }
    listLast = MemorySegment.ofArray(value.toBytes());
    namesLast = found;
    return found;
  }

  private void findLevel(EventView event) {
    level.clear();
    boolean isWord =
        Level.find(event, value) && value.kind() == AttributeKind.STRING && value.length() > 0;
    if (isWord) {
      level.putJson(value);
    } else {
      level.put(UNKNOWN);
    }
  }

  @SuppressWarnings("ReferenceEquality") // a cursor hands out the same string again and again
  private byte[] typeJson(String type) {
    if (type != typeLast) {
      scratch.clear();
      scratch.putJson(type);
      typeJson = Arrays.copyOf(scratch.bytes(), scratch.length());
      typeLast = type;
    }
    return typeJson;
  }

  @SuppressWarnings("ReferenceEquality") // an equal name is looked for, and found as well
  private void attribute(AttributeName name, AttributeValue shown) {
    if (!plain) {
      return;
    }
    Name before = previous;
    Name of = before.next;
    if (of == null || of.name != name) {
      of = names.of(name);
      if (of.use == Use.UNSURE || before.shown.compareTo(of.shown) >= 0) {
        plain = false;
        return;
      }
      before.next = of;
    }
    previous = of;
    putOwn(of.afterType, of.afterLevel);
    boolean isLabel =
        of.use == Use.LABEL
            || (of.use == Use.LABEL_OF_TEXT && shown.kind() == AttributeKind.STRING);
    boolean isNone = isLabel && shown.kind().isText() && shown.length() == 0;
    if (of.use != Use.HIDDEN && !isNone) {
      OutputBuffer out = isLabel ? stream : metadata;
      putKey(of.key, out);
      putText(shown, out);
      out.put('"');
    }
  }

  /// Writes the labels that are no attributes, when it is their turn.
  private void putOwn(boolean type, boolean itsLevel) {
    if (levelLeft && itsLevel) {
      levelLeft = false;
      putKey(LEVEL, metadata);
      metadata.put(level.bytes(), 0, level.length());
      metadata.put('"');
    }
    if (typeLeft && type) {
      typeLeft = false;
      putKey(SERVICE, stream);
      stream.put(typeJson);
      stream.put('"');
    }
  }

  private static void putKey(byte[] key, OutputBuffer out) {
    if (out.bytes()[out.length() - 1] != '{') {
      out.put(',');
    }
    out.put(key);
  }

  private static void putText(AttributeValue shown, OutputBuffer out) {
    switch (shown.kind()) {
      case STRING -> out.putJson(shown);
      case LONG -> out.putLong(shown.bits());
      case BOOLEAN -> out.put(shown.bits() == 0 ? FALSE : TRUE);
      case DOUBLE, BYTES -> out.put(EventLines.text(shown));
    }
  }
}
