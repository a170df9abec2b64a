package io.widerow.cql.server;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.query.QueryMemory;
import java.util.ArrayList;
import java.util.List;

/// One execution: the memory that its response holds until it is sent, and the actions that cancel
/// it.
///
/// - Threads: any.
final class ExecutionHandle {
  private final List<Runnable> ends = new ArrayList<>();
  private boolean cancelled;
  private long held;

  synchronized void hold(QueryMemory memory, long bytesMore) {
    held += bytesMore; // first, because refused bytes are counted too
    memory.hold(bytesMore);
  }

  /// Releases the held memory.
  synchronized void release(QueryMemory memory) {
    memory.hold(-held);
    held = 0;
  }

  synchronized void onCancel(Runnable end) {
    ends.add(end);
    if (cancelled) {
      end.run();
    }
  }

  /// @throws CqlException when it was cancelled before it began
  synchronized void requireGoingOn() {
    if (cancelled) {
      throw new CqlException(Code.OVERLOADED, "the client has left");
    }
  }

  /// The client has left, or the server stops.
  synchronized void cancel() {
    cancelled = true;
    ends.forEach(Runnable::run);
  }
}
