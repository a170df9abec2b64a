package io.widerow.storage.live;

import io.widerow.storage.manifest.ManifestSections;
import java.util.ArrayList;
import java.util.List;

/// A replacement of files of a store by other files, by one edit of the manifest.
///
/// @param written segments, forced, under their final names, whose directory was forced
/// @param removed segments whose place they take
/// @param figures files of aggregates, forced like the segments
/// @param figuresRemoved files of aggregates that they replace
public record SegmentReplacement(
    List<LiveSegment> written,
    List<LiveSegment> removed,
    List<LiveFigures> figures,
    List<LiveFigures> figuresRemoved) {
  /// Of segments alone.
  public static SegmentReplacement of(List<LiveSegment> written, List<LiveSegment> removed) {
    return new SegmentReplacement(written, removed, List.of(), List.of());
  }

  /// A change of only files of aggregates.
  public static SegmentReplacement ofFigures(List<LiveFigures> figures, List<LiveFigures> removed) {
    return new SegmentReplacement(List.of(), List.of(), figures, removed);
  }

  /// True when files of aggregates are added or removed.
  boolean changesFigures() {
    return !figures.isEmpty() || !figuresRemoved.isEmpty();
  }

  /// The files of aggregates after it.
  List<LiveFigures> after(List<LiveFigures> before) {
    if (!changesFigures()) {
      return before;
    }
    List<LiveFigures> after = new ArrayList<>(before);
    after.removeAll(figuresRemoved);
    after.addAll(figures);
    return List.copyOf(after);
  }

  /// The manifest's section of aggregates after it; none when they do not change.
  ManifestSections sections(List<LiveFigures> before) {
    return changesFigures() ? AggregateFiles.sections(after(before)) : ManifestSections.NONE;
  }
}
