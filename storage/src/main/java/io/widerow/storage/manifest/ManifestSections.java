package io.widerow.storage.manifest;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Sections at the end of an edit of the manifest: what a store knows besides its segments. A
/// section of a kind that this program does not know is kept as it is.
///
/// ```
///   a section:  tag (2) | length (4) | bytes
///   a tag:      0x8000 a program that does not know the kind must refuse the store
///               0x4000 sections of all edits count; without it the last one replaces the others
///               0x3fff the kind
/// ```
///
/// Big-endian. Sections are in ascending order of tags, those of one tag in the order of edits.
///
/// - Threads: any; immutable.
public final class ManifestSections {
  /// Kind: what people fixed of layouts, see [LayoutSection].
  public static final int LAYOUTS = 1;

  /// Kind: retention policies, see [RetentionSection].
  public static final int RETENTION = 2;

  /// Kind: rollups that are defined, see [RollupSection].
  public static final int ROLLUPS = 3;

  /// Kind: deletions by filter, see [DeletionSection].
  public static final int DELETIONS = 4;

  /// Kind: rules that the store keeps for its owner, see [SavedSection].
  public static final int RULES = 6;

  /// Kind: queries that the store keeps for its owner, see [SavedSection].
  public static final int QUERIES = 7;

  /// Kind: files of tables, see [TableSection]; in the manifest of the tables only.
  public static final int TABLES = 8;

  /// Kind: files of aggregates whose events are gone, see [AggregateSection].
  public static final int FIGURES = 9;

  /// Kind: retention policies with a filter, see [FilteredRetentionSection].
  public static final int FILTERED_RETENTION = 10;

  static final int REQUIRED = 0x8000;
  static final int ADDS = 0x4000;

  /// No sections: the edit ends without them, as before there were any.
  public static final ManifestSections NONE = new ManifestSections(List.of());

  private static final int TAG_LIMIT = 0x10000;
  private static final Set<Integer> KNOWN =
      Set.of(
          LAYOUTS,
          RETENTION,
          ROLLUPS,
          RULES,
          QUERIES,
          DELETIONS | REQUIRED,
          TABLES | REQUIRED,
          FIGURES | REQUIRED,
          FILTERED_RETENTION | REQUIRED);

  private final List<Section> sections;

  private static final class Section {
    private final int tag;
    private final byte[] bytes;

    Section(int tag, byte[] bytes) {
      this.tag = tag;
      this.bytes = bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Section section
          && tag == section.tag
          && Arrays.equals(bytes, section.bytes);
    }

    @Override
    public int hashCode() {
      return 31 * tag + Arrays.hashCode(bytes);
    }
  }

  private ManifestSections(List<Section> sections) {
    this.sections = List.copyOf(sections);
  }

  /// @param tag 0 (inclusive) to 0x10000 (exclusive)
  public static ManifestSections of(int tag, byte[] bytes) {
    if (tag < 0 || tag >= TAG_LIMIT) {
      throw new IllegalArgumentException("tag " + tag);
    }
    return new ManifestSections(List.of(new Section(tag, bytes.clone())));
  }

  public boolean isEmpty() {
    return sections.isEmpty();
  }

  /// True when a section tells more than which files there are.
  public boolean hasSettings() {
    return sections.stream()
        .mapToInt(section -> section.tag & ~(REQUIRED | ADDS))
        .anyMatch(kind -> kind != FIGURES && kind != TABLES);
  }

  /// The section of a tag that has one at most; null when there is none.
  public byte @Nullable [] get(int tag) {
    return sections.stream()
        .filter(section -> section.tag == tag)
        .map(section -> section.bytes.clone())
        .findFirst()
        .orElse(null);
  }

  /// The sections after another edit.
  public ManifestSections and(ManifestSections later) {
    if (later.isEmpty()) {
      return this;
    }
    Set<Integer> replaced = new HashSet<>();
    later.sections.forEach(section -> {
      if ((section.tag & ADDS) == 0) {
        replaced.add(section.tag);
      }
    });
    List<Section> both = new ArrayList<>(sections);
    both.removeIf(section -> replaced.contains(section.tag));
    both.addAll(later.sections);
    both.sort(Comparator.comparingInt(section -> section.tag)); // stable
    return new ManifestSections(both);
  }

  /// A tag that forbids this program to continue; negative when there is none.
  int refusing() {
    return sections.stream()
        .mapToInt(section -> section.tag)
        .filter(tag -> (tag & REQUIRED) != 0 && !KNOWN.contains(tag))
        .findFirst()
        .orElse(-1);
  }

  void write(DataOutputStream out) throws IOException {
    for (Section section : sections) {
      out.writeShort(section.tag);
      out.writeInt(section.bytes.length);
      out.write(section.bytes);
    }
  }

  /// Reads to the end.
  ///
  /// @throws IOException when the bytes are no sections
  static ManifestSections read(DataInputStream in) throws IOException {
    List<Section> read = new ArrayList<>();
    Map<Integer, Integer> counts = new HashMap<>();
    while (in.available() > 0) {
      int tag = in.readUnsignedShort();
      int length = in.readInt();
      if (length < 0 || length > in.available()) {
        throw new IOException("section %d of %d bytes".formatted(tag, length));
      }
      if (!read.isEmpty() && read.getLast().tag > tag) {
        throw new IOException("section %d after %d".formatted(tag, read.getLast().tag));
      }
      int count = counts.merge(tag, 1, Integer::sum);
      if (count > 1 && (tag & ADDS) == 0) {
        throw new IOException("section %d twice".formatted(tag));
      }
      byte[] bytes = new byte[length];
      in.readFully(bytes);
      read.add(new Section(tag, bytes));
    }
    return read.isEmpty() ? NONE : new ManifestSections(read);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ManifestSections that && sections.equals(that.sections);
  }

  @Override
  public int hashCode() {
    return sections.hashCode();
  }

  @Override
  public String toString() {
    return sections.stream()
        .map(section -> "%d: %d bytes".formatted(section.tag, section.bytes.length))
        .toList()
        .toString();
  }
}
