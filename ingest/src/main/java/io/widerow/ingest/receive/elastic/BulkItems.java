package io.widerow.ingest.receive.elastic;

import java.util.Arrays;

/// The parts of a bulk's actions that its response repeats: the kind and the index of each, and the
/// id when the sender gave one. Actions that follow each other with the same kind and index share a
/// run, so that most bulks need one.
///
/// - Threads: one at a time.
/// - Memory: less than the lines of the actions.
final class BulkItems {
  static final int NO_ID = -1;

  private static final int ENTRY_INTS = 2; // of a run: its first item, the end of its name

  private int count;
  private int[] runs = new int[8 * ENTRY_INTS];
  private BulkAction[] kinds = new BulkAction[8]; // of the runs
  private int runCount;
  private byte[] names = new byte[64]; // of the indexes, one for each run
  private int namesBytes;
  private boolean withIds;
  private byte[] ids = new byte[64];
  private int idsBytes;
  private int[] idEnds = new int[16]; // of each item; an item without one has the end before

  int count() {
    return count;
  }

  /// Adds an action of the same kind and index as the last one.
  void addAlike() {
    if (withIds) {
      putId(ids, 0, 0);
    }
    count++;
  }

  /// Adds an action.
  ///
  /// @param idBytes of the sender's id; [#NO_ID] for none
  void add(BulkAction kind, byte[] name, int offset, int length, byte[] id, int idAt, int idBytes) {
    if (!isLast(kind, name, offset, length)) {
      addRun(kind, name, offset, length);
    }
    if (idBytes > 0 && !withIds) {
      withIds = true;
      idEnds = new int[Math.max(16, count + 1)];
    }
    if (withIds) {
      putId(id, idAt, Math.max(0, idBytes));
    }
    count++;
  }

  private boolean isLast(BulkAction kind, byte[] name, int offset, int length) {
    if (runCount == 0 || kind(runCount - 1) != kind) {
      return false;
    }
    int from = nameOffset(runCount - 1);
    return Arrays.equals(names, from, namesBytes, name, offset, offset + length);
  }

  private void addRun(BulkAction kind, byte[] name, int offset, int length) {
    int at = ENTRY_INTS * runCount++;
    if (at == runs.length) {
      runs = Arrays.copyOf(runs, 2 * at);
      kinds = Arrays.copyOf(kinds, at);
    }
    names = withRoom(names, namesBytes, length);
    System.arraycopy(name, offset, names, namesBytes, length);
    namesBytes += length;
    runs[at] = count;
    runs[at + 1] = namesBytes;
    kinds[at / ENTRY_INTS] = kind;
  }

  private void putId(byte[] id, int offset, int length) {
    if (count == idEnds.length) {
      idEnds = Arrays.copyOf(idEnds, 2 * count);
    }
    ids = withRoom(ids, idsBytes, length);
    System.arraycopy(id, offset, ids, idsBytes, length);
    idsBytes += length;
    idEnds[count] = idsBytes;
  }

  private static byte[] withRoom(byte[] bytes, int used, int more) {
    return used + more <= bytes.length
        ? bytes
        : Arrays.copyOf(bytes, Math.max(2 * bytes.length, used + more));
  }

  /// The first item of a run; the number of items for the run after the last.
  int first(int run) {
    return run == runCount ? count : runs[ENTRY_INTS * run];
  }

  BulkAction kind(int run) {
    return kinds[run];
  }

  byte[] names() {
    return names;
  }

  int nameOffset(int run) {
    return run == 0 ? 0 : runs[ENTRY_INTS * (run - 1) + 1];
  }

  int nameLimit(int run) {
    return runs[ENTRY_INTS * run + 1];
  }

  byte[] ids() {
    return ids;
  }

  int idOffset(int item) {
    return !withIds || item == 0 ? 0 : idEnds[item - 1];
  }

  /// Bytes of an item's id; 0 when the sender gave none.
  int idBytes(int item) {
    return withIds ? idEnds[item] - idOffset(item) : 0;
  }
}
