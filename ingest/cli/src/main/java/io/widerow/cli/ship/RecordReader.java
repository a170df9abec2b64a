package io.widerow.cli.ship;

import com.google.re2j.Pattern;
import io.widerow.event.TimeUuid;
import io.widerow.ingest.decode.ByteOrderMark;
import io.widerow.ingest.decode.RecordStarts;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.decode.TimePattern;
import io.widerow.ingest.decode.TimeSpan;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Turns a piece of a file into JSON lines, one for each record.
///
/// ```
///   bytes:    line | line | line | line | li          a batch ends where no record is open
///   records:  <---------> <-----> <-----> ?           ? is left for the next batch
///   batch:    {"file":..,"ts":..,"body":".."}         one line a record
/// ```
///
/// The result depends only on the bytes and the arguments; and the bytes of a batch alone, read
/// with `flush`, give the same batch. So a batch can be made again from its place in the file,
/// after a restart.
///
/// A record ends with its line; with a start rule, before the next line that starts one. A record
/// of one stream of a container also ends when [#LINES_SINCE_MAX] lines of the other stream
/// followed. Records are open for at most `recordBytesMax` bytes of the file: then all of them end.
///
/// - Threads: one.
final class RecordReader {
  static final int LINES_SINCE_MAX = 256;
  private static final int START_BYTES = 1_024; // of a line that an expression looks at
  private static final int UTF8_BACK_MAX = 3;

  /// Records of one batch, about: the daemon lists so many refusals of one that it stores in part.
  static final int EVENTS_MAX = 10_000;

  private static final String SENDER_TIME = new String(SenderTime.NAME, StandardCharsets.US_ASCII);
  private static final String[] STREAM_MEMBERS = {
    "", "\"stream\":\"stdout\",", "\"stream\":\"stderr\","
  };

  // Members that we add after the labels: offsets from the number of labels.
  private static final int STREAM = 0;
  private static final int ATTRS = 1;
  private static final List<byte[]> CONTAINER_MEMBERS =
      List.of(ContainerLine.STREAM, ContainerLine.ATTRS); // in this order
  private static final FileLabels NO_LABELS = FileLabels.ofInput("", Map.of());

  private final RecordFormat rules;
  private final @Nullable Pattern start;
  private final ContainerLine line = new ContainerLine();
  private final List<OpenRecord> streams =
      List.of(new OpenRecord(), new OpenRecord(), new OpenRecord());

  // The batch being made.
  private byte[] raw = {};
  private FileLabels labels = NO_LABELS;
  private List<byte[]> names = List.of(); // of the labels, then the other members that we add
  private final BitSet own = new BitSet(); // labels that the record has itself
  private TimePattern pattern;
  private TimePattern startPattern;
  private RecordStarts starts = new RecordStarts();
  private final TimeSpan span = new TimeSpan();
  private long nowNanos;
  private long timeBefore;
  private int events;
  private JsonBuffer out = new JsonBuffer(0);
  private RecordForms forms = new RecordForms();

  // Where no record was open last.
  private int committed;
  private int committedOut;
  private int committedEvents;
  private long committedTime;

  /// A batch, made of the first `consumed` bytes.
  static final class Made {
    /// The same, made of a file of another charset.
    ///
    /// @param fileBytes bytes of the file that became the consumed ones
    Made of(int fileBytes) {
      return new Made(json, fileBytes, limited, events, timeBefore, forms);
    }

    /// JSON lines.
    final byte[] json;

    /// Bytes that it is made of.
    final int consumed;

    /// The number of records.
    final int events;

    /// The time that the next record has if it has none itself, in nanoseconds since the Unix
    /// epoch; [TimeParser#NONE] for none.
    final long timeBefore;

    /// The parts of each line of `json`.
    final RecordForms forms;

    /// Whether it would have more records if a batch could be larger.
    final boolean limited;

    Made(
        byte[] json,
        int consumed,
        boolean limited,
        int events,
        long timeBefore,
        RecordForms forms) {
      this.json = json;
      this.consumed = consumed;
      this.limited = limited;
      this.events = events;
      this.timeBefore = timeBefore;
      this.forms = forms;
    }
  }

  RecordReader(RecordFormat rules) {
    this.rules = rules;
    String given = rules.start();
    start = given == null || given.equals("time") ? null : Pattern.compile(given);
    pattern = rules.newPattern();
    startPattern = pattern;
  }

  /// Makes a batch of at most about [#EVENTS_MAX] records.
  ///
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `length`
  /// @param labels members of every record
  /// @param before the time of the record before, [TimeParser#NONE] for none
  /// @param now completes times without a year, in nanoseconds since the Unix epoch
  /// @param flush whether an open record at the end counts as complete
  Made read(byte[] bytes, int length, FileLabels labels, long before, long now, boolean flush) {
    return read(bytes, length, labels, before, now, flush, EVENTS_MAX);
  }

