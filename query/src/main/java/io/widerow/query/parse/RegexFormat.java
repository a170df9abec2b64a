package io.widerow.query.parse;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.widerow.event.AttributeName;
import io.widerow.query.RegexBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The named groups of an RE2 expression that is found anywhere in the text; a group that is empty
/// or took no part is no field.
///
/// @param shown the format as it was written
/// @param regex the expression
/// @param groups of it that are fields
/// @param program the same as steps; null when only RE2/J can take it
record RegexFormat(String shown, Pattern regex, List<Group> groups, @Nullable RegexProgram program)
    implements TextFormat {
  RegexFormat {
    groups = List.copyOf(groups);
  }

  RegexFormat(String shown, Pattern regex, List<Group> groups) {
    this(
        shown,
        regex,
        groups,
        RegexProgram.of(
            regex.pattern(), groups.stream().map(Group::number).collect(Collectors.toSet())));
  }

  /// A group that is a field.
  ///
  /// @param number in the expression, from 1
  /// @param isText whether a number in it stays a text
  record Group(AttributeName name, int number, boolean isText) {}

  /// @throws IllegalArgumentException when it is not one of RE2, too large, or has no named group
  static RegexFormat of(String expression) {
    Pattern regex = compile(expression);
    List<Group> groups = new ArrayList<>();
    for (Map.Entry<String, Integer> group : new TreeMap<>(regex.namedGroups()).entrySet()) {
      groups.add(new Group(AttributeName.of(group.getKey()), group.getValue(), false));
    }
    if (groups.isEmpty()) {
      throw new IllegalArgumentException(
          "at least one named group is required, as (?P<name>...), got " + regex.pattern());
    }
    String slashes = regex.pattern().replace("/", "\\/");
    return new RegexFormat("regexp /" + slashes + "/", regex, groups);
  }

  /// @throws IllegalArgumentException when the expression is not one of RE2, or too large
  static Pattern compile(String expression) {
    String exceeded = new RegexBudget().exceeded(expression);
    if (exceeded != null) {
      throw new IllegalArgumentException(exceeded);
    }
    try {
      return Pattern.compile(expression);
    } catch (PatternSyntaxException notRegex) {
      throw new IllegalArgumentException(
          "not an RE2 expression (%s)".formatted(notRegex.getDescription()), notRegex);
    }
  }

  @Override
  public boolean parse(ParsedText text) {
    RegexProgram steps = program;
    if (steps != null && text.isUtf8() && RegexRun.fits(steps, text.length())) {
      RegexRun run = text.run();
      if (!run.find(steps, text.bytes(), text.length())) {
        return false;
      }
      for (int i = 0; i < groups.size(); i++) {
        Group group = groups.get(i);
        put(text, group, run.start(group.number), run.end(group.number));
      }
      return true;
    }
    Matcher found = regex.matcher(text.copy());
    if (!found.find()) {
      return false;
    }
    for (int i = 0; i < groups.size(); i++) {
      Group group = groups.get(i);
      put(text, group, found.start(group.number), found.end(group.number));
    }
    return true;
  }

  private static void put(ParsedText text, Group group, int from, int until) {
    if (from < 0 || until <= from) {
      return;
    }
    if (!group.isText) {
      text.putFirst(group.name, from, until);
    } else if (text.find(group.name) < 0) {
      text.putText(group.name, from, until);
    }
  }

  @Override
  public String toString() {
    return shown;
  }
}
