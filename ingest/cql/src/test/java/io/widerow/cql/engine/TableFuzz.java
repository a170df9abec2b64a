package io.widerow.cql.engine;

import io.widerow.cql.fragment.FragmentReader;
import io.widerow.cql.fragment.MutationGroup;
import io.widerow.cql.fragment.TombstonePolicy;
import io.widerow.cql.store.TableDriver;
import io.widerow.cql.tablestats.TableOrigin;
import io.widerow.faults.SimDisk;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.journal.MutationRecord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;

/// Readers of tables on made-up bytes: every result is a row or a [StorageException].
public final class TableFuzz {
  private static final UUID STORE = new UUID(1, 2);
  private static final Path TABLES = Path.of("/tables");
  private static final Path FILE = TABLES.resolve("segments/0000000000000001.tab");
  private static final int GROUPS = 200;
  private static final int CRC_FROM_END = TableFileFormat.FOOT_BYTES - TableFileFormat.FOOT_CHECKED;

  private TableFuzz() {}

  private static MutationGroup group(long seed) {
    var driver = new TableDriver(new SplittableRandom(seed));
    var group = new MutationGroup(1 << 20);
    for (int i = 0; i < GROUPS; i++) {
      driver.group(1_000).accept(group);
    }
    group.end();
    return group;
  }

  public static List<byte[]> fragments() {
    List<byte[]> fragments = new ArrayList<>();
    MemorySegment records = group(1).records();
    for (long at = 0; at < records.byteSize(); at += MutationRecord.length(records, at)) {
      long from = at + MutationRecord.HEADER_BYTES + MutationRecord.keyBytes(records, at);
      long until = at + MutationRecord.length(records, at);
      fragments.add(records.asSlice(from, until - from).toArray(ValueLayout.JAVA_BYTE));
    }
    return fragments;
  }

  public static void readFragment(byte[] input) {
    try {
      var reader = new FragmentReader();
      reader.over(MemorySegment.ofArray(input), 0, input.length, FILE).readAll();
      reader.ranges(new ArrayList<>());
      reader.columns((_, _) -> {});
    } catch (StorageException.Corrupt refused) {
      // as documented
    }
  }

  public static List<byte[]> files() {
    var disk = disk();
    var memory = new TableMemory(1 << 20, 0, 0);
    MutationGroup group = group(2);
    memory.stage(group.records());
    memory.add(group.bytes(), group.count(), 1);
    var rows = List.of(memory.fragments(KeyRange.ALL, false, 1));
    var origin = new TableOrigin(7, 0, 1, List.of());
    var written =
        new TableFiles(disk, TABLES, STORE)
            .write(1, rows, TombstonePolicy.NOTHING, ObsoleteKeys.NOTHING, origin);
    Objects.requireNonNull(written).close();
    memory.close();
    return List.of(disk.bytesOf(FILE));
  }

  private static SimDisk disk() {
    var disk = new SimDisk(1);
    disk.createDirectory(TABLES);
    disk.createDirectory(TABLES.resolve("segments"));
    return disk;
  }

  /// Gives every part its checksum, as a forger would.
  private static void forge(byte[] file) {
    var checksum = new TableFileFormat.Checksum(STORE, 1);
    int footAt = file.length - TableFileFormat.FOOT_BYTES;
    int at = TableFileFormat.HEAD_BYTES;
    int head = TableFileFormat.BLOCK_HEAD_BYTES;
    while (at + head < footAt) {
      int raw = (int) ByteSink.INT.get(file, at);
      int stored = (int) ByteSink.INT.get(file, at + 4);
      if (stored < 0 || stored > footAt - at - head) {
        break;
      }
      ByteSink.INT.set(file, at + 8, checksum.of(at, raw, stored, file, at + head));
      at += head + stored;
    }
    if (footAt >= 0) {
      int crc = checksum.of(footAt, 0, TableFileFormat.FOOT_CHECKED, file, footAt);
      ByteSink.INT.set(file, file.length - CRC_FROM_END, crc);
    }
  }

  public static void readFile(byte[] input) {
    byte[] file = input.clone();
    forge(file);
    var disk = disk();
    disk.replace(FILE, file);
    try (TableFile open = TableFile.open(disk, FILE, STORE, 1)) {
      readAll(open);
      open.widths().of(new byte[] {1, 0, 0, 0});
    } catch (StorageException.Corrupt refused) {
      // as documented
    }
    try (TableFile found = TableFile.salvage(disk.open(FILE), STORE, 1)) {
      readAll(found);
    } catch (StorageException.Corrupt refused) {
      // as documented
    }
  }

  private static void readAll(TableFile file) {
    file.verify((_, _) -> {});
    try {
      file.bytesOf(new KeyRange(new byte[] {1}, new byte[] {2}));
    } catch (StorageException.Corrupt refused) {
      // as documented, and rows may be whole
    }
    for (boolean descending : new boolean[] {false, true}) {
      try (var rows =
          new MergedRows(List.of(file.fragments(KeyRange.ALL, descending)), descending)) {
        while (rows.next()) {
          rows.merge().ready();
          while (rows.merge().nextCell(Long.MIN_VALUE) != null) {
            rows.key();
          }
        }
      }
    }
  }
}