  /// Makes a batch again from its own bytes, however many records it has.
  Made again(byte[] bytes, int length, FileLabels labels, long before, long now) {
    return read(bytes, length, labels, before, now, true, Integer.MAX_VALUE);
  }

  private Made read(
      byte[] bytes,
      int length,
      FileLabels labels,
      long before,
      long now,
      boolean flush,
      int eventsMax) {
    begin(bytes, length, labels, before, now);
    int at = 0;
    boolean waits = false; // for the end of a line
    while (at < length
        && out.length() < 4 * rules.batchBytes()
        && (events < eventsMax || committed == 0)) {
      int end = lineEnd(at, length);
      boolean newline = end < length && raw[end] == '\n';
      if (!newline && end == length && !flush) {
        waits = true;
        break;
      }
      boolean cut = !newline && end - at >= cutBytes();
      line(at, end, newline, cut);
      at = newline ? end + 1 : end;
      if (at - committed >= cutBytes()) {
        emitAll();
      }
      commitIfNoneOpen(at);
    }
    if (flush && at >= length) {
      emitAll();
      commitIfNoneOpen(at);
    }
    boolean limited = at < length && !waits;
    byte[] json = out.copy(committedOut);
    return new Made(json, committed, limited, committedEvents, committedTime, forms);
  }

  private void begin(byte[] bytes, int length, FileLabels fileLabels, long before, long now) {
    raw = bytes;
    labels = fileLabels;
    names = new ArrayList<>(labels.names());
    names.addAll(CONTAINER_MEMBERS);
    pattern = rules.newPattern();
    starts = new RecordStarts();
    startPattern = rules.newPattern(); // looks at lines ahead, which the other must not know
    nowNanos = now;
    timeBefore = before;
    events = 0;
    out = new JsonBuffer(length + length / 2 + 1_024);
    forms = new RecordForms();
    for (OpenRecord record : streams) {
      record.open = false;
    }
    commitIfNoneOpen(0);
  }

  private void commitIfNoneOpen(int at) {
    if (streams.stream().noneMatch(record -> record.open)) {
      committed = at;
      committedOut = out.length();
      committedEvents = events;
      committedTime = timeBefore;
    }
  }

  /// A line, or records that are open, of so many bytes are cut. A line may be cut a few bytes
  /// before the limit, so that no character is.
  private int cutBytes() {
    return rules.recordBytesMax() - UTF8_BACK_MAX;
  }

  /// The newline after `at`, or where the line is cut, or `length`.
  private int lineEnd(int at, int length) {
    int newline = Swar.newline(raw, at, length);
    int limit = at + rules.recordBytesMax();
    if (newline <= limit) {
      return newline;
    }
    int cut = limit;
    while (cut > limit - UTF8_BACK_MAX && (raw[cut] & 0xc0) == 0x80) {
      cut--;
    }
    return cut;
  }

  private void line(int at, int end, boolean newline, boolean cut) {
    int limit = newline && end > at && raw[end - 1] == '\r' ? end - 1 : end;
    if (!isOfContainer(at, limit)) {
      line.bytes = raw;
      line.offset = withoutBeginning(at, limit);
      line.length = limit - line.offset;
      line.stream = 0;
      line.nanos = TimeParser.NONE;
      line.partial = false;
      line.attrsLength = 0;
    }
    OpenRecord record = streams.get(line.stream);
    if (record.open && record.unfinished) {
      record.append(line.bytes, line.offset, line.length);
    } else if (!startsRecord() && record.open) { // the first line tells what starts the others
      record.newline();
      record.append(line.bytes, line.offset, line.length);
    } else {
      beginRecord(record, at);
    }
    record.unfinished = line.partial;
    record.cut = cut;
    record.linesSince = 0;
    for (OpenRecord other : streams) {
      if (other != record && other.open && ++other.linesSince > LINES_SINCE_MAX) {
        emit(other);
      }
    }
    if (record.open && rules.start() == null && !record.unfinished) {
      emit(record);
    }
  }

  private void beginRecord(OpenRecord record, int at) {
    if (record.open) {
      emit(record);
      commitIfNoneOpen(at);
    }
    if (line.length > 0 || line.partial) { // a blank line begins none
      record.begin(line.nanos);
      record.append(line.bytes, line.offset, line.length);
      record.attrsOffset = line.attrsOffset;
      record.attrsLength = line.attrsLength;
    }
  }

