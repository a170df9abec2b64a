package io.widerow.query.series;

import io.widerow.storage.sketch.EventRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One series and its samples: packed in chunks as they come in order, or in columns.
///
/// - Threads: one.
/// - Memory: 1 to 10 bytes a sample in chunks, 24 in columns, see [#takeGrown].
public final class SampledSeries {
  /// The NaN by which Prometheus marks the end of a series, in place of a value.
  public static final long STALE_BITS = 0x7ff0_0000_0000_0002L;

  private static final int SERIES_BYTES = 350; // of this object and its lists
  private static final int CHUNK_BYTES = 72; // of a chunk's objects
  private static final int NATIVE_BYTES = 48; // of a histogram's objects
  private static final int OPEN_BYTES = 72; // of the chunk that is written

  private final Labels own;
  private final Labels labels;
  private final List<Chunk> chunks = new ArrayList<>(1);
  private final List<Native> natives = new ArrayList<>(0);
  private @Nullable SampleColumns columns; // null for chunks, and once they were taken
  private long columnBytes;
  private final Set<String> sources = new TreeSet<>();
  private boolean ofLogs;
  private @Nullable XorChunk open;
  private long samples;
  private int openBytes;
  private long grown;

  // The last sample, until a later one comes: of those with one time the last counts.
  private boolean waits;
  private long waitingNanos;
  private long waitingArrival;
  private long waitingBits;
  private byte @Nullable [] waitingMessage; // of a histogram

  /// A native histogram: a message `Histogram` of Prometheus, with its time.
  ///
  /// @param millis its time, since the Unix epoch
  /// @param message not to be changed
  @SuppressWarnings("ArrayRecordComponent") // as the bytes of chunks are
  public record Native(long millis, byte[] message) {}

  /// A whole chunk.
  public static final class Chunk {
    private final long firstMillis;
    private final long lastMillis;
    private final byte[] bytes;

    private Chunk(long firstMillis, long lastMillis, byte[] bytes) {
      this.firstMillis = firstMillis;
      this.lastMillis = lastMillis;
      this.bytes = bytes;
    }

    /// Time of its first sample, milliseconds since the Unix epoch.
    public long firstMillis() {
      return firstMillis;
    }

    /// Time of its last sample.
    public long lastMillis() {
      return lastMillis;
    }

    /// Its bytes, for [XorSamples]; not to be changed.
    public byte[] bytes() {
      return bytes;
    }

    /// Number of its samples.
    public int samples() {
      return (bytes[0] & 0xff) << Byte.SIZE | (bytes[1] & 0xff);
    }

    /// Number of its samples at a time or after it.
    public int notBefore(long millis) {
      int count = 0;
      XorSamples samples = new XorSamples();
      samples.begin(bytes);
      while (samples.next()) {
        count += samples.millis() >= millis ? 1 : 0;
      }
      return count;
    }
  }

  /// @param own its labels
  /// @param labels the same, or under the names that a selector asks for
  /// @param inColumns whether samples come in any order and are kept in columns
  @SuppressWarnings("ReferenceEquality") // labels that are shared are counted once
  SampledSeries(Labels own, Labels labels, boolean inColumns) {
    this.columns = inColumns ? new SampleColumns() : null;
    this.own = own;
    this.labels = labels;
    this.grown = SERIES_BYTES + own.heapBytes() + (labels == own ? 0 : labels.heapBytes());
  }

  /// Its labels in the result.
  public Labels labels() {
    return labels;
  }

  /// Its labels with their own names.
  Labels own() {
    return own;
  }

  /// Notes where samples come from.
  ///
  /// @param source a type, or a field of a type
  /// @param isLog whether from a log
  void from(String source, boolean isLog) {
    boolean _ = sources.add(source);
    ofLogs |= isLog;
  }

  /// Says what a reader should know about the series.
  public void remark(SeriesRemarks remarks) {
    String name = labels.get(Labels.NAME);
    if (sources.size() > 1) {
      remarks.warn("%s are one series, %s".formatted(String.join(" and ", sources), name));
    }
    if (ofLogs && columns != null && columns.collapsed() > 0) {
      remarks.inform(
          "logs of one series in one millisecond count as one sample of %s; LogQL counts all"
              .formatted(name));
    }
  }

