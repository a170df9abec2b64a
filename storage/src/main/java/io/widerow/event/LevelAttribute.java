package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// An attribute in which loggers write the level of an event, and the scale of its numbers.
///
/// @param name the attribute
/// @param scale the meaning of its numbers
public record LevelAttribute(AttributeName name, Scale scale) {
  /// Every attribute that may tell the level; the first that does decides.
  static final LevelAttribute[] ORDERED =
      Stream.of(
              of(Scale.LOGGER, Level.DETECTED.toString(), "level", "log.level", "@level", "@l"),
              of(Scale.SEVERITY, "severity_text", "severityText", "SeverityText"),
              of(Scale.SEVERITY, "severity", "Severity"),
              of(Scale.OTLP, "severity_number", "severityNumber", "SeverityNumber"),
              of(Scale.SEVERITY, "PRIORITY"),
              of(Scale.LOGGER, "lvl", "loglevel", "logLevel", "LogLevel", "log_level"),
              of(Scale.LOGGER, "Level", "LEVEL", "levelname", "level_name", "record.level.name"),
              of(Scale.PYTHON, "levelno", "record.level.no"),
              of(Scale.LOGBACK, "level_value"),
              of(Scale.SEVERITY, "log.syslog.severity.name", "log.syslog.severity.code"),
              of(Scale.SEVERITY, "syslog.severity", "syslog_severity", "severity_label"),
              of(Scale.STATUS, "status", "priority"),
              of(Scale.PRESENT, "@mt"))
          .flatMap(List::stream)
          .toArray(LevelAttribute[]::new);

  /// Attributes that hold the text of a log line; the first that an event has is looked at.
  public static final List<AttributeName> TEXTS = LevelText.ATTRIBUTES;

  /// All attributes that a reader of levels looks at, including the attributes that hold the text
  /// of a line.
  public static final List<AttributeName> READ =
      Stream.concat(Stream.of(ORDERED).map(LevelAttribute::name), LevelText.ATTRIBUTES.stream())
          .toList();

  private static final List<LevelAttribute> ALL = List.of(ORDERED);
  private static final int DIGITS_MAX = 5;
  private static final int TEN = 10;

  /// Every attribute that may tell the level; the first that does decides.
  public static List<LevelAttribute> all() {
    return ALL;
  }

  private static List<LevelAttribute> of(Scale scale, String... names) {
    return Stream.of(names).map(name -> new LevelAttribute(AttributeName.of(name), scale)).toList();
  }

  /// The meaning of the numbers of an attribute.
  public enum Scale {
    /// 0 to 7 as syslog; 10 to 69 as pino and bunyan; hundreds as Monolog.
    LOGGER,
    /// 0 to 7 as syslog; 8 to 24 as OpenTelemetry; hundreds as Google Cloud.
    SEVERITY,
    /// 1 to 24 as OpenTelemetry.
    OTLP,
    /// Tens as Python.
    PYTHON,
    /// Thousands as Logback.
    LOGBACK,
    /// No number is a level: a status of HTTP, the priority of a job.
    STATUS,
    /// No value is a level. That the attribute is there means `info`: Serilog's compact format
    /// leaves this level out.
    PRESENT
  }

  private static final Level[] SYSLOG = {
    Level.CRITICAL,
    Level.CRITICAL,
    Level.CRITICAL,
    Level.ERROR,
    Level.WARN,
    Level.INFO,
    Level.INFO,
    Level.DEBUG
  };
  private static final @Nullable Level[] PINO = {
    null, Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.FATAL
  };
  private static final @Nullable Level[] MONOLOG = {
    null, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.CRITICAL, Level.CRITICAL
  };
  private static final @Nullable Level[] GOOGLE = {
    null,
    Level.DEBUG,
    Level.INFO,
    Level.INFO,
    Level.WARN,
    Level.ERROR,
    Level.CRITICAL,
    Level.CRITICAL,
    Level.CRITICAL
  };
  private static final @Nullable Level[] PYTHON = {
    null, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.CRITICAL
  };
  private static final @Nullable Level[] LOGBACK = {
    null, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.FATAL
  };
  private static final Level[] OTLP = {
    Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.FATAL
  };
  private static final int OTLP_MAX = 24;
  private static final int OTLP_OF_LEVEL = 4;
  private static final int HUNDRED = 100;
  private static final int LOGBACK_STEP = 10_000;
  private static final int LOGBACK_TRACE = 5_000;

