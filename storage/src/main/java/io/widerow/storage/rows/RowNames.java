package io.widerow.storage.rows;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordView;
import io.widerow.storage.ScanWatch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The names of the attributes of open rows. Appending does not record names. The first call reads
/// all records, and each later call reads only the records that came since.
///
/// - Threads: any; one reads at a time.
/// - Memory: borrows the rows' memory from the caller's view.
final class RowNames {
  private static final int RECORDS_A_BLOCK = 256;

  private final RecordView record = new RecordView(); // guarded by this, as is the rest
  private final AttributeValue scratch = new AttributeValue();
  private final Set<AttributeName> names = new HashSet<>();
  private @Nullable AttributeName[] last = new AttributeName[16]; // of the record before, by place
  private int place;
  private long read; // so many bytes

  /// The names in the records below a watermark; there may be some of later ones among them.
  synchronized Set<AttributeName> below(long watermark, MemorySegment memory, ScanWatch watch) {
    for (int records = 0; read < watermark; records++) {
      if (records % RECORDS_A_BLOCK == 0) {
        watch.block();
      }
      place = 0;
      record.show(memory, read).forEach(scratch, (name, _) -> note(name));
      read += EventLayout.alignedLength(EventLayout.length(memory, read));
    }
    return Set.copyOf(names);
  }

  /// Most records have the names of the one before, and they are the same objects then.
  @SuppressWarnings("ReferenceEquality") // another object is looked for in the set
  private void note(AttributeName name) {
    if (place == last.length) {
      last = Arrays.copyOf(last, 2 * place);
    }
    if (last[place] != name) {
      names.add(name);
      last[place] = name;
    }
    place++;
  }
}
