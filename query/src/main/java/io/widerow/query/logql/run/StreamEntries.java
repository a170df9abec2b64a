package io.widerow.query.logql.run;

import io.widerow.event.EventView;
import io.widerow.query.logql.line.EventJson;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Line.Category;
import io.widerow.query.output.OutputBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Lines by stream, in the order in which they are added, as the JSON of Loki:
///
/// ```
///   entries   ["1","a"] ["2","b"] | ["3","c"]    one after the other, of all streams, in chunks
///   next          2        none        none      the next one of the same stream
/// ```
///
/// - Threads: one.
/// - Memory: all of them, counted by the execution.
public final class StreamEntries implements LineSink {
  private static final int NONE = -1;
  private static final int START_BYTES = 1 << 12;
  private static final int CHUNK_BYTES = 1 << 18; // a longer one is not copied to a larger array
  private static final int START_ENTRIES = 64;
  private static final int RECENT = 8; // most lines are of one of the streams found last
  private static final long STREAM_BYTES = 256;

  private final LogqlContext execution;
  private final boolean categorized;
  private final EventJson events;
  private final OutputBuffer labels; // of the line that is added
  private final List<OutputBuffer> chunks = new ArrayList<>(); // before `entries`
  private OutputBuffer entries;
  private long[] ends = new long[0]; // the number of the chunk, and the offset in it
  private int[] next = new int[0];
  private final Map<String, Stream> streams = new LinkedHashMap<>(); // by labels, each byte a char
  private final @Nullable Stream[] recent = new @Nullable Stream[RECENT]; // the oldest one is next
  private int recentNext;
  private int count;

  private static final class Stream {
    private final byte[] labels; // JSON
    private int first;
    private int last = NONE;

    Stream(byte[] labels) {
      this.labels = labels;
    }
  }

  /// @param categorized whether labels, metadata and parsed labels are separated; else all of them
  ///   are labels of the stream
  public StreamEntries(LogqlContext execution, boolean categorized) {
    this.execution = execution;
    this.categorized = categorized;
    this.events = new EventJson(execution.labels(), categorized);
    this.labels = new OutputBuffer(START_BYTES, execution::hold);
    this.entries = new OutputBuffer(START_BYTES, execution::hold);
  }

  @Override
  public void add(Line line) {
    labels.clear();
    if (categorized) {
      LokiJson.labels(line.labels(Category.STREAM), labels);
    } else {
      LokiJson.labels(line.labels(Category.STREAM, Category.METADATA, Category.PARSED), labels);
    }
    LokiJson.entry(line, categorized, entries);
    end();
  }

  @Override
  public boolean add(EventView event) {
    labels.clear();
    int start = entries.length();
    boolean added = events.write(event, labels, entries);
    if (added) {
      end();
    } else {
      entries.truncate(start);
    }
    return added;
  }

  /// Ends the entry that was written, of the stream of [#labels].
  private void end() {
    if (count == ends.length) {
      int room = Math.max(START_ENTRIES, 2 * count);
      execution.hold((Long.BYTES + Integer.BYTES) * (long) (room - count));
      ends = Arrays.copyOf(ends, room);
      next = Arrays.copyOf(next, room);
    }
    ends[count] = (long) chunks.size() << Integer.SIZE | entries.length();
    next[count] = NONE;
    if (entries.length() >= CHUNK_BYTES) {
      chunks.add(entries);
      entries = new OutputBuffer(CHUNK_BYTES + START_BYTES, execution::hold);
    }
    Stream of = stream();
    if (of.last == NONE) {
      of.first = count;
    } else {
      next[of.last] = count;
    }
    of.last = count++;
  }

  private Stream stream() {
    int length = labels.length();
    for (Stream found : recent) {
      if (found != null
          && Arrays.equals(labels.bytes(), 0, length, found.labels, 0, found.labels.length)) {
        return found;
      }
    }
    String key = new String(labels.bytes(), 0, length, StandardCharsets.ISO_8859_1);
    Stream of = streams.get(key);
    if (of == null) {
      execution.hold(STREAM_BYTES + 2L * length);
      of = new Stream(Arrays.copyOf(labels.bytes(), length));
      streams.put(key, of);
    }
    recent[recentNext++ % RECENT] = of;
    return of;
  }

  /// Makes the last line of each stream the first one.
  void reverse() {
    for (Stream stream : streams.values()) {
      int before = NONE;
      for (int at = stream.first; at != NONE; ) {
        int after = next[at];
        next[at] = before;
        before = at;
        at = after;
      }
      stream.last = stream.first;
      stream.first = before;
    }
  }

  /// Writes the list of streams.
  void write(OutputBuffer out) {
    long bytes = 2L * count + entries.length();
    for (OutputBuffer chunk : chunks) {
      bytes += chunk.length();
    }
    out.reserve(Math.toIntExact(bytes));
    chunks.add(entries);
    out.put('[');
    String comma = "";
    for (Stream stream : streams.values()) {
      out.put(comma);
      out.put("{\"stream\":");
      out.put(stream.labels);
      out.put(",\"values\":[");
      for (int at = stream.first; at != NONE; at = next[at]) {
        if (at != stream.first) {
          out.put(',');
        }
        int chunk = (int) (ends[at] >> Integer.SIZE);
        boolean isFirst = at == 0 || (int) (ends[at - 1] >> Integer.SIZE) < chunk;
        int start = isFirst ? 0 : (int) ends[at - 1];
        out.put(chunks.get(chunk).bytes(), start, (int) ends[at] - start);
      }
      out.put("]}");
      comma = ",";
    }
    out.put(']');
    chunks.removeLast();
  }

  /// True when labels, metadata and parsed labels are separated.
  public boolean isCategorized() {
    return categorized;
  }

  /// The holder of their memory.
  public LogqlContext execution() {
    return execution;
  }

  /// The number of lines.
  public long count() {
    return count;
  }
}