  /// True when each event of some has an attribute, other than a status, that may tell the level.
  ///
  /// @param everywhere whether each has a value of a name and kind
  public static boolean isEverywhere(BiPredicate<AttributeName, AttributeKind> everywhere) {
    for (LevelAttribute attribute : ORDERED) {
      for (AttributeKind kind : List.of(AttributeKind.STRING, AttributeKind.LONG)) {
        if (attribute.scale != Scale.STATUS && everywhere.test(attribute.name, kind)) {
          return true;
        }
      }
    }
    return false;
  }

  /// True when a value of this kind may be a level.
  public boolean mayTell(AttributeKind kind) {
    return switch (kind) {
      case STRING -> true;
      case LONG, DOUBLE -> scale != Scale.STATUS;
      case BYTES, BOOLEAN -> scale == Scale.PRESENT;
    };
  }

  /// True when a value that is no level is the level of the event nevertheless: the daemon has
  /// looked for one when the event arrived.
  public boolean isFinal(AttributeValue value) {
    return name.equals(Level.DETECTED)
        && value.kind() == AttributeKind.STRING
        && value.length() > 0;
  }

  /// The level that a value of the attribute is; null when it is none.
  public @Nullable Level level(AttributeValue value) {
    if (scale == Scale.PRESENT) {
      return Level.INFO;
    }
    return switch (value.kind()) {
      case STRING -> {
        int number = digits(value);
        yield number < 0 ? Level.ofValue(value, scale == Scale.STATUS) : level(number);
      }
      case LONG -> level(value.bits());
      case DOUBLE -> {
        long whole = (long) value.asDouble();
        yield whole == value.asDouble() ? level(whole) : null;
      }
      case BYTES, BOOLEAN -> null;
    };
  }

  /// The level of a severity of syslog, 0 to 7.
  static Level syslog(int severity) {
    return SYSLOG[severity];
  }

  private @Nullable Level level(long number) {
    if (number < 0) {
      return null;
    }
    return switch (scale) {
      case LOGGER -> {
        if (number < SYSLOG.length) {
          yield SYSLOG[(int) number];
        }
        yield number < HUNDRED ? at(PINO, number / TEN) : monolog(number);
      }
      case SEVERITY -> {
        if (number < SYSLOG.length) {
          yield SYSLOG[(int) number];
        }
        yield number <= OTLP_MAX ? otlp(number) : stepped(GOOGLE, number, HUNDRED);
      }
      case OTLP -> otlp(number);
      case PYTHON -> at(PYTHON, number / TEN);
      case LOGBACK ->
          number == LOGBACK_TRACE ? Level.TRACE : stepped(LOGBACK, number, LOGBACK_STEP);
      case STATUS, PRESENT -> null;
    };
  }

  /// 250 is a notice, 550 an alert.
  private static @Nullable Level monolog(long number) {
    boolean isHalf = number == 250 || number == 550;
    return isHalf || number % HUNDRED == 0 ? at(MONOLOG, number / HUNDRED) : null;
  }

  private static @Nullable Level otlp(long number) {
    return number == 0 ? null : at(OTLP, (number - 1) / OTLP_OF_LEVEL);
  }

  private static @Nullable Level stepped(@Nullable Level[] levels, long number, int step) {
    return number % step == 0 ? at(levels, number / step) : null;
  }

  private static @Nullable Level at(@Nullable Level[] levels, long place) {
    return place < levels.length ? levels[(int) place] : null;
  }

  /// The number that a text of a few digits is; negative for other texts.
  private static int digits(AttributeValue value) {
    if (value.length() == 0 || value.length() > DIGITS_MAX) {
      return -1;
    }
    int number = 0;
    for (int i = 0; i < value.length(); i++) {
      byte here = value.memory().get(JAVA_BYTE, value.offset() + i);
      if (here < '0' || here > '9') {
        return -1;
      }
      number = TEN * number + here - '0';
    }
    return number;
  }
}
