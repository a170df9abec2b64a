package io.widerow.event;

import java.time.Duration;
import java.util.Locale;

/// Why one event of a batch was rejected. The rest of the batch is stored.
public enum Rejection {
  EVENT_TOO_LARGE("the event is larger than the limit"),
  TYPE_INVALID("the type must be 1 to 128 bytes of valid UTF-8"),
  TIME_OUT_OF_RANGE("the time must be in 1970..2199"),
  TIME_IN_FUTURE("the time is further ahead than the store allows"),
  PAST_RETENTION("the time has expired by the retention of its type: it would never be shown"),
  ID_AND_TIME_DIFFER("the id's time is not the event's time"),
  TOO_MANY_ATTRIBUTES("the event has more attributes than the limit"),
  ATTRIBUTE_NAME_INVALID("an attribute name must be 1 to 255 bytes of valid UTF-8"),
  ATTRIBUTE_TWICE("an attribute is given twice"),
  TEXT_NOT_UTF8("a string is not valid UTF-8"),
  BATCH_FULL("the batch is full"),
  BATCH_TOO_LARGE("its batch does not fit into the memory of one group; send smaller batches");

  private final String reason;

  Rejection(String reason) {
    this.reason = reason;
  }

  /// The sentence of [#PAST_RETENTION] with the retention, in the largest unit that is whole.
  public static String pastRetention(Duration kept) {
    long millis = kept.toMillis();
    String text =
        millis % 1_000 != 0 || millis == 0
            ? kept.toString().substring(2).toLowerCase(Locale.ROOT)
            : whole(millis / 1_000);
    return "older than the retention of " + text;
  }

  private static String whole(long seconds) {
    if (seconds % 86_400 == 0) {
      return seconds / 86_400 + "d";
    }
    if (seconds % 3_600 == 0) {
      return seconds / 3_600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  /// The reason as a sentence for the sender.
  public String reason() {
    return reason;
  }
}
