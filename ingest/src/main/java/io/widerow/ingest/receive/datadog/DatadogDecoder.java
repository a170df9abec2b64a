package io.widerow.ingest.receive.datadog;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonAttributes;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.JsonTimes;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.http.RequestRefused;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Decodes Datadog's logs: an array of objects, or one object. `service` is the type, else
/// `ddsource`; `message` the text, or an object whose `message` is the text and whose other members
/// are attributes; `timestamp` or `date` the time, see [SenderTime]. `hostname` becomes `host`,
/// each tag of `ddtags` an attribute `key: value`, a tag without a colon one with an empty value.
/// All other members are attributes under their names. Without these two, other names that Datadog
/// knows give the time ([#TIMES]), and stay attributes.
///
/// The array itself must be JSON. Invalid JSON refuses the request; a value that is not an event is
/// refused alone. An empty array and an empty object hold no events.
///
/// - Threads: one.
///
/// Source: Datadog's API, "Send logs", version 2.
public final class DatadogDecoder {
  private static final byte[] DEFAULT_TYPE = ascii("datadog");
  private static final byte[] BODY = ascii("body");
  private static final byte[] HOST = ascii("host");
  private static final byte[] MESSAGE = ascii("message");
  private static final byte[] HOSTNAME = ascii("hostname");
  private static final byte[] SERVICE = ascii("service");
  private static final byte[] SOURCE = ascii("ddsource");
  private static final byte[] TAGS = ascii("ddtags");

  /// Names of times, the best first.
  private static final byte[][] TIMES = {
    ascii("timestamp"),
    ascii("date"),
    ascii("@timestamp"),
    ascii("_timestamp"),
    ascii("Timestamp"),
    ascii("eventTime"),
    ascii("published_date")
  };

  private static final int DATE = 1; // among TIMES
  private static final AttributeLevels LEVELS =
      new AttributeLevels("", AttributeLevels.ATTRIBUTES, "message.", "tag.");
  private static final int OF_LOG = 1; // levels
  private static final int OF_MESSAGE = 2;
  private static final int OF_TAGS = 3;
  private static final int NONE = -1;

  private final AttributeTape tape = new AttributeTape(LEVELS);
  private final int bodyName = tape.constant(BODY);
  private final int hostName = tape.constant(HOST);
  private final int sourceName = tape.constant(SOURCE);
  private final int dateName = tape.constant(TIMES[DATE]);
  private final Text givenService; // in the scratch, like the next three
  private final Text givenSource;
  private final Text givenHost;
  private final Text givenTags;
  private final JsonAttributes attributes = new JsonAttributes(tape);
  private final JsonAttributes.Taker taker = this::member;
  private final JsonAttributes.Taker inMessage = this::memberOfMessage;
  private final byte @Nullable [] wantedType;
  private final String sent;
  private byte[] body = DEFAULT_TYPE; // the JSON that is read
  private SenderTime time = new SenderTime();
  private SenderTime earlier = new SenderTime(); // while `time` is read
  private final JsonTimes times = new JsonTimes();
  private int timeRank; // of its name
  private int dateAt; // the value of a `date` that was taken for the time
  private long nowNanos;
  private boolean hosted;
  private final Text service = new Text();
  private final Text source = new Text();

  /// Where a string is.
  private static final class Text {
    boolean inScratch;
    int offset;
    int bytes = NONE;

    void take(Text other) {
      inScratch = other.inScratch;
      offset = other.offset;
      bytes = other.bytes;
    }

    void take(JsonScanner json) {
      inScratch = json.textInScratch;
      offset = json.textOffset;
      bytes = json.textBytes;
    }
  }

  /// @param wantedType of all events; null for what they say
  /// @param sent the time of events without one; empty for their arrival
  public DatadogDecoder(@Nullable String wantedType, String sent, DatadogDefaults given) {
    givenService = constant(given.service());
    givenSource = constant(given.source());
    givenHost = constant(given.host());
    givenTags = constant(given.tags());
    this.wantedType = wantedType == null ? null : wantedType.getBytes(StandardCharsets.UTF_8);
    this.sent = sent;
  }

  private Text constant(String given) {
    byte[] text = given.getBytes(StandardCharsets.UTF_8);
    Text constant = new Text();
    constant.inScratch = true;
    constant.offset = tape.constant(text);
    constant.bytes = text.length;
    return constant;
  }

