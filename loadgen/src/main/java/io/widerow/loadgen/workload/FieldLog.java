package io.widerow.loadgen.workload;

import io.widerow.loadgen.workload.Sample.Attribute;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Events of a web server with seven fields. Each is a line of a real combined log, drawn at
/// random, so that fields of one event belong together. The body is the method and the path. A line
/// without a size has no field `bytes`. Only times differ between two events of the same line.
final class FieldLog implements SampleSource {
  private static final String QUOTED = "\"((?:[^\"\\\\]|\\\\.)*)\"";
  private static final Pattern LINE =
      Pattern.compile(
          "(\\S+) \\S+ \\S+ \\[[^]]+] \"(\\S+) (\\S+)[^\"]*\" (\\d{3}) (\\d{1,18}|-) "
              + QUOTED
              + " "
              + QUOTED
              + ".*");

  private final SplittableRandom random;
  private final List<Event> events;

  /// The event of a line.
  private record Event(String body, List<Attribute> attributes) {}

  /// @param file of lines in the combined format; null for the log that comes with the tool
  FieldLog(SplittableRandom random, @Nullable Path file) {
    this.random = random;
    List<String> lines = file == null ? LogLines.read("apache_access.log") : LogLines.read(file);
    this.events = events(lines);
    if (events.isEmpty()) {
      throw new IllegalArgumentException(
          "--lines: no line of %s is in the combined log format, got '%s'"
              .formatted(file, lines.isEmpty() ? "" : lines.getFirst()));
    }
  }

  private static List<Event> events(List<String> lines) {
    List<Event> events = new ArrayList<>();
    for (String line : lines) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches() && line.chars().noneMatch(c -> Stamp.isMark((char) c))) {
        events.add(event(matcher));
      }
    }
    return events;
  }

  private static Event event(Matcher line) {
    List<Attribute> attributes = new ArrayList<>();
    attributes.add(new Attribute("client", Sample.Kind.TEXT, line.group(1)));
    attributes.add(new Attribute("method", Sample.Kind.TEXT, line.group(2)));
    attributes.add(new Attribute("path", Sample.Kind.TEXT, line.group(3)));
    attributes.add(new Attribute("status", Sample.Kind.LONG, line.group(4)));
    if (!line.group(5).equals("-")) {
      attributes.add(new Attribute("bytes", Sample.Kind.LONG, line.group(5)));
    }
    attributes.add(new Attribute("referrer", Sample.Kind.TEXT, line.group(6)));
    attributes.add(new Attribute("agent", Sample.Kind.TEXT, line.group(7)));
    return new Event(line.group(2) + " " + line.group(3), List.copyOf(attributes));
  }

  @Override
  public Sample next(String type) {
    Event event = events.get(random.nextInt(events.size()));
    return new Sample(type, event.body(), event.attributes(), 0);
  }
}
