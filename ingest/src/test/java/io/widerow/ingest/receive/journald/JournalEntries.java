package io.widerow.ingest.receive.journald;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// For tests: entries in the journal export format, as `systemd-journal-upload` 252 sends them.
public final class JournalEntries {
  /// Microseconds since 1970 of the first entry.
  public static final long START_MICROS = 1_767_323_045_000_123L;

  private JournalEntries() {}

  /// A whole entry whose message says its number.
  public static String numbered(int number) {
    return entry(number, "MESSAGE=line %d\n".formatted(number));
  }

  /// A whole entry with its time and its cursor.
  ///
  /// @param fields each with its newline
  public static String entry(int number, String fields) {
    return "%s__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n%s%s\n"
        .formatted(cursor(number), START_MICROS + number, number, "_BOOT_ID=b00t\n", fields);
  }

  static String cursor(int number) {
    return "__CURSOR=s=5eed;i=%x;b=b00t;m=%x;t=62f;x=%x\n".formatted(number, number, 7 * number);
  }

  /// A field in the binary form, each character a byte.
  static String binary(String name, String value) {
    return name + "\n" + length(value.length()) + value + "\n";
  }

  static String length(long bytes) {
    byte[] length =
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(bytes).array();
    return new String(length, ISO_8859_1);
  }
}
