package io.widerow.storage;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Executors that help readers of a store. Either may drop tasks; a reader that needs the result
/// does the work itself.
///
/// @param ahead prefetches from disk; its threads block, so it should have several. Null for none
/// @param searching examines blocks ahead of a scan with a filter or a fold; as many threads as may
///   run besides the readers. Null for none
public record ReadingThreads(@Nullable Executor ahead, @Nullable Executor searching) {
  public static final ReadingThreads NONE = new ReadingThreads(null, null);
}
