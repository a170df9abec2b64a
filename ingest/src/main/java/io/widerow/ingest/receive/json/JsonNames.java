package io.widerow.ingest.receive.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.widerow.event.EventLayout;
import io.widerow.ingest.decode.KeyId;
import io.widerow.ingest.decode.Swar;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The names of JSON members that are more than an attribute. Loggers use different names, so
/// several are known for the time and for the text, by precedence: the first one that an event has
/// is taken, and the others stay attributes.
///
/// A role is a number: its kind, and for times and texts the rank of the name, 0 being the first.
///
/// - Threads: any; immutable.
public final class JsonNames {
  static final int ATTRIBUTE = 0;
  static final int TYPE = 1 << 8;
  static final int ID = 2 << 8;
  static final int TIME = 3 << 8;
  static final int TEXT = 4 << 8;

  /// A member `body` when the sender has named another member as the text.
  static final int OTHER_BODY = 5 << 8;

  /// A member that a query has shown with [#SHOWN_PREFIX], because `id`, `ts` and `type` are its
  /// own names.
  static final int SHOWN = 6 << 8;

  /// The key of the event, from which its id follows.
  static final int KEY = 7 << 8;

  /// A member that is null, whatever its name.
  static final int NULL = 8 << 8;

  static final String SHOWN_PREFIX = "attributes.";

  /// Names of the time, best first. What the first one holds is meant as a time; any other counts
  /// only when it is one.
  static final List<String> TIMES =
      List.of(
          ("ts time timestamp @timestamp @t eventTime Timestamp instant timeMillis datetime"
                  + " asctime requestReceivedTimestamp lastTimestamp __REALTIME_TIMESTAMP")
              .split(" ", -1));

  /// Names of the text, best first.
  static final List<String> TEXTS =
      List.of(
          "body",
          "formattedMessage", // of logback, whose `message` is the template
          "message",
          "msg",
          "log",
          "@m",
          "@mt",
          "MESSAGE",
          "Message",
          "RenderedMessage",
          "MessageTemplate");

  /// The names that are known without parameters.
  public static final JsonNames KNOWN = of("", "", "", "", "");

  private static final int RANK_MASK = 0xff;
  private static final String TYPE_NAME = "type";
  private static final String ID_NAME = "_id";
  private static final String KEY_NAME = "_key";

  private final List<String> given;
  private final Entry[][] byLength;
  private final boolean nested;
  private final boolean textIsBody;
  private final String notAType;
  private final String notAnId;
  private final String notAKey;

  private static final class Entry {
    final byte[] name;
    final long head; // its first bytes
    final int role;

    Entry(byte[] name, int role) {
      this.name = name;
      this.head = Swar.head(name, 0, name.length);
      this.role = role;
    }
  }

  private JsonNames(
      List<String> given, List<Entry> entries, String type, String text, String id, String key) {
    this.given = given;
    int longest = entries.stream().mapToInt(entry -> entry.name.length).max().orElse(0);
    byLength = new Entry[longest + 1][];
    for (int length = 0; length <= longest; length++) {
      int here = length;
      byLength[length] =
          entries.stream().filter(entry -> entry.name.length == here).toArray(Entry[]::new);
    }
    nested =
        entries.stream()
            .anyMatch(entry -> entry.role != SHOWN && new String(entry.name, UTF_8).contains("."));
    textIsBody = text.equals(TEXTS.getFirst());
    notAType = type + " must be a string";
    notAnId = id + " must be a version-1 UUID; ?id-field= names the member with the event's id";
    notAKey =
        "%s must be a string of 1 to %d bytes; ?key-field= names the member with the event's key"
            .formatted(key, KeyId.BYTES_MAX);
  }

  /// Each name may be empty, for the known ones. One of a nested member has dots: `log.time`.
  ///
  /// @param type of the type
  /// @param time of the time, and the only one
  /// @param text of the text, and the only one
  /// @param id of the event's own id
  /// @param key of the event's key; when the id has a name and the key has none, `_key` is data, so
  ///   that answers of queries go back in
  public static JsonNames of(String type, String time, String text, String id, String key) {
    List<Entry> entries = new ArrayList<>();
    add(entries, type.isEmpty() ? TYPE_NAME : type, TYPE);
    add(entries, id.isEmpty() ? ID_NAME : id, ID);
    if (!key.isEmpty() || id.isEmpty()) {
      add(entries, key.isEmpty() ? KEY_NAME : key, KEY);
    }
    addAll(entries, time.isEmpty() ? TIMES : List.of(time), TIME);
    addAll(entries, text.isEmpty() ? TEXTS : List.of(text), TEXT);
    add(entries, TEXTS.getFirst(), OTHER_BODY);
    if (id.equals("id")) { // as query answers have it
      for (String own : List.of("id", "ts", "type")) {
        String shown = SHOWN_PREFIX + own;
        while (shown.length() <= SHOWN_PREFIX.length() + EventLayout.NAME_BYTES_MAX) {
          add(entries, shown, SHOWN);
          shown = SHOWN_PREFIX + shown;
        }
      }
    }
    return new JsonNames(
        List.of(type, time, text, id, key),
        entries,
        type.isEmpty() ? TYPE_NAME : type,
        text.isEmpty() ? TEXTS.getFirst() : text,
        id.isEmpty() ? ID_NAME : id,
        key.isEmpty() ? KEY_NAME : key);
  }

  private static void addAll(List<Entry> entries, List<String> names, int kind) {
    for (int rank = 0; rank < names.size(); rank++) {
      add(entries, names.get(rank), kind | rank);
    }
  }

  /// Does nothing when the name has a role already.
  private static void add(List<Entry> entries, String text, int role) {
    byte[] name = text.getBytes(UTF_8);
    if (entries.stream().noneMatch(entry -> Arrays.equals(entry.name, name))) {
      entries.add(new Entry(name, role));
    }
  }

  /// The role of a member; [#ATTRIBUTE] for most.
  int role(byte[] source, int offset, int length) {
    if (length >= byLength.length) {
      return ATTRIBUTE;
    }
    Entry[] sameLength = byLength[length];
    if (sameLength.length == 0) {
      return ATTRIBUTE;
    }
    long head = Swar.head(source, offset, length);
    for (Entry entry : sameLength) {
      if (entry.head == head
          && (length <= Long.BYTES
              || Arrays.equals(
                  source, offset + Long.BYTES, offset + length, entry.name, Long.BYTES, length))) {
        return entry.role;
      }
    }
    return ATTRIBUTE;
  }

  /// True when each member has the same role by these names.
  boolean isSame(JsonNames other) {
    return given.equals(other.given);
  }

  static int kind(int role) {
    return role & ~RANK_MASK;
  }

  static int rank(int role) {
    return role & RANK_MASK;
  }

  /// True when a nested member may have a role.
  boolean nested() {
    return nested;
  }

  /// Why an event is refused whose type is none.
  String notAType() {
    return notAType;
  }

  /// Why an event is refused whose own id is none.
  String notAnId() {
    return notAnId;
  }

  /// Why an event is refused whose key is none.
  String notAKey() {
    return notAKey;
  }

  /// True when the first name of texts is that of the attribute.
  boolean textIsBody() {
    return textIsBody;
  }

  /// True when the text is a line with its newline, as Docker writes it.
  static boolean isLine(byte[] source, int offset, int length) {
    return length == 3
        && source[offset] == 'l'
        && source[offset + 1] == 'o'
        && source[offset + 2] == 'g';
  }
}
