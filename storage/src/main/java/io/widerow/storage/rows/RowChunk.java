package io.widerow.storage.rows;

import io.widerow.storage.EventCursor;
import java.lang.foreign.MemorySegment;
import java.lang.ref.SoftReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A part of a run of an open row that is full: its events never change. It keeps another form of
/// them, which a reader makes once, until memory is short.
///
/// - Threads: any.
public final class RowChunk {
  private final MemorySegment memory;
  private final Run run;
  private final int from;
  private final int until;
  private SoftReference<@Nullable Object> form = new SoftReference<>(null); // guarded by this

  /// @param from first entry of the run
  /// @param until after the last one
  RowChunk(MemorySegment memory, Run run, int from, int until) {
    this.memory = memory;
    this.run = run;
    this.from = from;
    this.until = until;
  }

  /// The events in order of ids. The caller holds a view that shows them.
  private EventCursor open() {
    return new RunCursor(new RunCursor.Entries(memory, Long.MAX_VALUE, run, from, until));
  }

  /// The form of the events that an earlier call made, or that this one makes.
  ///
  /// @param kind of the form, the same for all callers
  /// @param make gets the events in order of ids, which it does not keep
  public synchronized <T> T form(Class<T> kind, Function<EventCursor, T> make) {
    T known = kind.cast(form.get());
    if (known == null) {
      known = make.apply(open());
      form = new SoftReference<>(known);
    }
    return known;
  }
}
