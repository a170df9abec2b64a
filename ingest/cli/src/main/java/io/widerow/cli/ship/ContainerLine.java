package io.widerow.cli.ship;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.TimeParser;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/// Reads the two forms in which container runtimes write what a program prints.
///
/// ```
///   CRI (Kubernetes):   2016-10-06T00:17:09.669794202Z stdout F The content of the log
///                       2016-10-06T00:17:09.669794202Z stdout P a part of a line, to be joined
///   Docker, json-file:  {"log":"a line\n","stream":"stdout","time":"2016-10-06T00:17:09.66Z"}
///                       a part of a line has no \n at its end
/// ```
///
/// What the last line read is, is in the fields until the next one is read.
///
/// Sources: `kubernetes/design-proposals-archive`, `node/kubelet-cri-logging.md`; `moby/moby`,
/// `daemon/logger/jsonfilelog/jsonlog/jsonlog.go`.
///
/// - Threads: one.
final class ContainerLine {
  private static final byte[] LOG = ascii("log");
  static final byte[] STREAM = ascii("stream");
  private static final byte[] TIME = ascii("time");
  static final byte[] ATTRS = ascii("attrs");
  private static final byte[] STDOUT = ascii("stdout");
  private static final byte[] STDERR = ascii("stderr");
  private static final byte[] DOCKER_BEGINS = ascii("{\"log\":\"");
  private static final int CRI_TIME_BYTES_MIN = 20;
  private static final int CRI_TIME_BYTES_MAX = 40;

  private final AttributeTape tape = new AttributeTape();

  // The content of the line, without the newline of Docker.
  byte[] bytes = {};
  int offset;
  int length;

  /// The stream of a line: 0 for neither, 1 for stdout, 2 for stderr.
  int stream;

  long nanos;

  /// Whether the line continues in the next one of its stream.
  boolean partial;

  // Docker's extra attributes, a JSON object in the line; none when the length is zero.
  int attrsOffset;
  int attrsLength;

  /// Reads a JSON object: false when the text in `[from, limit)` is not one object and nothing
  /// else. Finds which of the names its members have; those of objects within it do not count.
  ///
  /// @param text with [Swar#SLACK_BYTES] readable bytes after `limit`
  /// @param found gets the index of each, also of those before the text turns out not to be JSON
  boolean readObject(byte[] text, int from, int limit, List<byte[]> names, BitSet found) {
    try {
      tape.begin(text);
      JsonScanner json = new JsonScanner(text, from, limit, true);
      json.expect('{');
      boolean more = json.peek() != '}';
      while (more) {
        json.string(tape);
        for (int i = 0; i < names.size(); i++) {
          if (is(json, names.get(i))) {
            found.set(i);
          }
        }
        json.expect(':');
        json.skip(tape, 1);
        more = json.peek() == ',';
        if (more) {
          json.at++;
        }
      }
      json.expect('}');
      return json.peek() == '\n' && json.at == limit;
    } catch (JsonScanner.Bad bad) {
      return false; // it is text then, and kept whole
    }
  }

  /// True when the line in `[from, limit)` is of CRI's form.
  boolean readCri(byte[] line, int from, int limit) {
    int time = space(line, from, Math.min(limit, from + CRI_TIME_BYTES_MAX));
    if (time - from < CRI_TIME_BYTES_MIN || time >= limit || line[time] != ' ') {
      return false;
    }
    int name = time + 1;
    int nameEnd = name + STDOUT.length;
    if (nameEnd + 1 >= limit || line[nameEnd] != ' ') {
      return false;
    }
    int which = streamOf(line, name, STDOUT.length);
    int tag = nameEnd + 1;
    int tagEnd = space(line, tag, limit);
    boolean whole = line[tag] == 'F';
    boolean oneTag = tagEnd == tag + 1 || (tagEnd > tag + 1 && line[tag + 1] == ':');
    if (which == 0 || !oneTag || (!whole && line[tag] != 'P')) {
      return false;
    }
    nanos = TimeParser.rfc3339(line, from, time);
    if (nanos == TimeParser.NONE) {
      return false;
    }
    stream = which;
    partial = !whole;
    bytes = line;
    offset = Math.min(tagEnd + 1, limit);
    length = limit - offset;
    attrsLength = 0;
    return true;
  }

  private static int space(byte[] line, int from, int limit) {
    int at = from;
    while (at < limit && line[at] != ' ') {
      at++;
    }
    return at;
  }

  private static int streamOf(byte[] text, int from, int count) {
    if (count == STDOUT.length && Arrays.equals(text, from, from + count, STDOUT, 0, count)) {
      return 1;
    }
    return count == STDERR.length && Arrays.equals(text, from, from + count, STDERR, 0, count)
        ? 2
        : 0;
  }

  /// True when the line in `[from, limit)` is of Docker's form: an object with `log`, `time`,
  /// perhaps `stream` and `attrs`, and nothing else.
  ///
  /// @param line with [Swar#SLACK_BYTES] readable bytes after `limit`
  boolean readDocker(byte[] line, int from, int limit) {
    int begins = from + DOCKER_BEGINS.length;
    if (begins > limit
        || !Arrays.equals(line, from, begins, DOCKER_BEGINS, 0, DOCKER_BEGINS.length)) {
      return false;
    }
    try {
      JsonScanner json = new JsonScanner(line, from, limit, true);
      return read(json) && json.peek() == '\n' && json.at == limit;
    } catch (JsonScanner.Bad bad) {
      return false; // it is text then, and kept whole
    }
  }

  private boolean read(JsonScanner json) throws JsonScanner.Bad {
    tape.begin(json.bytes);
    stream = 0;
    nanos = TimeParser.NONE;
    attrsLength = 0;
    boolean logSeen = false;
    boolean logInScratch = false;
    json.expect('{');
    while (true) {
      json.string(tape);
      if (is(json, LOG) && !logSeen) {
        json.expect(':');
        json.string(tape);
        logSeen = true;
        logInScratch = json.textInScratch;
        offset = json.textOffset;
        length = json.textBytes;
      } else if (is(json, STREAM)) {
        json.expect(':');
        json.string(tape);
        stream = streamOf(text(json), json.textOffset, json.textBytes);
      } else if (is(json, TIME)) {
        json.expect(':');
        json.string(tape);
        nanos = TimeParser.rfc3339(text(json), json.textOffset, json.textOffset + json.textBytes);
      } else if (!is(json, ATTRS) || !readAttrs(json)) {
        return false;
      }
      if (json.peek() == '}') {
        json.at++;
        break;
      }
      json.expect(',');
    }
    bytes = logInScratch ? tape.scratch() : json.bytes;
    partial = length == 0 || bytes[offset + length - 1] != '\n';
    length -= partial ? 0 : 1;
    length -= !partial && length > 0 && bytes[offset + length - 1] == '\r' ? 1 : 0;
    return logSeen && nanos != TimeParser.NONE;
  }

  private boolean readAttrs(JsonScanner json) throws JsonScanner.Bad {
    json.expect(':');
    boolean object = json.peek() == '{';
    attrsOffset = json.at;
    json.skip(tape, 1);
    attrsLength = json.at - attrsOffset;
    return object;
  }

  private byte[] text(JsonScanner json) {
    return json.textInScratch ? tape.scratch() : json.bytes;
  }

  private boolean is(JsonScanner json, byte[] name) {
    int end = json.textOffset + json.textBytes;
    return Arrays.equals(text(json), json.textOffset, end, name, 0, name.length);
  }
}
