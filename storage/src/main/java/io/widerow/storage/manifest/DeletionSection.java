package io.widerow.storage.manifest;

import io.widerow.storage.digest.EventDigest;
import io.widerow.storage.manifest.Deletion.Proof;
import io.widerow.storage.manifest.Deletion.State;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The manifest's section of deletions by filter. A program that does not support this section
/// would show hidden events, so the tag makes such a program refuse the store.
///
/// ```
///   next id (4) | count (2) of deletions, then each:
///     id (4) | state (1): 0 planned, 1 running, 2 done |
///     count (2) of globs, texts | from in ns (8) | until in ns (8) | text of the filter | filter |
///     arrived before (8) | ended in ns (8) |
///     removed (8) | partitions (4) | digest kept | digest kept before |
///     count (4) of files removed, ids (8) | the same of files written |
///     count (2) of lanes, then each: lane (2) | journal up to (8)
///   a text: bytes (4) | UTF-8      a digest: events (8) | high (8) | low (8)
/// ```
///
/// @param next id of the next deletion
/// @param deletions in ascending order of ids
public record DeletionSection(int next, List<Deletion> deletions) {
  /// The most deletions that a store remembers.
  public static final int COUNT_MAX = 256;

  public static final DeletionSection NONE = new DeletionSection(1, List.of());

  static final int TAG = ManifestSections.REQUIRED | ManifestSections.DELETIONS;

  public DeletionSection {
    deletions = List.copyOf(deletions);
  }

  /// The section of a manifest; without deletions when it has none.
  ///
  /// @throws IOException when the bytes are no such section
  public static DeletionSection of(ManifestSections sections) throws IOException {
    byte[] bytes = sections.get(TAG);
    return bytes == null ? NONE : of(bytes);
  }

  public ManifestSections toSections() {
    return ManifestSections.of(TAG, toBytes());
  }

  /// The deletion of an id; null when there is none.
  public @Nullable Deletion get(int id) {
    return deletions.stream().filter(each -> each.id() == id).findFirst().orElse(null);
  }

  /// With another state of a deletion that is there.
  public DeletionSection with(Deletion deletion) {
    return new DeletionSection(
        next,
        deletions.stream().map(each -> each.id() == deletion.id() ? deletion : each).toList());
  }

  byte[] toBytes() {
    return SectionBytes.of(out -> {
      out.writeInt(next);
      out.writeShort(deletions.size());
      for (Deletion each : deletions) {
        write(each, out);
      }
    });
  }

  private static void write(Deletion each, DataOutputStream out) throws IOException {
    out.writeInt(each.id());
    out.writeByte(each.state().code);
    out.writeShort(each.globs().size());
    for (String glob : each.globs()) {
      FilterBytes.write(glob, out);
    }
    out.writeLong(each.fromNanos());
    out.writeLong(each.untilNanos());
    FilterBytes.write(each.where(), out);
    FilterBytes.write(each.filter(), out);
    out.writeLong(each.arrivedBefore());
    out.writeLong(each.endedNanos());
    Proof proof = each.proof();
    out.writeLong(proof.removed());
    out.writeInt(proof.partitions());
    write(proof.kept(), out);
    write(proof.keptBefore(), out);
    write(proof.filesRemoved(), out);
    write(proof.filesWritten(), out);
    out.writeShort(proof.journals().size());
    for (var lane : new TreeMap<>(proof.journals()).entrySet()) {
      out.writeShort(lane.getKey());
      out.writeLong(lane.getValue());
    }
  }

  private static void write(EventDigest digest, DataOutputStream out) throws IOException {
    out.writeLong(digest.events());
    out.writeLong(digest.high());
    out.writeLong(digest.low());
  }

  private static void write(List<Long> ids, DataOutputStream out) throws IOException {
    out.writeInt(ids.size());
    for (long id : ids) {
      out.writeLong(id);
    }
  }

  static DeletionSection of(byte[] bytes) throws IOException {
    return SectionBytes.read("deletions", bytes, DeletionSection::readAll);
  }

  private static DeletionSection readAll(DataInputStream in) throws IOException {
    int next = in.readInt();
    List<Deletion> deletions = SectionBytes.list(in, in.readUnsignedShort(), DeletionSection::read);
    int last = 0;
    for (Deletion each : deletions) {
      if (each.id() <= last || each.id() >= next) {
        throw new IOException(
            "deletions: id %d after %d, before %d".formatted(each.id(), last, next));
      }
      last = each.id();
    }
    return new DeletionSection(next, deletions);
  }

  private static Deletion read(DataInputStream in) throws IOException {
    int id = in.readInt();
    State state = state(in.readUnsignedByte());
    List<String> globs = SectionBytes.list(in, in.readUnsignedShort(), FilterBytes::text);
    return new Deletion(
        id,
        globs,
        in.readLong(),
        in.readLong(),
        FilterBytes.text(in),
        FilterBytes.read(in),
        state,
        in.readLong(),
        in.readLong(),
        new Proof(
            in.readLong(), in.readInt(), digest(in), digest(in), ids(in), ids(in), journals(in)));
  }

  private static State state(int code) throws IOException {
    for (State state : State.values()) {
      if (state.code == code) {
        return state;
      }
    }
    throw new IOException("deletions: state " + code);
  }

  private static EventDigest digest(DataInputStream in) throws IOException {
    return new EventDigest(in.readLong(), in.readLong(), in.readLong());
  }

  private static List<Long> ids(DataInputStream in) throws IOException {
    int count = SectionBytes.count(in, in.available() / Long.BYTES);
    return SectionBytes.list(in, count, DataInputStream::readLong);
  }

  private static Map<Integer, Long> journals(DataInputStream in) throws IOException {
    Map<Integer, Long> journals = new TreeMap<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      journals.put(in.readUnsignedShort(), in.readLong());
    }
    return journals;
  }
}
