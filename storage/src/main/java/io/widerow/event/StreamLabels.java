package io.widerow.event;

import java.util.List;
import java.util.Set;

/// The attribute in which an event keeps which of its attributes are labels. Because each event has
/// it, the labels survive restarts, merges, exports and moves between machines; a block stores it
/// once for all events of a stream.
///
/// | value | sender | labels |
/// |---|---|---|
/// | names and commas: `app,env,pod` | Loki push; line protocol with text fields | these |
/// | [#TEXTS] | line protocol | every text |
/// | [#OTLP] | a metric of OTLP | all attributes but the parts of the data point |
///
/// Of a pushed stream all other attributes are structured metadata; of a measurement they are
/// fields.
public final class StreamLabels {
  public static final AttributeName FIELD = AttributeName.of("widerow.labels");

  /// Every text is a label.
  public static final String TEXTS = "*";

  /// Every attribute is a label, except the parts of a data point of OTLP.
  public static final String OTLP = "*otlp";

  /// Before the name of a label that an attribute of an event cannot have.
  public static final String LABEL_PREFIX = "label.";

  /// Before the name of metadata that a label of the stream has, too.
  public static final String METADATA_PREFIX = "metadata.";

  /// Names that are not free for attributes of an event. Labels and metadata of these names have a
  /// prefix.
  public static final List<String> RESERVED = List.of("body", "id", "ts", "type");

  private StreamLabels() {}

  /// True when a value of the attribute has names, as pushed streams do.
  public static boolean isList(String value) {
    return !value.startsWith(TEXTS);
  }

  /// The names in a value of the attribute.
  public static Set<String> names(String value) {
    return value.isEmpty() || !isList(value) ? Set.of() : Set.copyOf(List.of(value.split(",")));
  }

  /// The name of an attribute without the prefix of a reserved label: `id` for `label.id`.
  public static String shown(String attribute) {
    if (attribute.startsWith(LABEL_PREFIX)) {
      String name = attribute.substring(LABEL_PREFIX.length());
      return RESERVED.contains(name) ? name : attribute;
    }
    return attribute;
  }

  /// The attribute of a label.
  public static AttributeName attribute(String label) {
    return AttributeName.of(RESERVED.contains(label) ? LABEL_PREFIX + label : label);
  }
}
