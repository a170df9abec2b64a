package io.widerow.storage.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What is kept of a backup, the object `kept`: each second from a checkpoint on, and single
/// moments before it. Each change is a conditional PUT, and keeps less.
///
/// @param first name of that checkpoint; empty for all
/// @param points the single moments, oldest first
record Kept(String first, List<Point> points) {
  static final String OBJECT = "kept";
  static final Kept ALL = new Kept("", List.of());
  private static final Pattern HEAD =
      Pattern.compile(
          "\\{\"widerow\":\"kept\",\"format\":1,\"first\":\"([a-z0-9./]*)\","
              + "\"points\":(\\d{1,6})}");
  private static final Pattern POINT =
      Pattern.compile(
          "\\{\"checkpoint\":\"([a-z0-9./]+)\",\"frames\":(\\d{1,18}),\"cut\":(-?\\d{1,19})}");

  /// A single moment.
  ///
  /// @param checkpoint its name
  /// @param frames number of the object after the last one of frames that it needs
  /// @param cutNanos of the cut
  record Point(String checkpoint, long frames, long cutNanos) {}

  Kept {
    points = List.copyOf(points);
  }

  /// Whether a checkpoint is there for every second after it.
  boolean isFrom(String checkpoint) {
    return checkpoint.compareTo(first) >= 0;
  }

  /// The moment of a checkpoint; null when it has none.
  @Nullable Point of(String checkpoint) {
    return points.stream()
        .filter(point -> point.checkpoint().equals(checkpoint))
        .findFirst()
        .orElse(null);
  }

  byte[] toBytes() {
    StringBuilder lines = new StringBuilder();
    lines.append(
        "{\"widerow\":\"kept\",\"format\":1,\"first\":\"%s\",\"points\":%d}\n"
            .formatted(first, points.size()));
    for (Point point : points) {
      lines.append(
          "{\"checkpoint\":\"%s\",\"frames\":%d,\"cut\":%d}\n"
              .formatted(point.checkpoint(), point.frames(), point.cutNanos()));
    }
    return CheckedLines.toBytes(lines);
  }

  /// @throws ObjectsException.Damaged when it is not the one that was put there
  static Kept read(byte[] bytes) {
    List<String> lines = CheckedLines.read(OBJECT, bytes);
    Matcher head = HEAD.matcher(lines.isEmpty() ? "" : lines.getFirst());
    if (!head.matches()
        || !(head.group(1).isEmpty() || Checkpoint.isName(head.group(1)))
        || Integer.parseInt(head.group(2)) != lines.size() - 1) {
      throw new ObjectsException.Damaged(OBJECT, "it does not name what is kept");
    }
    List<Point> points = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      Matcher point = POINT.matcher(line);
      if (!point.matches() || !Checkpoint.isName(point.group(1))) {
        throw new ObjectsException.Damaged(OBJECT, "a line that names no moment");
      }
      points.add(
          new Point(
              point.group(1), Long.parseLong(point.group(2)), Long.parseLong(point.group(3))));
    }
    return new Kept(head.group(1), points);
  }
}
