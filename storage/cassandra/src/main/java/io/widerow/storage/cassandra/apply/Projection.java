package io.widerow.storage.cassandra.apply;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.storage.cassandra.keyspace.EventRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Events as rows for users of CQL, of the types that are wanted. The rows of a statement are of
/// one partition.
///
/// - Threads: one.
/// - Memory: the rows of one statement.
final class Projection {
  /// Bytes of the rows of a statement at most, unless one row alone has more.
  private static final long BATCH_BYTES = 32 << 10;

  private static final long ROW_BYTES = 64;

  private final List<Pattern> globs;
  private final AttributeValue scratch = new AttributeValue();
  private List<EventRow> rows = new ArrayList<>();
  private long bytes; // of the rows
  private long rowBytes; // of the row that is made

  /// The rows of a statement.
  ///
  /// @param bytes of the rows, about
  record Rows(List<EventRow> rows, long bytes) {}

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

  /// Begins a partition: there are no rows yet.
  void begin() {
    rows = new ArrayList<>();
    bytes = 0;
  }

  /// Adds an event. Returns the rows before it when there is no room for it with them.
  @Nullable Rows add(EventView event) {
    EventRow row = row(event);
    Rows full = !rows.isEmpty() && bytes + rowBytes > BATCH_BYTES ? take() : null;
    rows.add(row);
    bytes += rowBytes;
    return full;
  }

  /// Takes the rows that are left; null when there are none.
  @Nullable Rows take() {
    if (rows.isEmpty()) {
      return null;
    }
    Rows taken = new Rows(List.copyOf(rows), bytes);
    begin();
    return taken;
  }

  private EventRow row(EventView event) {
    Map<String, String> attributes = new HashMap<>();
    Map<String, Double> numbers = new HashMap<>();
    rowBytes = ROW_BYTES;
    event.forEach(
        scratch,
        (name, value) -> {
          rowBytes += name.length();
          if (value.kind() == AttributeKind.LONG) {
            numbers.put(name.toString(), (double) value.bits());
            rowBytes += Double.BYTES;
          } else if (value.kind() == AttributeKind.DOUBLE) {
            numbers.put(name.toString(), value.asDouble());
            rowBytes += Double.BYTES;
          } else {
            attributes.put(name.toString(), text(value));
            rowBytes += value.kind() == AttributeKind.BYTES ? 2L * value.length() : value.length();
          }
        });
    String body = attributes.remove(AttributeName.BODY.toString());
    return new EventRow(event.id(), body, attributes, numbers);
  }

  private static String text(AttributeValue value) {
    return switch (value.kind()) {
      case BYTES -> HexFormat.of().formatHex(value.toBytes());
      case BOOLEAN -> Boolean.toString(value.bits() != 0);
      default -> value.toString();
    };
  }
}
