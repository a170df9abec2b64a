package io.widerow.storage.live;

import io.widerow.storage.JournalLoss;
import io.widerow.storage.StorageException;
import io.widerow.storage.manifest.AggregateEntry;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The segments of a store that is being opened: compares the segments that the manifest lists with
/// the files that exist. It heals a manifest that lost its last edits, where the files prove the
/// content of these edits, and changes no file.
///
/// ```
///   manifest   A B              lost: +M -A -B
///   files            M(of A, B)
///   healed           M          listed in place of A and B
///
///   manifest   A, sealed 1-5    lost: +S, sealed 1-9
///   journal    from 10          so 6-9 were durable when this file got its name
///   files      A S(of 6-9)
///   healed     A S, sealed 1-9
/// ```
///
/// A merged segment replaces its sources when the manifest lists all of them and one of them is
/// gone or cannot be read: sources are deleted only after that edit. Of a merge that wrote several
/// segments all must be there and intact; the same holds for files of aggregates. The same merge
/// before its edit has all its sources, and stays unlisted. Sealed segments replace groups that the
/// journal lost when all segments that were sealed together are there, and begin where the manifest
/// ends: a journal is trimmed only after that edit.
///
/// A file that is not listed is a leftover of a crash, and may be deleted, exactly when everything
/// that is listed is there and the journal lost nothing: the manifest is a log, so the state after
/// any of its edits, together with the journal since, is everything that was acknowledged.
///
/// - Threads: one.
/// - Memory: owns the open segments until [#close], unless the caller takes them over.
public final class SegmentInventory implements AutoCloseable {
  private final SegmentFiles files;
  private final Manifest manifest;
  private final Map<Long, LiveSegment> listed = new TreeMap<>();
  private final Set<Long> figures = new HashSet<>(); // listed files of these
  private final Set<Long> figuresMissing = new HashSet<>();
  private final List<String> healed = new ArrayList<>();

  private SegmentInventory(SegmentFiles files, Manifest manifest) {
    this.files = files;
    this.manifest = manifest;
  }

  /// Opens what the manifest lists, and lists merged segments in place of lost sources. The
  /// manifest changes in memory only.
  ///
  /// @throws StorageException.Incompatible when a newer program wrote a segment
  public static SegmentInventory open(SegmentFiles files, Manifest manifest) {
    var inventory = new SegmentInventory(files, manifest);
    try {
      for (SegmentEntry entry : manifest.segments()) {
        inventory.listed.put(entry.id(), files.open(entry));
      }
      for (LiveFigures figures : files.figures().open(manifest.figures())) {
        inventory.figures.add(figures.entry().id());
        if (!figures.isWhole()) {
          inventory.figuresMissing.add(figures.entry().id());
        }
        figures.close();
      }
      inventory.raiseSegmentId();
      inventory.healMerges();
      return inventory;
    } catch (Throwable failure) {
      inventory.close();
      throw failure;
    }
  }

  /// The listed segments, oldest first.
  public List<LiveSegment> segments() {
    return List.copyOf(listed.values());
  }

  /// A sentence for each healed part.
  public List<String> healed() {
    return List.copyOf(healed);
  }

  /// True when each listed segment can be opened, and the manifest did not have to be healed.
  public boolean isWhole() {
    return healed.isEmpty() && !hasMissing();
  }

  private boolean hasMissing() {
    return !figuresMissing.isEmpty()
        || listed.values().stream().anyMatch(SegmentInventory::isMissing);
  }

  /// Files that are not listed.
  public List<Path> unlisted() {
    List<Path> all = new ArrayList<>(files.orphans(manifest.segments()));
    all.addAll(files.figures().orphans(manifest.figures()));
    return all;
  }

  private static boolean isMissing(LiveSegment live) {
    return live.file() == null;
  }

  /// A finished segment that is not listed.
  ///
  /// @param entry the one that the manifest would have
  private record Sealed(SegmentEntry entry, SegmentOrigin origin) {
    long id() {
      return entry.id();
    }
  }

