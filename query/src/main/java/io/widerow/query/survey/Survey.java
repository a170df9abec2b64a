package io.widerow.query.survey;

import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.ScanWatch;
import java.util.List;

/// A result within a budget of time.
///
/// - Threads: one; any thread may call [#cancel].
public interface Survey extends AutoCloseable {
  /// Reads, and writes the result as JSON lines, the first of which is about the whole.
  void write(OutputBuffer out);

  /// Returns the damaged parts of the store that the result leaves out.
  List<ScanWatch.Unread> unread();

  /// Ends [#write] with [QueryException.Stopped] soon.
  void cancel();

  /// Gives its memory back.
  @Override
  void close();
}
