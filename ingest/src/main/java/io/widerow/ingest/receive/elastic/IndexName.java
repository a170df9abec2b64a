package io.widerow.ingest.receive.elastic;

import io.widerow.ingest.decode.TimeParser;

/// The type that follows from the name of an index: the name without the date and the generation at
/// its end, so that a day does not make a type. `logs-2026.11.25` and `.ds-logs-2026.11.25-000001`
/// are `logs` and `.ds-logs`.
final class IndexName {
  private static final int GENERATION_BYTES = 7; // -000001

  private IndexName() {}

  /// Bytes of the name that are the type; at least 1 of a name that is not empty.
  static int typeBytes(byte[] name, int offset, int length) {
    int end = offset + length;
    if (length > GENERATION_BYTES
        && name[end - GENERATION_BYTES] == '-'
        && TimeParser.digits(name, end - GENERATION_BYTES + 1, GENERATION_BYTES - 1) >= 0) {
      end -= GENERATION_BYTES;
    }
    for (int parts = 4; parts >= 2; parts--) { // year, month, day, hour: the longest date first
      int bytes = 5 + 3 * (parts - 1);
      if (end - offset > bytes && isDate(name, end - bytes, parts)) {
        return end - bytes - offset;
      }
    }
    return end - offset;
  }

  /// Whether a separator and a date of so many parts begin at `at`.
  private static boolean isDate(byte[] name, int at, int parts) {
    int year = TimeParser.digits(name, at + 1, 4);
    if ((name[at] != '-' && name[at] != '.' && name[at] != '_') || year < 1970 || year > 2199) {
      return false;
    }
    for (int part = 1; part < parts; part++) {
      int separator = at + 5 + 3 * (part - 1);
      int value = TimeParser.digits(name, separator + 1, 2);
      int least = part == 3 ? 0 : 1;
      int most = part == 1 ? 12 : part == 2 ? 31 : 23;
      if ((name[separator] != '-' && name[separator] != '.') || value < least || value > most) {
        return false;
      }
    }
    return true;
  }
}
