package io.widerow.cql.tablestats;

import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import java.util.ArrayList;
import java.util.List;

/// The origin of a file, for people and for a manifest that lost its last edit.
///
/// @param newestSeconds Unix time after every write in it
/// @param lsnAfter of a flush: the last group before those in it
/// @param lsnLast the last group in it
/// @param sources of a merge: ids of the files that it replaces
public record TableOrigin(long newestSeconds, long lsnAfter, long lsnLast, List<Long> sources) {
  public TableOrigin {
    sources = List.copyOf(sources);
  }

  /// Writes it.
  public void put(ByteSink out) {
    out.putZigzag(newestSeconds);
    out.putVarint(lsnAfter);
    out.putVarint(lsnLast);
    out.putVarint(sources.size());
    sources.forEach(out::putVarint);
  }

  /// Reads what [#put] wrote, to the end.
  public static TableOrigin of(ByteSource in) {
    long newest = in.readZigzag();
    long lsnAfter = in.readVarint();
    long lsnLast = in.readVarint();
    List<Long> sources = new ArrayList<>();
    for (int left = in.readCount(0, in.left(), "sources"); left > 0; left--) {
      sources.add(in.readVarint());
    }
    in.requireEnd("the facts of a file");
    return new TableOrigin(newest, lsnAfter, lsnLast, sources);
  }
}
