package io.widerow.storage;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Threads that help those that read a store. Any of them may drop what it has no time for: whoever
/// wants it does it later.
///
/// @param ahead read ahead, when the disk makes readers wait; several, since they wait. Null for
///   none
/// @param searching look through blocks ahead, when a filter or a fold must; as many as may work
///   beside those that read. Null for none
public record ReadingThreads(@Nullable Executor ahead, @Nullable Executor searching) {
  static final ReadingThreads NONE = new ReadingThreads(null, null);
}