  /// Adds a sample that is not earlier than those before, unless they are in columns. One with the
  /// millisecond of the one before replaces it, except when it has the same time and arrived
  /// earlier.
  ///
  /// @param nanos time, nanoseconds since the Unix epoch
  /// @param arrival its position in the order of arrival
  /// @param valueBits the bits of a double
  void add(long nanos, long arrival, long valueBits) {
    if (columns != null) {
      columns.add(nanos, arrival, valueBits, null);
    } else if (begin(nanos, arrival)) {
      waitingBits = valueBits;
      waitingMessage = null;
    }
  }

  /// The same for a native histogram.
  ///
  /// @param message of Prometheus, with its time; not to be changed
  void add(long nanos, long arrival, byte[] message) {
    if (columns != null) {
      columns.add(nanos, arrival, 0, message);
    } else if (begin(nanos, arrival)) {
      waitingMessage = message;
    }
  }

  /// Adds the numbers of a run.
  ///
  /// @param whole whether they are whole numbers
  void add(EventRun run, boolean whole) {
    if (columns != null) {
      columns.add(run, whole);
      return;
    }
    for (int i = 0; i < run.size(); i++) {
      long bits = run.bits(i);
      add(
          run.timeNanos(i),
          run.arrival(i),
          whole ? Double.doubleToRawLongBits((double) bits) : bits);
    }
  }

  /// False when the sample does not count.
  private boolean begin(long nanos, long arrival) {
    if (waits) {
      if (nanos == waitingNanos && arrival < waitingArrival) {
        return false;
      }
      if (millis(nanos) != millis(waitingNanos)) {
        write();
      }
    }
    waits = true;
    waitingNanos = nanos;
    waitingArrival = arrival;
    return true;
  }

  private static long millis(long nanos) {
    return nanos / 1_000_000; // no event is before 1970
  }

  private void write() {
    byte[] message = waitingMessage;
    if (message != null) {
      natives.add(new Native(millis(waitingNanos), message));
      grown += NATIVE_BYTES + message.length;
      samples++;
      return;
    }
    XorChunk to = open;
    if (to == null) {
      to = new XorChunk();
      open = to;
      grown += OPEN_BYTES;
    }
    to.add(millis(waitingNanos), waitingBits);
    samples++;
    if (to.isFull()) {
      close(to);
    } else {
      grown += to.roomBytes() - openBytes;
      openBytes = to.roomBytes();
    }
  }

  private void close(XorChunk full) {
    byte[] bytes = full.toBytes();
    chunks.add(new Chunk(full.firstMillis(), full.lastMillis(), bytes));
    grown += CHUNK_BYTES + bytes.length - OPEN_BYTES - openBytes;
    open = null;
    openBytes = 0;
  }

  /// Number of samples that are to be put in order when the series ends.
  long waiting() {
    SampleColumns of = columns;
    return of == null ? 0 : of.added();
  }

  /// Ends the series after its last sample.
  void end() {
    if (columns != null) {
      columns.end();
      samples = columns.count();
      return;
    }
    if (waits) {
      waits = false;
      write();
    }
    XorChunk last = open;
    if (last != null) {
      close(last);
    }
  }

  /// Bytes of memory that it has grown by since the last call.
  long takeGrown() {
    long more = grown;
    grown = 0;
    if (columns != null) {
      long now = columns.bytes();
      more += now - columnBytes;
      columnBytes = now;
    }
    return more;
  }

  /// Takes its samples, which are in columns, out of it.
  public SampleColumns takeColumns() {
    SampleColumns taken = Objects.requireNonNull(columns);
    columns = null;
    return taken;
  }

  /// Number of samples, native histograms included.
  public long samples() {
    return samples;
  }

  /// Its native histograms in the order of time, which are in no chunk.
  public List<Native> natives() {
    return natives;
  }

  /// All chunks, in the order of time.
  public List<Chunk> chunks() {
    return chunks;
  }
}
