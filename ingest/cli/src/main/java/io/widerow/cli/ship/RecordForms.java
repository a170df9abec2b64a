package io.widerow.cli.ship;

import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Where the parts of the records of a batch are in its JSON lines, so that a record that the
/// daemon refuses can be sent in another form.
///
/// ```
///  {"file":"a.log","ts":"2026-11-20T19:00:00Z","attrs":{..},"level":"info","msg":"x"}
///  ^               ^                          ^            ^
///  from            timeFrom                   timeLimit    content: members, or body and text
/// ```
///
/// Without a time `timeLimit` is `timeFrom`.
///
/// - Threads: one, then handed over with the batch.
final class RecordForms {
  /// Without a time: the daemon gives that of its arrival.
  static final int TIMELESS = 1;

  /// The object as text.
  static final int TEXT = 2;

  /// The object's members for type, id and key become attributes.
  static final int PLAIN = 4;

  /// The object's member for the time becomes an attribute: the event gets the time of its line.
  static final int OTHER_TIME = 8;

  /// The member that is the time in a line of most forms but the first. A time that the daemon
  /// refused under its own name is an attribute then.
  private static final String TIME_FIELD = "widerow_time";

  /// Names that no object has, so that members with the usual names become attributes.
  private static final String PLAIN_NAMES =
      "&type-field=widerow_type&id-field=widerow_id&key-field=widerow_key";

  /// The time that a record had, when the daemon did not take it.
  static final String SENDER_TIME = new String(SenderTime.NAME, StandardCharsets.US_ASCII);

  private static final int FIELDS = 4;

  private int count;
  private int[] places = new int[FIELDS * 16];
  private boolean[] objects = new boolean[16];
  private long[] times = new long[16]; // as in the line
  private long[] timesOfText = new long[16]; // of the record as text

  /// Adds a record.
  ///
  /// @param content where its members are, or its text
  /// @param object whether these are the members of an object
  /// @param time that its line has, [TimeParser#NONE] for none
  /// @param before that of the line before
  void add(
      int from, int timeFrom, int timeLimit, int content, boolean object, long time, long before) {
    if (count == objects.length) {
      places = Arrays.copyOf(places, 2 * places.length);
      objects = Arrays.copyOf(objects, 2 * count);
      times = Arrays.copyOf(times, 2 * count);
      timesOfText = Arrays.copyOf(timesOfText, 2 * count);
    }
    int at = FIELDS * count;
    places[at] = from;
    places[at + 1] = timeFrom;
    places[at + 2] = timeLimit;
    places[at + 3] = content;
    objects[count] = object;
    times[count] = time;
    timesOfText[count] = time == TimeParser.NONE ? before : time;
    count++;
  }

  boolean isObject(int index) {
    return objects[index];
  }

  /// The additional parameters of a request with lines of this form. Lines with other ones need a
  /// request of their own.
  static String parameters(int form) {
    String time = (form & ~PLAIN) == 0 ? "" : "&time-field=" + TIME_FIELD;
    return (form & PLAIN) == 0 ? time : time + PLAIN_NAMES;
  }

  /// Puts the line of a record in another form.
  ///
  /// @param json lines of the batch
  /// @param form 0, or other forms put together
  void put(byte[] json, int index, int form, JsonBuffer out) {
    int at = FIELDS * index;
    int from = places[at];
    int limit = index + 1 < count ? Math.min(places[at + FIELDS], json.length) : json.length;
    if ((form & ~PLAIN) == 0) {
      out.put(json, from, limit - from);
      return;
    }
    int timeFrom = places[at + 1];
    int timeLimit = places[at + 2];
    int content = places[at + 3];
    boolean text = (form & TEXT) != 0;
    out.put(json, from, timeFrom - from);
    long time = (form & (TEXT | OTHER_TIME)) == 0 ? times[index] : timesOfText[index];
    if (time != TimeParser.NONE) {
      out.putString((form & TIMELESS) != 0 ? SENDER_TIME : TIME_FIELD);
      out.put(":");
      out.putTime(time);
      out.put(",");
    }
    out.put(json, timeLimit, content - timeLimit);
    if (text) {
      byte[] object = Arrays.copyOfRange(json, content - 1, limit - 1);
      object[0] = '{';
      out.put("\"body\":");
      out.putString(object, 0, object.length);
      out.put("}\n");
    } else {
      out.put(json, content, limit - content);
    }
  }
}
