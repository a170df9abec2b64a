package io.widerow.ingest.serve.query;

import com.linecorp.armeria.common.ResponseHeaders;
import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.query.PartitionSpans;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.ResponseOptions;
import io.widerow.storage.StoreView;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/// Writes the progress of a query into its response, at most four times a second.
///
/// - Threads: the query's.
final class ProgressLines {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final RangeReader reader;
  private final QueryReply reply;
  private final ResponseHeaders headers;
  private final long all;
  private final OutputBuffer line = new OutputBuffer(1 << 7);
  private long toldNanos = System.nanoTime();

  private ProgressLines(RangeReader reader, QueryReply reply, ResponseHeaders headers, long all) {
    this.reader = reader;
    this.reply = reply;
    this.headers = headers;
    this.all = all;
  }

  /// Begins to report.
  ///
  /// @param headers of the response, which begins with the first of these lines if not before
  static void start(
      StoreView view,
      RangeQuery query,
      RangeReader reader,
      QueryReply reply,
      ResponseHeaders headers) {
    LongAdder all = new LongAdder();
    PartitionSpans.forEach(
        view, query, of -> of.forEach(partition -> all.add(Math.max(0, partition.events()))));
    reader.onProgress(new ProgressLines(reader, reply, headers, all.sum())::look);
  }

  private void look() {
    long now = System.nanoTime();
    if (now - toldNanos < PAUSE_NANOS) {
      return;
    }
    toldNanos = now;
    reply.beginOnce(() -> headers);
    ResponseOptions.putProgress(reader.eventsScanned(), all, line);
    boolean _ = QueryErrors.write(reply, line); // a reader that left cancels the query
  }
}