  private boolean isOfContainer(int at, int limit) {
    return switch (rules.format()) {
      case text, json -> false;
      case docker -> line.readDocker(raw, at, limit);
      case cri -> line.readCri(raw, at, limit);
      case auto -> line.readDocker(raw, at, limit) || line.readCri(raw, at, limit);
    };
  }

  /// Skips a byte order mark, and the zeros with which a program that does not append goes on after
  /// its file was truncated.
  private int withoutBeginning(int at, int limit) {
    int from = ByteOrderMark.skip(raw, at, limit);
    while (from < limit && raw[from] == 0) {
      from++;
    }
    return from;
  }

  private boolean startsRecord() {
    Pattern expression = start;
    if (expression != null) {
      int looked = Math.min(line.length, START_BYTES);
      String text = new String(line.bytes, line.offset, looked, StandardCharsets.UTF_8);
      return expression.matcher(text).lookingAt();
    }
    if (rules.start() == null) {
      return true;
    }
    int limit = line.offset + line.length;
    return startPattern instanceof TimePattern.Auto auto
        ? starts.isStart(auto, line.bytes, line.offset, limit, nowNanos)
        : startPattern.nanos(line.bytes, line.offset, limit, nowNanos) != TimeParser.NONE;
  }

  private void emitAll() {
    for (OpenRecord record : streams) {
      if (record.open) {
        emit(record);
      }
    }
  }

  private void emit(OpenRecord record) {
    record.open = false;
    record.dropBlankEnd();
    if (record.length == 0) {
      return;
    }
    events++;
    own.clear();
    boolean object =
        rules.format() != RecordFormat.Format.text
            && rules.start() == null
            && !record.cut
            && line.readObject(record.text, 0, record.length, names, own);
    if (!object) {
      own.clear();
    }
    int from = out.length();
    int added = labels.names().size();
    labels.put(out, own);
    if (!own.get(added + STREAM)) {
      out.put(STREAM_MEMBERS[streams.indexOf(record)]);
    }
    span.clear();
    long nanos = object ? record.nanos : time(record);
    if (span.isThere()) { // the daemon gives the record the time of its arrival
      out.putString(SENDER_TIME);
      out.put(":");
      out.putString(record.text, span.from(), span.length());
      out.put(",");
    }
    int timeFrom = out.length();
    if (nanos != TimeParser.NONE) {
      out.put("\"ts\":");
      out.putTime(nanos);
      out.put(",");
    }
    int timeLimit = out.length();
    if (record.attrsLength > 0 && !own.get(added + ATTRS)) {
      out.put("\"attrs\":");
      out.put(raw, record.attrsOffset, record.attrsLength);
      out.put(",");
    }
    boolean members = object && !isEmptyObject(record);
    forms.add(from, timeFrom, timeLimit, out.length(), members, nanos, timeBefore);
    if (object) {
      putMembers(record);
    } else {
      out.put(record.cut ? "\"widerow.cut\":true,\"body\":" : "\"body\":");
      out.putString(record.text, 0, record.length);
      out.put("}");
    }
    out.put("\n");
  }

  /// Puts the members of a JSON object after ours.
  private void putMembers(OpenRecord record) {
    if (isEmptyObject(record)) {
      out.put("\"body\":");
      out.putString("{}");
      out.put("}");
    } else {
      int first = afterBrace(record);
      out.put(record.text, first, record.length - first);
    }
  }

  private static int afterBrace(OpenRecord record) {
    int at = 0;
    while (record.text[at] != '{') {
      at++;
    }
    return at + 1;
  }

  private static boolean isEmptyObject(OpenRecord record) {
    int at = afterBrace(record);
    while (at < record.length && record.text[at] <= ' ') {
      at++;
    }
    return record.text[at] == '}';
  }

  /// The time of a record: that of its container runtime, else the first that its lines have, else
  /// that of the record before.
  private long time(OpenRecord record) {
    if (record.nanos != TimeParser.NONE) {
      return record.nanos;
    }
    if (pattern instanceof TimePattern.Arrival) {
      return TimeParser.NONE;
    }
    if (!(pattern instanceof TimePattern.Auto)) {
      return known(pattern.nanos(record.text, 0, record.length, nowNanos, span));
    }
    int at = 0;
    long nanos = TimeParser.NONE;
    while (at < record.length && nanos == TimeParser.NONE && !span.isThere()) {
      int end = Swar.newline(record.text, at, record.length);
      nanos = pattern.nanos(record.text, at, end, nowNanos, span);
      at = end + 1;
    }
    return known(nanos);
  }

  private long known(long nanos) {
    if (nanos >= TimeUuid.NANOS_MIN && nanos < TimeUuid.NANOS_LIMIT) {
      span.clear(); // it is what the line says
      timeBefore = nanos;
    }
    return span.isThere() ? TimeParser.NONE : timeBefore;
  }
}
