package io.widerow.ingest.serve.query;

import io.widerow.ingest.serve.reply.QueryReply;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.answer.Extras;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreView;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Tells the reader of an answer how far it is, at most four times a second.
///
/// - Threads: the query's.
final class ProgressLines {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final RangeReader reader;
  private final QueryReply reply;
  private final long all;
  private final OutputBuffer line = new OutputBuffer(1 << 7);
  private long toldNanos = System.nanoTime();

  private ProgressLines(RangeReader reader, QueryReply reply, long all) {
    this.reader = reader;
    this.reply = reply;
    this.all = all;
  }

  /// Begins to tell. The headers of the answer must be set.
  static void start(StoreView view, RangeQuery query, RangeReader reader, QueryReply reply) {
    long all =
        query
            .ofShard(view.partitions(query.types(), query.fromNanos(), query.untilNanos()))
            .stream()
            .mapToLong(PartitionInfo::events)
            .filter(events -> events > 0)
            .sum();
    reader.onProgress(new ProgressLines(reader, reply, all)::look);
  }

  private void look() {
    long now = System.nanoTime();
    if (now - toldNanos < PAUSE_NANOS) {
      return;
    }
    toldNanos = now;
    Extras.putProgress(reader.eventsScanned(), all, line);
    try {
      boolean _ = reply.write(line.bytes(), line.length()); // a reader that left cancels the query
    } catch (ExecutionException | TimeoutException gone) {
      throw new QueryException.Stopped("the reader is gone: " + gone.getMessage());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new QueryException.Stopped("interrupted while writing the answer");
    } finally {
      line.clear();
    }
  }
}