  /// @param body with [Swar#SLACK_BYTES] readable bytes after `limit`
  /// @throws RequestRefused when the body is no JSON of objects
  public void decode(byte[] body, int offset, int limit, IncomingBatch batch)
      throws RequestRefused {
    nowNanos = batch.wallNanos;
    JsonScanner json = new JsonScanner(body, offset, limit, false);
    try {
      tape.begin(body);
      json.skip(tape, 0); // first, so that a cut body stores nothing
      json.peek();
      if (json.at < limit) {
        throw new JsonScanner.Bad("something follows the JSON");
      }
      json.at = offset;
      all(json, batch);
    } catch (JsonScanner.Bad bad) {
      throw RequestRefused.bad("%s at byte %d".formatted(bad.getMessage(), json.at));
    }
  }

  private void all(JsonScanner json, IncomingBatch batch) throws JsonScanner.Bad {
    if (json.peek() != '[') {
      one(json, batch, true);
      return;
    }
    json.at++;
    if (json.peek() == ']') {
      return;
    }
    while (true) {
      one(json, batch, false);
      if (json.peek() == ']') {
        return;
      }
      json.expect(',');
    }
  }

  /// @param alone whether it is the whole body, which may then be an empty object
  private void one(JsonScanner json, IncomingBatch batch, boolean alone) throws JsonScanner.Bad {
    json.peek();
    int start = json.at;
    try {
      if (json.peek() != '{') {
        throw new JsonScanner.Bad("not a JSON object");
      }
      read(json);
      if (tape.count() == 0 && service.bytes < 0 && source.bytes < 0 && alone) {
        return;
      }
    } catch (JsonScanner.Bad bad) {
      batch.refuse("%s at byte %d".formatted(bad.getMessage(), json.at));
      json.at = start;
      tape.begin(json.bytes);
      json.skip(tape, 1);
      return;
    }
    write(json, batch);
  }

  private void read(JsonScanner json) throws JsonScanner.Bad {
    body = json.bytes;
    tape.begin(body);
    json.loneSurrogates = 0;
    time.clear();
    timeRank = TIMES.length;
    hosted = false;
    service.bytes = NONE;
    source.bytes = NONE;
    attributes.object(json, taker);
  }

  private void write(JsonScanner json, IncomingBatch batch) {
    takeGiven();
    byte[] type = wantedType != null ? wantedType : DEFAULT_TYPE;
    int offset = 0;
    int length = type.length;
    Text named = service.bytes > 0 ? service : source;
    if (wantedType == null && named.bytes > 0) {
      type = named.inScratch ? tape.scratch() : json.bytes;
      offset = named.offset;
      length = named.bytes;
    }
    if (!time.isGiven() && !sent.isEmpty()) {
      time.text(sent, nowNanos);
    }
    long nanos = time.take(batch, tape);
    tape.level(0);
    if (json.loneSurrogates > 0) {
      tape.mark(EscapedText.MARK, json.loneSurrogates);
    }
    batch.events.begin(type, offset, length, nanos);
    tape.writeTo(batch.events);
    boolean _ = batch.end(tape, type, offset, length);
  }

  /// Adds what the parameters of the request give to an event that does not say it itself.
  private void takeGiven() {
    if (service.bytes <= 0 && givenService.bytes > 0) {
      service.take(givenService);
    }
    if (source.bytes <= 0 && givenSource.bytes > 0) {
      source.take(givenSource);
      tape.level(OF_LOG);
      tape.name(true, sourceName, SOURCE.length);
      tape.string(true, source.offset, source.bytes);
    }
    if (!hosted && givenHost.bytes > 0) {
      host(true, givenHost.offset, givenHost.bytes);
    }
    tags(true, givenTags.offset, givenTags.bytes);
  }

  private void host(boolean inScratch, int offset, int bytes) {
    hosted = true;
    tape.level(0);
    tape.name(true, hostName, HOST.length);
    tape.string(inScratch, offset, bytes);
  }

  private boolean member(JsonScanner json, JsonAttributes member) throws JsonScanner.Bad {
    int first = json.peek();
    tape.level(OF_LOG);
    int rank = rankOfTime(json, member);
    if (rank <= DATE && rank < timeRank) {
      meantTime(json, rank);
      return true;
    }
    if (first == '"') {
      return text(json, member);
    }
    if (member.isNamed(json, MESSAGE) && first == '{') {
      tape.level(OF_MESSAGE);
      attributes.inline(json, inMessage);
      return true;
    }
    if (rank < timeRank && (first == '-' || TimeParser.isDigit((byte) first))) {
      int start = json.at;
      long nanos = times.read(json, first, rank, tape, nowNanos);
      guess(nanos, rank, false, start, json.at - start);
      json.at = start; // it stays an attribute
    }
    return false;
  }

