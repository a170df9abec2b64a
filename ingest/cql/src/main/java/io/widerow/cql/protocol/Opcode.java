package io.widerow.cql.protocol;

import org.jspecify.annotations.Nullable;

/// The kinds of messages.
public enum Opcode {
  ERROR(0x00),
  STARTUP(0x01),
  READY(0x02),
  AUTHENTICATE(0x03),
  OPTIONS(0x05),
  SUPPORTED(0x06),
  QUERY(0x07),
  RESULT(0x08),
  PREPARE(0x09),
  EXECUTE(0x0a),
  REGISTER(0x0b),
  EVENT(0x0c),
  BATCH(0x0d),
  AUTH_CHALLENGE(0x0e),
  AUTH_RESPONSE(0x0f),
  AUTH_SUCCESS(0x10);

  private static final @Nullable Opcode[] BY_NUMBER = byNumber();

  public final int number;

  Opcode(int number) {
    this.number = number;
  }

  private static @Nullable Opcode[] byNumber() {
    @Nullable Opcode[] all = new Opcode[AUTH_SUCCESS.number + 1];
    for (Opcode opcode : values()) {
      all[opcode.number] = opcode;
    }
    return all;
  }

  /// The message of a number; null when there is none.
  public static @Nullable Opcode of(int number) {
    return number < BY_NUMBER.length ? BY_NUMBER[number] : null;
  }
}
