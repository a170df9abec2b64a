package io.widerow.storage.cassandra.apply;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.storage.cassandra.keyspace.EventRow;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Events as rows for users of CQL, of the types that are wanted.
///
/// - Threads: one.
final class Projection {
  /// Bytes of the rows of a statement, about.
  private static final long BATCH_BYTES = 32 << 10;

  private static final long ROW_BYTES = 64;

  private final List<Pattern> globs;
  private final AttributeValue scratch = new AttributeValue();
  private long bytes;

  /// @param globs names of types; `*` stands for any characters, `?` for one
  Projection(List<String> globs) {
    this.globs = globs.stream().map(Projection::pattern).toList();
  }

  private static Pattern pattern(String glob) {
    return Pattern.compile(
        glob.codePoints()
            .mapToObj(c ->
                switch (c) {
                  case '*' -> ".*";
                  case '?' -> ".";
                  default -> Pattern.quote(Character.toString(c));
                })
            .collect(Collectors.joining()),
        Pattern.DOTALL);
  }

  boolean wants(String type) {
    for (Pattern glob : globs) {
      if (glob.matcher(type).matches()) {
        return true;
      }
    }
    return false;
  }

  /// Adds an event to rows. True when there are enough for a statement.
  boolean add(EventView event, List<EventRow> rows) {
    Map<String, String> attributes = new HashMap<>();
    Map<String, Double> numbers = new HashMap<>();
    event.forEach(
        scratch,
        (name, value) -> {
          bytes += name.length() + (value.kind().isText() ? value.length() : Double.BYTES);
          if (value.kind() == AttributeKind.LONG) {
            numbers.put(name.toString(), (double) value.bits());
          } else if (value.kind() == AttributeKind.DOUBLE) {
            numbers.put(name.toString(), value.asDouble());
          } else {
            attributes.put(name.toString(), text(value));
          }
        });
    String body = attributes.remove(AttributeName.BODY.toString());
    rows.add(new EventRow(event.id(), body, attributes, numbers));
    bytes += ROW_BYTES;
    return bytes >= BATCH_BYTES;
  }

  private static String text(AttributeValue value) {
    return switch (value.kind()) {
      case BYTES -> HexFormat.of().formatHex(value.toBytes());
      case BOOLEAN -> Boolean.toString(value.bits() != 0);
      default -> value.toString();
    };
  }

  /// Bytes of the rows since the last call, about.
  long takeBytes() {
    long taken = bytes;
    bytes = 0;
    return taken;
  }
}
