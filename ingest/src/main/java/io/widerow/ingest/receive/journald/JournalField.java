package io.widerow.ingest.receive.journald;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The fields of an entry that do not keep their names. Fields that syslog has too get their syslog
/// names, so that one filter finds both.
@SuppressWarnings("ImmutableEnumChecker") // nothing writes to the arrays
enum JournalField {
  CURSOR("__CURSOR", "", Kind.CURSOR),
  TIME("__REALTIME_TIMESTAMP", "", Kind.TIME),
  MONOTONIC_TIME("__MONOTONIC_TIMESTAMP", "", Kind.LEFT_OUT),
  NUMBER("__SEQNUM", "", Kind.LEFT_OUT),
  NUMBER_ID("__SEQNUM_ID", "", Kind.LEFT_OUT),
  BODY("MESSAGE", "body", Kind.TEXT),
  SEVERITY("PRIORITY", "severity", Kind.NUMBER),
  FACILITY("SYSLOG_FACILITY", "facility", Kind.NUMBER),
  HOST("_HOSTNAME", "host", Kind.TEXT),
  APP("SYSLOG_IDENTIFIER", "app", Kind.TEXT),
  PID("_PID", "pid", Kind.NUMBER);

  static final List<JournalField> ALL = List.of(values());

  final byte[] attribute; // empty for none
  final Kind kind;
  private final byte[] name;

  /// The treatment of a field.
  enum Kind {
    CURSOR,
    TIME,
    LEFT_OUT,
    TEXT,

    /// A whole number; anything else keeps its name, as text.
    NUMBER
  }

  JournalField(String name, String attribute, Kind kind) {
    this.name = name.getBytes(StandardCharsets.US_ASCII);
    this.attribute = attribute.getBytes(StandardCharsets.US_ASCII);
    this.kind = kind;
  }

  /// The field of a name; null for one that keeps it.
  static @Nullable JournalField of(byte[] bytes, int offset, int limit) {
    return switch (limit - offset) {
      case 4 -> named(PID, bytes, offset, limit);
      case 7 -> named(BODY, bytes, offset, limit);
      case 8 -> {
        JournalField found = named(SEVERITY, bytes, offset, limit);
        found = found != null ? found : named(CURSOR, bytes, offset, limit);
        yield found != null ? found : named(NUMBER, bytes, offset, limit);
      }
      case 9 -> named(HOST, bytes, offset, limit);
      case 11 -> named(NUMBER_ID, bytes, offset, limit);
      case 15 -> named(FACILITY, bytes, offset, limit);
      case 17 -> named(APP, bytes, offset, limit);
      case 20 -> named(TIME, bytes, offset, limit);
      case 21 -> named(MONOTONIC_TIME, bytes, offset, limit);
      default -> null;
    };
  }

  private static @Nullable JournalField named(
      JournalField field, byte[] bytes, int offset, int limit) {
    boolean same = Arrays.equals(field.name, 0, field.name.length, bytes, offset, limit);
    return same ? field : null;
  }
}
