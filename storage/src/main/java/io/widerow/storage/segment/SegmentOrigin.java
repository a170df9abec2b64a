package io.widerow.storage.segment;

import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The sources of a segment, written into its index. With them a store heals when its manifest lost
/// the edit that listed the segment: a merged segment replaces its sources, a sealed segment the
/// part of the journal that it sealed.
///
/// ```
///   long counterLimit | long clockNanos | varint sources | for each:
///   long segmentId | varint lane | varint lsnAfter | varint lsnLast | varint part | varint parts
/// ```
///
/// A merge may write several segments, one for each bucket. Then each of these segments has an
/// entry for each of them, including itself, with the lane [#TOGETHER], which no journal has. A
/// file of aggregates always has such an entry for itself, which has its retention period; each of
/// several files names the first file and the next one.
///
/// @param counterLimit greater than every arrival counter in it
/// @param clockNanos at or after every arrival time that was given to its events
/// @param sources itself when it was sealed; when it was merged the segments that it replaced,
///   sealed or merged, and the segments that were written together with it; none when a repair
///   wrote it
public record SegmentOrigin(long counterLimit, long clockNanos, List<Source> sources) {
  public static final SegmentOrigin NONE = new SegmentOrigin(0, Long.MIN_VALUE, List.of());

  /// Instead of a lane: the entry names a segment that the same merge wrote.
  static final int TOGETHER = Short.MAX_VALUE;

  private static final int SOURCES_MAX = 1 << 16;
  private static final int SOURCE_BYTES_LEAST = Long.BYTES + 5;

  public SegmentOrigin {
    sources = List.copyOf(sources);
  }

  /// A segment, and the part of the journal that it holds if it was sealed.
  ///
  /// @param lane the lane of that journal
  /// @param lsnAfter the last LSN before that part
  /// @param lsnLast the last LSN of that part
  /// @param part number of this segment among the segments that were sealed together
  /// @param parts number of segments that were sealed together; 0 when only the id is known
  public record Source(long segmentId, int lane, long lsnAfter, long lsnLast, int part, int parts) {
    private boolean isTogether() {
      return lane == TOGETHER;
    }

    /// A segment without a record of the part of the journal that it holds.
    public static Source of(long segmentId) {
      return new Source(segmentId, 0, 0, 0, 0, 0);
    }
  }

  /// The part of the journal that a sealed segment holds; null when the segment was merged or has
  /// no record of it.
  public @Nullable Source sealed(long segmentId) {
    return sources.size() == 1 && sources.getFirst().segmentId == segmentId
        ? sources.getFirst()
        : null;
  }

  /// Ids of the sources.
  public List<Long> ids() {
    return sources.stream().filter(source -> !source.isTogether()).map(Source::segmentId).toList();
  }

  /// Ids of all segments that one merge wrote, of this one too; none when it wrote only one.
  public List<Long> together() {
    return sources.stream().filter(Source::isTogether).map(Source::segmentId).toList();
  }

  /// The same, of a file of aggregates.
  ///
  /// @param id its own
  /// @param keepNanos how long it is kept, from the end of its last bucket on
  public SegmentOrigin ofFigures(long id, long keepNanos) {
    List<Source> all = new ArrayList<>(sources);
    all.removeIf(source -> source.isTogether() && source.segmentId == id);
    all.add(new Source(id, TOGETHER, 0, keepNanos, 0, 0));
    return new SegmentOrigin(counterLimit, clockNanos, all);
  }

  /// The retention of a file of aggregates; 0 for another file.
  ///
  /// @param id its own
  public long keepNanos(long id) {
    return sources.stream()
        .filter(source -> source.isTogether() && source.segmentId == id)
        .mapToLong(Source::lsnLast)
        .max()
        .orElse(0);
  }

  /// The same, of a segment that is written together with others.
  ///
  /// @param ids of all of them
  public SegmentOrigin together(List<Long> ids) {
    List<Source> all = new ArrayList<>(sources);
    ids.forEach(id -> all.add(new Source(id, TOGETHER, 0, 0, 0, 0)));
    return new SegmentOrigin(counterLimit, clockNanos, all);
  }

  /// Writes it as a part of an index.
  public void write(ByteSink out) {
    out.putLong(counterLimit);
    out.putLong(clockNanos);
    out.putVarint(sources.size());
    for (Source source : sources) {
      out.putLong(source.segmentId);
      out.putVarint(source.lane);
      out.putVarint(source.lsnAfter);
      out.putVarint(source.lsnLast);
      out.putVarint(source.part);
      out.putVarint(source.parts);
    }
  }

  static SegmentOrigin read(ByteSource in) {
    long counterLimit = in.readLong();
    long clockNanos = in.readLong();
    int count = in.readCount(0, Math.min(SOURCES_MAX, in.left() / SOURCE_BYTES_LEAST), "sources");
    List<Source> sources = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long segmentId = in.readLong();
      int lane = in.readCount(0, Short.MAX_VALUE, "lane");
      long lsnAfter = in.readVarint();
      long lsnLast = in.readVarint();
      int part = in.readCount(0, Integer.MAX_VALUE, "part");
      int parts = in.readCount(0, Integer.MAX_VALUE, "parts");
      if (lsnAfter < 0 || lsnLast < lsnAfter || part > parts) {
        throw in.corrupt(
            "source with LSN %d to %d, part %d of %d".formatted(lsnAfter, lsnLast, part, parts));
      }
      sources.add(new Source(segmentId, lane, lsnAfter, lsnLast, part, parts));
    }
    return new SegmentOrigin(counterLimit, clockNanos, sources);
  }
}