  /// A finished file that is not listed.
  ///
  /// @param figures null for a segment
  /// @param segment null for a file of aggregates
  private record Unlisted(
      long id,
      SegmentOrigin origin,
      @Nullable SegmentEntry segment,
      @Nullable AggregateEntry figures) {}

  private Map<Long, Unlisted> all() {
    Map<Long, Unlisted> all = new TreeMap<>();
    finished()
        .forEach(
            each -> all.put(each.id(), new Unlisted(each.id(), each.origin, each.entry, null)));
    for (Path file : files.figures().orphans(manifest.figures())) {
      AggregateFiles.Unlisted found = files.figures().unlisted(file);
      if (found != null) {
        long id = found.entry().id();
        all.put(id, new Unlisted(id, found.origin(), null, found.entry()));
      }
    }
    return all;
  }

  private List<Sealed> finished() {
    List<Sealed> found = new ArrayList<>();
    for (Path file : files.orphans(manifest.segments())) {
      long id = SegmentFiles.idOf(file);
      Sealed segment = id < 0 || files.isCold(id) ? null : finished(id);
      if (segment != null) {
        found.add(segment);
      }
    }
    return found;
  }

  /// Null for a file that cannot be read. It stays as it is, and is named.
  private @Nullable Sealed finished(long id) {
    try (Segment segment = files.openUnlisted(id)) {
      SegmentOrigin origin = segment.origin();
      boolean merged = !origin.ids().contains(id);
      return segment.partitions().size() == 0
          ? null
          : new Sealed(
              SegmentEntry.of(segment.summary(), segment.partitions().getFirst().key(), merged),
              origin);
    } catch (StorageException.Corrupt | StorageException.Failed unreadable) {
      return null;
    }
  }

  /// Reads the whole file.
  private boolean isIntact(Unlisted unlisted) {
    return unlisted.figures == null
        ? isIntact(unlisted.id)
        : files.figures().isIntact(unlisted.figures);
  }

  private boolean isIntact(long segmentId) {
    try (Segment segment = files.openUnlisted(segmentId)) {
      segment.verify();
      return true;
    } catch (StorageException.Corrupt | StorageException.Failed unreadable) {
      return false;
    }
  }

  // Merges.

  private void healMerges() {
    if (!hasMissing()) {
      return;
    }
    Map<Long, Unlisted> unlisted = all();
    List<Unlisted> candidates = new ArrayList<>(unlisted.values());
    candidates.removeIf(each -> !isReplacement(each.origin));
    candidates.sort(
        Comparator.<Unlisted>comparingLong(each -> missing(each.origin))
            .thenComparingLong(Unlisted::id)
            .reversed());
    for (Unlisted merged : candidates) {
      List<Unlisted> all = together(merged, unlisted);
      if (isReplacement(merged.origin) && !all.isEmpty() && all.stream().allMatch(this::isIntact)) {
        takePlace(all);
      }
    }
  }

  /// All files of an edit, by the references among them; none when one of them is missing.
  private static List<Unlisted> together(Unlisted merged, Map<Long, Unlisted> unlisted) {
    Map<Long, Unlisted> all = new TreeMap<>();
    Deque<Long> left = new ArrayDeque<>(List.of(merged.id));
    while (!left.isEmpty()) {
      Unlisted each = unlisted.get(left.pop());
      if (each == null || !each.origin.ids().equals(merged.origin.ids())) {
        return List.of();
      }
      if (all.put(each.id, each) == null) {
        left.addAll(each.origin.together());
      }
    }
    return List.copyOf(all.values());
  }

  private boolean isReplacement(SegmentOrigin origin) {
    return missing(origin) > 0
        && origin.ids().stream().allMatch(id -> listed.containsKey(id) || figures.contains(id));
  }

  private long missing(SegmentOrigin origin) {
    return origin.ids().stream()
        .filter(id -> {
          LiveSegment segment = listed.get(id);
          return segment == null ? figuresMissing.contains(id) : isMissing(segment);
        })
        .count();
  }

