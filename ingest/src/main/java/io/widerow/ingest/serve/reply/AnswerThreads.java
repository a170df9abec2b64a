package io.widerow.ingest.serve.reply;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.http.HttpAnswers;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/// Virtual threads that each make one answer, and how many there may be at a time.
///
/// - Threads: any.
public final class AnswerThreads {
  private final String name;
  private final Semaphore places;
  private final int stallSeconds;
  private final AtomicLong number = new AtomicLong();

  /// @param name of the threads, which `-<n>` follows
  /// @param most answers at a time
  /// @param stallSeconds how long a reader may take nothing
  public AnswerThreads(String name, int most, int stallSeconds) {
    this.name = name;
    this.places = new Semaphore(most);
    this.stallSeconds = stallSeconds;
  }

  /// Makes an answer.
  @FunctionalInterface
  public interface Work {
    void answer(QueryReply reply) throws Exception;
  }

  /// The answer that a thread makes, without a timeout: the question's own budget counts. What the
  /// work throws ends it. Too many at a time are refused.
  public HttpResponse answer(ServiceRequestContext context, Work work) {
    if (!places.tryAcquire()) {
      return busy();
    }
    context.clearRequestTimeout();
    QueryReply reply = new QueryReply(context, stallSeconds);
    Thread.ofVirtual().name(name + "-" + number.incrementAndGet()).start(() -> run(work, reply));
    return reply.response();
  }

  private void run(Work work, QueryReply reply) {
    try {
      if (!reply.response().isComplete()) { // else the reader left before the thread ran
        work.answer(reply);
      }
    } catch (Throwable failure) {
      reply.fail(failure);
    } finally {
      reply.close();
      places.release();
    }
  }

  /// The answer when there are too many.
  public static HttpResponse busy() {
    return HttpAnswers.error(HttpStatus.SERVICE_UNAVAILABLE, "too many queries; try again");
  }
}