  /// Reads a member that is meant as the time. A value that gives none leaves the time as it was; a
  /// `date` that gives way to a `timestamp` becomes an attribute.
  private void meantTime(JsonScanner json, int rank) throws JsonScanner.Bad {
    SenderTime before = time;
    int start = json.at;
    earlier.clear();
    earlier.json(json, tape, EpochText.AUTO, nowNanos);
    if (!earlier.isGiven()) {
      return;
    }
    time = earlier;
    earlier = before;
    if (timeRank == DATE) {
      int end = json.at;
      int surrogates = json.loneSurrogates; // its own are counted
      json.at = dateAt;
      tape.name(true, dateName, TIMES[DATE].length);
      JsonAttributes.putValue(json, json.peek(), 1, tape);
      json.at = end;
      json.loneSurrogates = surrogates;
    }
    timeRank = rank;
    dateAt = start;
  }

  /// The place of a member's name among the times; their count when it is none.
  private static int rankOfTime(JsonScanner json, JsonAttributes member) {
    int rank = 0;
    while (rank < TIMES.length && !member.isNamed(json, TIMES[rank])) {
      rank++;
    }
    return rank;
  }

  private boolean text(JsonScanner json, JsonAttributes member) throws JsonScanner.Bad {
    if (member.isNamed(json, MESSAGE)) {
      json.string(tape);
      body(json);
    } else if (member.isNamed(json, HOSTNAME)) {
      json.string(tape);
      host(json.textInScratch, json.textOffset, json.textBytes);
    } else if (member.isNamed(json, TAGS)) {
      json.string(tape);
      tags(json.textInScratch, json.textOffset, json.textBytes);
    } else if (member.isNamed(json, SERVICE)) {
      json.string(tape);
      service.take(json);
      if (wantedType != null || json.textBytes == 0) {
        keep(json, member);
      }
    } else if (member.isNamed(json, SOURCE)) {
      json.string(tape);
      source.take(json);
      keep(json, member);
    } else {
      int rank = rankOfTime(json, member);
      if (rank == TIMES.length) {
        return false;
      }
      json.string(tape);
      if (rank < timeRank) {
        long nanos = times.ofString(json, rank, tape, nowNanos);
        guess(nanos, rank, json.textInScratch, json.textOffset, json.textBytes);
      }
      keep(json, member);
    }
    return true;
  }

  private void body(JsonScanner json) {
    tape.level(0);
    tape.name(true, bodyName, BODY.length);
    tape.string(json.textInScratch, json.textOffset, json.textBytes);
  }

  /// Keeps a string that was read under the name it has.
  private void keep(JsonScanner json, JsonAttributes member) {
    tape.name(member.nameInScratch(), member.nameOffset(), member.nameBytes());
    tape.string(json.textInScratch, json.textOffset, json.textBytes);
  }

  private boolean memberOfMessage(JsonScanner json, JsonAttributes member) throws JsonScanner.Bad {
    tape.level(OF_MESSAGE);
    if (json.peek() != '"' || !member.isNamed(json, MESSAGE)) {
      return false;
    }
    json.string(tape);
    body(json);
    return true;
  }

  /// Reads `env:test,team:a,canary`.
  private void tags(boolean inScratch, int offset, int bytes) {
    tape.level(OF_TAGS);
    int end = offset + bytes;
    for (int at = offset; at < end; ) {
      byte[] from = inScratch ? tape.scratch() : body;
      int comma = at;
      int colon = NONE;
      while (comma < end && from[comma] != ',') {
        colon = colon == NONE && from[comma] == ':' ? comma : colon;
        comma++;
      }
      int nameEnd = colon == NONE ? comma : colon;
      int start = at;
      while (start < nameEnd && from[start] == ' ') { // `a:1, b:2` is usual
        start++;
      }
      if (nameEnd > start) {
        tape.name(inScratch, start, nameEnd - start);
        int value = colon == NONE ? comma : colon + 1;
        tape.string(inScratch, value, comma - value);
      }
      at = comma + 1;
    }
  }

  /// Takes a time that stays an attribute, because its name may mean something else.
  private void guess(long nanos, int rank, boolean inScratch, int offset, int bytes) {
    byte[] from = inScratch ? tape.scratch() : body;
    boolean read = nanos != TimeParser.NONE;
    if (read) {
      timeRank = rank;
    }
    boolean meant = timeRank == TIMES.length && JsonTimes.isLikeTime(from, offset, offset + bytes);
    if (read || meant) {
      time.read(nanos, inScratch, offset, bytes);
    }
  }
}
