package io.widerow.ingest.receive.graphite;

import io.widerow.event.Utf8;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.DecimalText;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.Swar;
import java.util.Arrays;

/// Decodes Graphite's plaintext protocol: a path, a value and a time, with white space between.
///
/// ```
///   servers.web1.cpu.load 0.25 1767323045
///   disk.used;datacenter=dc1;rack=a1 42 -1
/// ```
///
/// A time of `-1`, `N` or 0 is that of arrival. A bad line is refused; blank ones are skipped.
///
/// - Threads: one.
/// - Memory: allocates nothing for a good line.
public final class GraphiteDecoder {
  private final GraphiteEvents events = new GraphiteEvents();
  private final DecimalText number = new DecimalText();
  private final SenderTime time = new SenderTime();
  private byte[] bytes = new byte[0];
  private int start;
  private int limit;

  // The word found last.
  private int word;
  private int wordEnd;

  /// Decodes the lines of `[offset, end)`; the last one may lack its newline.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes after `end`
  public void decode(byte[] body, int offset, int end, IncomingBatch batch) {
    for (int from = offset; from < end; ) {
      int newline = Swar.newline(body, from, end);
      line(body, from, newline, batch);
      from = newline + 1;
    }
  }

  /// Decodes one line; a blank one is skipped.
  public void line(byte[] body, int offset, int end, IncomingBatch batch) {
    bytes = body;
    start = offset;
    limit = end;
    wordEnd = offset;
    if (!next()) {
      return;
    }
    try {
      int path = word;
      int pathEnd = wordEnd;
      require("value");
      if (!number.readAny(bytes, word, wordEnd) && !number.wide) {
        throw bad("value", "a number");
      }
      double value = number.value;
      byte[] wide = number.wide ? Arrays.copyOfRange(bytes, word, wordEnd) : null;
      require("time");
      time(batch.wallNanos);
      if (next()) {
        throw new BadField("end of line", word - start, "something follows the time: " + shown());
      }
      events.put(bytes, path, pathEnd - path, value, wide, time, batch);
    } catch (BadField bad) {
      batch.refuse(bad.reason());
    }
  }

  private String shown() {
    return BadField.shown(bytes, word, wordEnd);
  }

  private BadField bad(String field, String wanted) {
    return new BadField(field, word - start, "must be %s, got %s".formatted(wanted, shown()));
  }

  private void require(String field) throws BadField {
    if (!next()) {
      throw new BadField(field, word - start, "missing");
    }
  }

  /// Looks for the next word; false at the end of the line.
  private boolean next() {
    word = wordEnd;
    while (word < limit && isSpace(bytes[word])) {
      word++;
    }
    wordEnd = word;
    while (wordEnd < limit && !isSpace(bytes[wordEnd])) {
      wordEnd++;
    }
    return wordEnd > word;
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r');
  }

  private void time(long nowNanos) {
    time.clear();
    if (isNow()) {
      return;
    }
    if (!Utf8.isValid(bytes, word, wordEnd - word)) {
      time.hex(bytes, word, wordEnd);
    } else {
      time.text(bytes, false, word, wordEnd - word, EpochText.AUTO, nowNanos);
    }
  }

  private boolean isNow() {
    int length = wordEnd - word;
    return (length == 1 && bytes[word] == 'N')
        || (length == 2 && bytes[word] == '-' && bytes[word + 1] == '1');
  }
}
