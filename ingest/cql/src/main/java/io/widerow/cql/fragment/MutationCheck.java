package io.widerow.cql.fragment;

import io.widerow.storage.journal.MutationRecord;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Checks records that come from a file.
public final class MutationCheck {
  private MutationCheck() {}

  /// Reads every fragment to its end.
  ///
  /// @param records whose headers fit together
  /// @param place for messages
  /// @return how many they are
  /// @throws io.widerow.storage.StorageException.Corrupt when one is none
  public static int check(MemorySegment records, FragmentReader reader, Path place) {
    int count = 0;
    long at = 0;
    while (at < records.byteSize()) {
      int length = MutationRecord.length(records, at);
      int keyBytes = MutationRecord.keyBytes(records, at);
      long fragment = at + MutationRecord.HEADER_BYTES + keyBytes;
      reader.over(records, fragment, at + length, place).readAll();
      at += length;
      count++;
    }
    return count;
  }
}
