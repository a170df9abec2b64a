package io.widerow.query.logql.line;

import io.widerow.event.AttributeName;
import io.widerow.event.ServiceNames;
import io.widerow.event.StreamLabels;
import io.widerow.query.logql.LogqlNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The attributes that are labels of streams, and the mapping from the name of a label to
/// attributes.
///
/// - A name without an underscore means the attribute of that name.
/// - A name that shows an attribute of the list (`k8s_pod_name` shows `k8s.pod.name`) means those
///   of the list, and the attribute of that very name.
/// - Any other name with an underscore may mean any attribute that shows so: only events decide.
/// - `service_name` is the event's type, `detected_level` its [io.widerow.event.Level]; neither is
///   an attribute.
///
/// - Threads: any.
public final class LabelMapping {
  /// The label that is the type.
  public static final String SERVICE = "service_name";

  /// The label of the level that the store finds.
  public static final String DETECTED_LEVEL = "detected_level";

  /// The default labels, unless the operator sets others.
  public static final List<String> DEFAULT =
      Stream.concat(
              ServiceNames.LABELS.stream(),
              Stream.of(
                  "level",
                  "env",
                  "environment",
                  "host",
                  "hostname",
                  "instance",
                  "namespace",
                  "pod",
                  "cluster",
                  "region",
                  "stream",
                  "filename",
                  "facility",
                  "source",
                  "service.namespace",
                  "service.instance.id",
                  "deployment.environment",
                  "deployment.environment.name",
                  "cloud.region",
                  "cloud.availability_zone",
                  "k8s.cluster.name",
                  "k8s.namespace.name",
                  "k8s.pod.name",
                  "k8s.container.name",
                  "container.name",
                  "k8s.replicaset.name",
                  "k8s.deployment.name",
                  "k8s.statefulset.name",
                  "k8s.daemonset.name",
                  "k8s.cronjob.name",
                  "k8s.job.name"))
          .toList();

  private static final Pattern FURTHER = Pattern.compile("(.+)_\\d+");
  private static final int SHOWN_MAX = 10_000;

  private final Set<AttributeName> labels;
  private final Map<String, List<AttributeName>> byShown;
  private final Map<AttributeName, String> shown;
  private final @Nullable Map<String, List<AttributeName>> present; // null when any may be
  private final Reading reading;
  private final Set<String> streamLabels; // that are read in addition to those of the list

  /// @param names of the attributes that are labels; `default` among them stands for [#DEFAULT],
  ///   and `!name` takes a name out
  public LabelMapping(List<String> names) {
    byShown = new TreeMap<>();
    shown = new ConcurrentHashMap<>();
    present = null;
    reading = Reading.LISTED;
    streamLabels = Set.of();
    Set<AttributeName> stored = new LinkedHashSet<>();
    List<String> all = new ArrayList<>(names);
    if (all.remove("default")) {
      all.addAll(DEFAULT);
    }
    Set<String> removed = new TreeSet<>();
    names.stream().filter(name -> name.startsWith("!")).forEach(removed::add);
    all.removeIf(name -> removed.contains(name) || removed.contains("!" + name));
    for (String name : all) {
      AttributeName attribute = AttributeName.of(name);
      stored.add(attribute);
      String label = LogqlNames.shown(name);
      byShown.computeIfAbsent(label, _ -> new ArrayList<>()).add(attribute);
    }
    byShown.forEach((label, attributes) -> {
      AttributeName verbatim = AttributeName.of(label);
      if (!attributes.contains(verbatim)) {
        attributes.add(verbatim);
      }
      attributes.sort(null); // as events show them
    });
    labels = Collections.unmodifiableSet(stored);
  }

  /// The attributes that the labels of streams need.
  private enum Reading {
    /// Those of the list.
    LISTED,
    /// In addition those of some pushed streams.
    PUSHED,
    /// All, because nobody knows the names of the pushed ones.
    ALL
  }

  private LabelMapping(
      LabelMapping of,
      @Nullable Map<String, List<AttributeName>> present,
      Reading reading,
      Set<String> streamLabels) {
    this.reading = reading;
    this.streamLabels = streamLabels;
    this.labels = of.labels;
    this.byShown = of.byShown;
    this.shown = of.shown;
    this.present = present;
  }

  /// The same for events that have no other attributes than these, so that it is certain which ones
  /// every name means.
  public LabelMapping knowing(Set<AttributeName> names) {
    return new LabelMapping(this, byLabel(names), Reading.LISTED, Set.of());
  }

  private Map<String, List<AttributeName>> byLabel(Set<AttributeName> names) {
    Map<String, List<AttributeName>> known = new TreeMap<>();
    names.stream()
        .sorted() // as events show them
        .forEach(name -> known.computeIfAbsent(shown(name), _ -> new ArrayList<>()).add(name));
    return known;
  }

