package io.widerow.cql.type;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A type without parameters.
public enum NativeType implements CqlType {
  ASCII(0x01),
  BIGINT(0x02),
  BLOB(0x03),
  BOOLEAN(0x04),
  COUNTER(0x05),
  DECIMAL(0x06),
  DOUBLE(0x07),
  FLOAT(0x08),
  INT(0x09),
  TIMESTAMP(0x0b),
  UUID(0x0c),
  TEXT(0x0d),
  VARINT(0x0e),
  TIMEUUID(0x0f),
  INET(0x10),
  DATE(0x11),
  TIME(0x12),
  SMALLINT(0x13),
  TINYINT(0x14),
  DURATION(0x15);

  /// The number of the type in metadata.
  public final int number;

  NativeType(int number) {
    this.number = number;
  }

  /// The type of a name in lower case; null when there is none.
  public static @Nullable NativeType of(String name) {
    if (name.equals("varchar")) {
      return TEXT;
    }
    for (NativeType type : values()) {
      if (type.cqlName().equals(name)) {
        return type;
      }
    }
    return null;
  }

  String cqlName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// True when it has a value of no bytes.
  public boolean isPerhapsEmpty() {
    return switch (this) {
      case DATE, TIME, SMALLINT, TINYINT, DURATION, COUNTER -> false;
      default -> true;
    };
  }

  public boolean isText() {
    return this == TEXT || this == ASCII;
  }

  /// True for whole numbers, which an integer in a statement can be.
  public boolean isWhole() {
    return switch (this) {
      case TINYINT, SMALLINT, INT, BIGINT, VARINT, COUNTER -> true;
      default -> false;
    };
  }

  public boolean isNumber() {
    return isWhole() || this == FLOAT || this == DOUBLE || this == DECIMAL;
  }
}
