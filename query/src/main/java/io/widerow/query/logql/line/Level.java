package io.widerow.query.logql.line;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The level of an event, found in the attributes that senders put it in:
///
/// ```
/// level, detected_level, severity_text, severity (0 to 7 as syslog has it, or text), log.level,
/// lvl, status: the first that has one
/// ```
///
/// Lower case; `warning` is `warn`, `err` is `error`; `crit`, `alert`, `emerg` are `critical`.
/// Numbers are no levels, those of `severity` excepted, so that a status of HTTP is none.
public final class Level {
  /// The attributes that are looked at, in this order.
  public static final List<AttributeName> ATTRIBUTES =
      List.of(
          AttributeName.of("level"),
          AttributeName.of("detected_level"),
          AttributeName.of("severity_text"),
          AttributeName.of("severity"),
          AttributeName.of("log.level"),
          AttributeName.of("lvl"),
          AttributeName.of("status"));

  static final String UNKNOWN = "unknown";
  private static final AttributeName SEVERITY = ATTRIBUTES.get(3);
  private static final int CHARS_MAX = 32;
  private static final List<String> SYSLOG =
      List.of("critical", "critical", "critical", "error", "warn", "notice", "info", "debug");

  private Level() {}

  /// @param scratch overwritten
  static String of(EventView event, AttributeValue scratch) {
    for (AttributeName name : ATTRIBUTES) {
      if (event.find(name, scratch)) {
        String level = level(name, scratch);
        if (level != null) {
          return level;
        }
      }
    }
    return UNKNOWN;
  }

  private static @Nullable String level(AttributeName name, AttributeValue value) {
    boolean isSeverity = name.equals(SEVERITY);
    if (value.kind() == AttributeKind.LONG) {
      return isSeverity ? syslog(value.bits()) : null;
    }
    if (value.kind() != AttributeKind.STRING || value.length() > CHARS_MAX) {
      return null;
    }
    String text = value.toString().strip().toLowerCase(Locale.ROOT);
    if (isSeverity && text.length() == 1 && text.charAt(0) >= '0' && text.charAt(0) <= '9') {
      return syslog(text.charAt(0) - '0');
    }
    if (text.isEmpty() || (text.charAt(0) >= '0' && text.charAt(0) <= '9')) {
      return null;
    }
    return switch (text) {
      case "warning" -> "warn";
      case "err" -> "error";
      case "crit", "alert", "emerg" -> "critical";
      default -> text;
    };
  }

  private static @Nullable String syslog(long number) {
    return number >= 0 && number < SYSLOG.size() ? SYSLOG.get((int) number) : null;
  }
}
