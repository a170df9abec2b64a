package io.widerow.ingest.alert;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// A part of a rule file in YAML, read strictly: each mistake has its line.
///
/// @param file for errors
/// @param node null for a document that is empty
record YamlNode(String file, @Nullable Node node) {
  private static final Pattern DURATION =
      Pattern.compile(
          "(?:(\\d+)y)?(?:(\\d+)w)?(?:(\\d+)d)?(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?(?:(\\d+)ms)?");
  private static final long[] UNIT_MILLIS = {
    31_536_000_000L, 604_800_000L, 86_400_000L, 3_600_000L, 60_000L, 1_000L, 1L
  };

  /// @throws RuleMistake when the text is no YAML
  static YamlNode parse(String file, String text) {
    try {
      LoadSettings settings = LoadSettings.builder().setLabel(file).build();
      return new YamlNode(file, new Compose(settings).composeString(text).orElse(null));
    } catch (MarkedYamlEngineException wrong) {
      int line = wrong.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
      throw new RuleMistake(file, line, String.valueOf(wrong.getProblem()));
    } catch (YamlEngineException wrong) {
      throw new RuleMistake(file, String.valueOf(wrong.getMessage()));
    }
  }

  int line() {
    Node there = node;
    return there == null ? 1 : there.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
  }

  RuleMistake mistake(String why) {
    return new RuleMistake(file, line(), why);
  }

  private boolean isNull() {
    Node there = node;
    return there == null || there.getTag().equals(Tag.NULL);
  }

  /// The members of a mapping, without those that are null.
  Map<String, YamlNode> members() {
    if (isNull()) {
      return Map.of();
    }
    if (!(node instanceof MappingNode mapping)) {
      throw mistake("a mapping is expected");
    }
    Map<String, YamlNode> members = new LinkedHashMap<>();
    for (NodeTuple each : mapping.getValue()) {
      YamlNode name = new YamlNode(file, each.getKeyNode());
      YamlNode value = new YamlNode(file, each.getValueNode());
      if (members.put(name.text(), value) != null) {
        throw name.mistake("mapping key \"%s\" is given twice".formatted(name.text()));
      }
    }
    members.values().removeIf(YamlNode::isNull);
    return members;
  }

  /// The same, where only some names may be.
  Map<String, YamlNode> members(Set<String> known, String of) {
    Map<String, YamlNode> members = members();
    for (Map.Entry<String, YamlNode> each : members.entrySet()) {
      if (!known.contains(each.getKey())) {
        throw each.getValue().mistake("field %s not found in %s".formatted(each.getKey(), of));
      }
    }
    return members;
  }

  List<YamlNode> items() {
    if (isNull()) {
      return List.of();
    }
    if (!(node instanceof SequenceNode sequence)) {
      throw mistake("a sequence is expected");
    }
    List<YamlNode> items = new ArrayList<>();
    sequence.getValue().forEach(each -> items.add(new YamlNode(file, each)));
    return items;
  }

  /// A scalar of any kind, as it is written.
  String text() {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw mistake("a text is expected");
  }

  int number() {
    try {
      return Integer.parseInt(text());
    } catch (NumberFormatException _) {
      throw mistake("a number is expected, got " + text());
    }
  }

  /// A duration as Prometheus writes it, such as `1h30m`, in milliseconds.
  long millis() {
    String text = text();
    Matcher parts = DURATION.matcher(text);
    if (text.equals("0")) {
      return 0;
    }
    if (text.isEmpty() || text.length() > 30 || !parts.matches()) {
      throw mistake("not a valid duration string: \"%s\"".formatted(text));
    }
    try {
      long millis = 0;
      for (int i = 0; i < UNIT_MILLIS.length; i++) {
        String part = parts.group(i + 1);
        if (part != null) {
          millis = Math.addExact(millis, Math.multiplyExact(Long.parseLong(part), UNIT_MILLIS[i]));
        }
      }
      return millis;
    } catch (ArithmeticException | NumberFormatException _) {
      throw mistake("duration out of range: " + text);
    }
  }

  static long millisOr(@Nullable YamlNode node, long otherwise) {
    return node == null ? otherwise : node.millis();
  }
}
