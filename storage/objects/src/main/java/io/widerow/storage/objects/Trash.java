package io.widerow.storage.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Names of objects that no kept moment needs, an object `trash/<epoch>-<nanos>`: a time later they
/// are looked at again, and deleted.
///
/// @param nanos of the wall clock when they were found
record Trash(int epoch, long nanos, List<String> names) {
  static final String DIRECTORY = "trash/";
  private static final Pattern HEAD =
      Pattern.compile(
          "\\{\"widerow\":\"trash\",\"format\":1,\"epoch\":(\\d{1,9}),\"nanos\":(-?\\d{1,19}),"
              + "\"names\":(\\d{1,9})}");
  private static final Pattern NAME = Pattern.compile("\\{\"name\":\"([A-Za-z0-9._/-]+)\"}");

  Trash {
    names = List.copyOf(names);
  }

  String name() {
    return String.format(Locale.ROOT, "%s%08x-%016x", DIRECTORY, epoch, nanos);
  }

  byte[] toBytes() {
    StringBuilder lines = new StringBuilder();
    lines.append(
        "{\"widerow\":\"trash\",\"format\":1,\"epoch\":%d,\"nanos\":%d,\"names\":%d}\n"
            .formatted(epoch, nanos, names.size()));
    names.forEach(name -> lines.append("{\"name\":\"%s\"}\n".formatted(name)));
    return CheckedLines.toBytes(lines);
  }

  /// @param object its name
  /// @throws ObjectsException.Damaged when it is not the one that was put there
  static Trash read(String object, byte[] bytes) {
    List<String> lines = CheckedLines.read(object, bytes);
    Matcher head = HEAD.matcher(lines.isEmpty() ? "" : lines.getFirst());
    if (!head.matches() || Integer.parseInt(head.group(3)) != lines.size() - 1) {
      throw new ObjectsException.Damaged(object, "not a list of trash");
    }
    List<String> names = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      Matcher name = NAME.matcher(line);
      if (!name.matches()) {
        throw new ObjectsException.Damaged(object, "a line that names no object");
      }
      names.add(name.group(1));
    }
    return new Trash(Integer.parseInt(head.group(1)), Long.parseLong(head.group(2)), names);
  }
}
