package io.widerow.query.parquet;

/// Looks through the runs of a data page (run length encoding and bit packing) before the library
/// decodes them: it allocates memory for as many values as a run claims to have.
///
/// ```
///   page    [length 4 | runs of repetition] [length 4 | runs of definition] values
///   values  bit width 1 | runs of places in the dictionary         when there is a dictionary
///   a run   varint (groups of 8 values) * 2 + 1 | their bits       or  varint count * 2 | a value
/// ```
///
/// - Threads: one.
final class PageRuns {
  /// Groups of a run that is packed; writers of ours make none with more.
  private static final int GROUPS_MAX = 63;

  private static final int VARINT_BITS_MAX = 35;

  private final byte[] page;
  private int at;

  private PageRuns(byte[] page) {
    this.page = page;
  }

  /// True when no run of a page claims more than a writer of ours puts into one.
  ///
  /// @param repetition greatest level of repetition of the column
  /// @param definition greatest level of definition
  /// @param places whether values are places in a dictionary
  static boolean areOurs(byte[] page, int repetition, int definition, boolean places) {
    PageRuns runs = new PageRuns(page);
    return runs.levels(repetition) && runs.levels(definition) && (!places || runs.places());
  }

  private boolean levels(int most) {
    if (most == 0) {
      return true;
    }
    if (page.length - at < Integer.BYTES) {
      return false;
    }
    int length = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      length |= (page[at++] & 0xff) << (Byte.SIZE * i);
    }
    return length >= 0
        && length <= page.length - at
        && runs(at + length, Integer.SIZE - Integer.numberOfLeadingZeros(most));
  }

  private boolean places() {
    if (at == page.length) {
      return true; // a page without a value
    }
    int width = page[at++] & 0xff;
    return width <= Integer.SIZE && runs(page.length, width);
  }

  /// Moves to `limit`.
  private boolean runs(int limit, int width) {
    long next = at;
    while (next < limit) {
      at = (int) next;
      long header = varint(limit);
      long groups = header >>> 1;
      boolean isPacked = (header & 1) != 0;
      if (header < 0 || (isPacked && groups > GROUPS_MAX)) {
        return false;
      }
      next = at + (isPacked ? groups * width : (width + Byte.SIZE - 1) / Byte.SIZE);
    }
    at = limit;
    return true;
  }

  /// Negative when it does not end.
  private long varint(int limit) {
    long value = 0;
    for (int shift = 0; shift < VARINT_BITS_MAX && at < limit; shift += 7) {
      byte here = page[at++];
      value |= (long) (here & 0x7f) << shift;
      if (here >= 0) {
        return value;
      }
    }
    return -1;
  }
}
