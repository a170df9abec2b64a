package io.widerow.event;

import java.util.List;
import java.util.Set;

/// The attribute in which an event of a pushed stream keeps the names of its stream labels, with
/// commas between them: `app,env,pod`. All other attributes of such an event are structured
/// metadata. Because each event has it, the names survive restarts, merges, exports and moves
/// between machines; a block stores it once for all events of a stream.
public final class StreamLabels {
  public static final AttributeName FIELD = AttributeName.of("widerow.labels");

  /// Before the name of a label that an attribute of an event cannot have.
  public static final String LABEL_PREFIX = "label.";

  /// Before the name of metadata that a label of the stream has, too.
  public static final String METADATA_PREFIX = "metadata.";

  /// Names that are not free for attributes of an event. Labels and metadata of these names have a
  /// prefix.
  public static final List<String> RESERVED = List.of("body", "id", "ts", "type");

  private StreamLabels() {}

  /// The names in a value of the attribute.
  public static Set<String> names(String value) {
    return value.isEmpty() ? Set.of() : Set.copyOf(List.of(value.split(",")));
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