  /// @param all files of one edit
  private void takePlace(List<Unlisted> all) {
    SegmentOrigin origin = all.getFirst().origin;
    List<Long> sources = origin.ids();
    List<SegmentEntry> segments =
        all.stream().flatMap(each -> Stream.ofNullable(each.segment)).toList();
    List<AggregateEntry> more =
        all.stream().flatMap(each -> Stream.ofNullable(each.figures)).toList();
    String names =
        Stream.concat(
                segments.stream().map(each -> files.named(each.id())),
                more.stream().map(files.figures()::named))
            .map(Path::toString)
            .collect(Collectors.joining(", "));
    healed.add(
        "%s: replaces %d sources, %d of them missing; the manifest lost this edit"
            .formatted(names, sources.size(), missing(origin)));
    manifest.restore(origin, segments, sources, Map.of());
    if (!more.isEmpty() || !Collections.disjoint(figures, sources)) {
      manifest.restore(manifest.figures().with(more, sources));
    }
    for (long id : sources) {
      LiveSegment source = listed.remove(id);
      if (source != null) {
        source.close();
      }
      figures.remove(id);
      figuresMissing.remove(id);
    }
    segments.forEach(each -> listed.put(each.id(), files.open(each)));
    more.forEach(each -> figures.add(each.id()));
  }

  // Sealed segments.

  /// Lists sealed segments in place of what the journal lost.
  ///
  /// @return true when the manifest has changed, so that the journals have to be checked again
  public boolean heal(List<JournalLoss> losses) {
    if (losses.isEmpty()) {
      return false;
    }
    List<Sealed> sealed = finished();
    boolean changed = false;
    for (JournalLoss loss : losses) {
      long last = manifest.sealedLsns().getOrDefault(loss.lane(), 0L);
      while (last < loss.lsnLast()) {
        long next = healNext(sealed, loss.lane(), last);
        if (next <= last) {
          break;
        }
        changed = true;
        last = next;
      }
    }
    return changed;
  }

  /// Lists the segments that were sealed together directly after an LSN of a lane.
  ///
  /// @return the last LSN that they hold; 0 when not all of them are here and intact
  private long healNext(List<Sealed> sealed, int lane, long lsnAfter) {
    Map<Integer, Sealed> parts = new TreeMap<>();
    int count = 0;
    long lsnLast = 0;
    for (Sealed each : sealed) {
      SegmentOrigin.Source source = each.origin.sealed(each.id());
      if (source != null
          && source.parts() > 0
          && source.lane() == lane
          && source.lsnAfter() == lsnAfter
          && source.lsnLast() >= lsnLast) {
        if (source.lsnLast() > lsnLast) {
          parts.clear();
        }
        count = source.parts();
        lsnLast = source.lsnLast();
        parts.put(source.part(), each);
      }
    }
    if (count == 0
        || parts.size() != count
        || !parts.values().stream().allMatch(part -> isIntact(part.id()))) {
      return 0;
    }
    for (Sealed part : parts.values()) {
      manifest.restore(part.origin, List.of(part.entry), List.of(), Map.of(lane, lsnLast));
      listed.put(part.id(), files.open(part.entry));
      healed.add(
          "%s: replaces groups %d to %d of lane %d; the manifest lost this edit"
              .formatted(files.named(part.id()), lsnAfter + 1, lsnLast, lane));
    }
    return lsnLast;
  }

  /// No new segment gets the name of a file that is kept.
  private void raiseSegmentId() {
    for (Path file : unlisted()) {
      long id =
          Math.max(SegmentFiles.idOf(file), AggregateEntry.idOf(file.getFileName().toString()));
      if (id >= 0 && id < Long.MAX_VALUE) {
        manifest.raiseSegmentId(id + 1);
      }
    }
  }

  /// Closes the segments.
  @Override
  public void close() {
    listed.values().forEach(LiveSegment::close);
  }
}
