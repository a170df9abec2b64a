package io.widerow.storage.maintenance;

import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventChange;
import io.widerow.storage.EventCursor;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentReplacement;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import io.widerow.storage.segment.SegmentWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Writes the segments of a merge, and replaces their sources by them: all of them by one edit of
/// the manifest, or none.
///
/// - Threads: the merging one.
public final class MergeWriter {
  /// Events that are written between two looks at the pace: about 2 ms.
  static final int PACE_EVENTS = 1 << 10;

  private final StoreContents contents;
  private final SegmentFiles files;
  private final BooleanSupplier pace;

  /// @param pace waits until writing may continue; false when it must be given up
  MergeWriter(StoreContents contents, SegmentFiles files, BooleanSupplier pace) {
    this.contents = contents;
    this.files = files;
    this.pace = pace;
  }

  /// Waits until merging may continue. False when it must be given up.
  boolean isTime() {
    return pace.getAsBoolean();
  }

  /// Writes all segments of a merge, or none.
  ///
  /// @return none when the merge was given up
  List<LiveSegment> write(
      List<LiveSegment> sources, List<MergeOutput> outputs, BlockReaders readers) {
    return write(sources, outputs, readers, event -> event);
  }

  /// The same with other events, or without some.
  List<LiveSegment> write(
      List<LiveSegment> sources,
      List<MergeOutput> outputs,
      BlockReaders readers,
      EventChange change) {
    return write(sources, outputs, readers, change, List.of());
  }

  /// The same, together with files that the same edit lists.
  ///
  /// @param with numbers of these files
  List<LiveSegment> write(
      List<LiveSegment> sources,
      List<MergeOutput> outputs,
      BlockReaders readers,
      EventChange change,
      List<Long> with) {
    SegmentOrigin origin = originOf(sources);
    List<Long> ids = outputs.stream().map(_ -> contents.takeSegmentId()).toList();
    if (ids.size() + with.size() > 1) {
      origin = origin.together(Stream.concat(ids.stream(), with.stream()).toList());
    }
    List<LiveSegment> written = new ArrayList<>();
    try {
      for (int i = 0; i < ids.size(); i++) {
        LiveSegment merged = write(outputs.get(i), ids.get(i), origin, readers, change);
        if (merged == null) {
          abandon(written, new IllegalStateException("the store is being closed"));
          return List.of();
        }
        written.add(merged);
      }
      return written;
    } catch (Throwable failed) {
      abandon(written, failed);
      throw failed;
    }
  }

  /// Null when the merge was given up.
  private @Nullable LiveSegment write(
      MergeOutput output, long id, SegmentOrigin origin, BlockReaders readers, EventChange change) {
    int count = 0;
    try (SegmentWriter writer = files.writer(files.temporary(id), id, true)) {
      for (Map.Entry<PartitionKey, MergeOutput.Target> partition : output.targets().entrySet()) {
        MergeOutput.Target target = partition.getValue();
        boolean begun = false;
        try (EventCursor events = target.open(readers)) {
          while (EventCursor.nextLocal(events)) {
            EventView event = target.takes(events.event()) ? change.of(events.event()) : null;
            if (event != null) {
              if (!begun) {
                writer.begin(partition.getKey());
                begun = true;
              }
              writer.add(event);
            }
            if (++count % PACE_EVENTS == 0 && !isTime()) {
              return null;
            }
          }
        }
      }
      writer.tell(origin);
      return files.adopt(SegmentEntry.of(writer.finish(), output.targets().firstKey(), true));
    } catch (Throwable failed) {
      files.discard(id, failed);
      throw failed;
    }
  }

  /// The origin of the segments that replace these.
  SegmentOrigin originOf(List<LiveSegment> sources) {
    List<SegmentOrigin.Source> all = new ArrayList<>();
    for (LiveSegment source : sources) {
      long id = source.entry().id();
      Segment file = source.file();
      SegmentOrigin.Source sealed = file == null ? null : file.origin().sealed(id);
      all.add(sealed == null ? SegmentOrigin.Source.of(id) : sealed);
    }
    return contents.origin(all);
  }

  /// Lists written segments in place of their sources. The files go when it does not.
  ///
  /// @param still asked under the lock of the changes; when false, nothing happens
  /// @return its result
  boolean commit(List<LiveSegment> written, List<LiveSegment> sources, BooleanSupplier still) {
    return commit(written, () -> contents.replaced(written, sources, still));
  }

  /// The same by another edit.
  ///
  /// @param edit lists them; false when nothing happened
  boolean commit(List<LiveSegment> written, BooleanSupplier edit) {
    try {
      files.forceDirectory();
      if (!edit.getAsBoolean()) {
        abandon(written, new IllegalStateException("another retention decides now"));
        return false;
      }
      return true;
    } catch (Throwable failed) {
      abandon(written, failed);
      throw failed;
    }
  }

  /// Closes segments that were not listed, and deletes them unless the manifest may list them.
  void abandon(List<LiveSegment> written, Throwable failed) {
    contents.abandon(SegmentReplacement.of(written, List.of()), failed);
  }
}
