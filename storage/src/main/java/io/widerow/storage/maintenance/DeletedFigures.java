package io.widerow.storage.maintenance;

import io.widerow.event.PartitionKey;
import io.widerow.storage.aggregatefile.AggregateFileWriter;
import io.widerow.storage.live.LiveDeletions;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentReplacement;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.manifest.Deletion;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import io.widerow.storage.segment.SegmentSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Stored aggregates that may count events of a deletion: the aggregates of its types in buckets of
/// its time. Their events are gone, so the deleted events cannot be subtracted; such aggregates are
/// deleted as a whole.
///
/// - Threads: any; immutable.
///
/// @param files files that have such aggregates
/// @param partitions number of such partitions
/// @param events events that they count
public record DeletedFigures(
    Deletion deletion, List<LiveFigures> files, int partitions, long events) {
  public DeletedFigures {
    files = List.copyOf(files);
  }

  /// @param all files of aggregates; a file that cannot be read is deleted as a whole
  public static DeletedFigures of(Deletion deletion, List<LiveFigures> all) {
    Predicate<String> types = LiveDeletions.typesOf(deletion.globs());
    List<LiveFigures> files = new ArrayList<>();
    int partitions = 0;
    long events = 0;
    for (LiveFigures each : all) {
      if (each.isWhole()) {
        List<SegmentSummary.Partition> concerned =
            each.file().partitions().stream()
                .filter(partition -> isConcerned(partition.key(), deletion, types))
                .toList();
        if (!concerned.isEmpty()) {
          files.add(each);
        }
        partitions += concerned.size();
        events += concerned.stream().mapToLong(SegmentSummary.Partition::events).sum();
      } else if (each.entry().untilNanos() > deletion.fromNanos()
          && each.entry().fromNanos() < deletion.untilNanos()) {
        files.add(each);
        partitions++;
        events += each.entry().events();
      }
    }
    return new DeletedFigures(deletion, files, partitions, events);
  }

  private static boolean isConcerned(PartitionKey key, Deletion deletion, Predicate<String> types) {
    return types.test(key.type())
        && key.untilNanos() > deletion.fromNanos()
        && key.fromNanos() < deletion.untilNanos();
  }

  /// Writes the files again without them.
  ///
  /// @return the replacement of the files; written durably, and not listed yet
  public SegmentReplacement swap(SegmentFiles store, StoreContents contents) {
    Predicate<String> types = LiveDeletions.typesOf(deletion.globs());
    List<LiveFigures> written = new ArrayList<>();
    try {
      for (LiveFigures each : files) {
        if (each.isWhole()) {
          rewrite(each, types, store, contents, written);
        }
      }
      if (!written.isEmpty()) {
        store.figures().forceDirectory();
      }
      return SegmentReplacement.ofFigures(written, files);
    } catch (Throwable failed) {
      contents.abandon(SegmentReplacement.ofFigures(written, List.of()), failed);
      throw failed;
    }
  }

  private void rewrite(
      LiveFigures source,
      Predicate<String> types,
      SegmentFiles store,
      StoreContents contents,
      List<LiveFigures> written) {
    Segment file = source.file();
    try (AggregateFileWriter writer = store.figures().writer(contents.takeSegmentId(), List.of())) {
      for (int number = 0; number < file.partitions().size(); number++) {
        PartitionKey key = file.partitions().get(number).key();
        if (!isConcerned(key, deletion, types)) {
          writer.copy(file, number, key, null);
        }
      }
      if (!writer.isEmpty()) {
        SegmentOrigin origin = contents.origin(LiveFigures.sources(List.of(source)));
        written.add(store.figures().adopt(writer, source.entry().keepNanos(), origin));
      }
    }
  }
}