  /// The same for series of pushed streams without a grouping.
  ///
  /// @param names all attributes of the events; null when only the events have them
  /// @param wanted those of them that make series
  public LabelMapping ofStreams(@Nullable Set<AttributeName> names, Set<AttributeName> wanted) {
    if (names == null) {
      return new LabelMapping(this, null, Reading.ALL, Set.of());
    }
    Map<String, List<AttributeName>> known = byLabel(names);
    Set<String> more = new TreeSet<>();
    for (AttributeName name : wanted) {
      String label = shown(name);
      if (!label.equals(DETECTED_LEVEL) && !name.equals(StreamLabels.FIELD)) {
        more.add(label);
      }
    }
    return new LabelMapping(this, known, Reading.PUSHED, more);
  }

  /// The attributes that tell which labels an event has, besides the labels; null for all.
  public @Nullable List<AttributeName> deciding() {
    return switch (reading) {
      case LISTED -> List.of();
      case PUSHED -> List.of(StreamLabels.FIELD, AttributeName.of(DETECTED_LEVEL));
      case ALL -> null;
    };
  }

  /// The attributes that are labels, besides the type.
  public Set<AttributeName> attributes() {
    return labels;
  }

  /// The labels of these, including `service_name`, in order.
  public List<String> labels() {
    Set<String> names = new LinkedHashSet<>(byShown.keySet());
    names.addAll(streamLabels);
    names.add(SERVICE);
    return names.stream().sorted().toList();
  }

  /// True when an attribute that is text is a label.
  boolean isLabel(AttributeName name) {
    return labels.contains(name);
  }

  /// The label of an attribute.
  public String shown(AttributeName name) {
    String known = shown.get(name);
    if (known != null) {
      return known;
    }
    String label = LogqlNames.shown(StreamLabels.shown(name.toString()));
    if (shown.size() < SHOWN_MAX) {
      shown.put(name, label);
    }
    return label;
  }

  /// Returns the attributes that show as a label. When the label ends with a number, also the
  /// attributes that show as the part before it: of two attributes that show as `a_b` the second
  /// one is `a_b_2`.
  private static List<AttributeName> among(Map<String, List<AttributeName>> known, String label) {
    Set<AttributeName> names = new TreeSet<>(known.getOrDefault(label, List.of()));
    Matcher further = FURTHER.matcher(label);
    if (further.matches()) {
      names.addAll(known.getOrDefault(further.group(1), List.of()));
    }
    return List.copyOf(names);
  }

  /// The attributes of a name that those of an event cannot have.
  private static List<AttributeName> reserved(String label) {
    List<AttributeName> names = new ArrayList<>();
    if (!label.equals(AttributeName.BODY.toString())) {
      names.add(AttributeName.of(label));
    }
    names.add(AttributeName.of(StreamLabels.LABEL_PREFIX + label));
    names.add(AttributeName.of(StreamLabels.METADATA_PREFIX + label));
    names.add(StreamLabels.FIELD);
    return names;
  }

  /// `NAME_extracted` may be the metadata of the name of a label.
  private static List<AttributeName> withMetadata(
      List<AttributeName> names, String label, Map<String, List<AttributeName>> known) {
    if (!label.endsWith(Line.EXTRACTED)) {
      return names;
    }
    String base = label.substring(0, label.length() - Line.EXTRACTED.length());
    List<AttributeName> metadata = new ArrayList<>();
    known.forEach((shown, of) -> {
      boolean isBase = shown.equals(base);
      for (AttributeName name : of) {
        String sent = name.toString();
        boolean isOfBase =
            sent.startsWith(StreamLabels.METADATA_PREFIX)
                && LogqlNames.shown(sent.substring(StreamLabels.METADATA_PREFIX.length()))
                    .equals(base);
        if (isBase || isOfBase) {
          metadata.add(name);
        }
      }
    });
    if (metadata.stream().noneMatch(name -> name.toString().startsWith("metadata."))) {
      return names;
    }
    metadata.addAll(names);
    metadata.add(StreamLabels.FIELD);
    return List.copyOf(new TreeSet<>(metadata));
  }

  /// Returns the attributes that a label may mean; null when only the events determine them; an
  /// empty list when the label is not an attribute.
  public @Nullable List<AttributeName> attributes(String label) {
    if (label.equals(SERVICE) || label.equals(DETECTED_LEVEL)) {
      return List.of();
    }
    if (StreamLabels.RESERVED.contains(label)) {
      return reserved(label);
    }
    List<AttributeName> listed = byShown.get(label);
    if (listed != null) {
      return listed;
    }
    Map<String, List<AttributeName>> known = present;
    if (label.indexOf('_') >= 0) {
      return known == null ? null : withMetadata(among(known, label), label, known);
    }
    return label.length() > 255 ? List.of() : List.of(AttributeName.of(label));
  }
}
