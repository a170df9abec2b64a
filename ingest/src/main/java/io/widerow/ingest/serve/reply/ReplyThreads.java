package io.widerow.ingest.serve.reply;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// Threads that each make one response, and how many there may be at a time.
///
/// - Threads: any.
public final class ReplyThreads {
  private final String name;
  private final QuerySlots slots;
  private final int stallSeconds;
  private final boolean computes;
  private final AtomicLong number = new AtomicLong();

  private ReplyThreads(String name, int most, int stallSeconds, boolean computes) {
    this.computes = computes;
    this.name = name;
    this.slots = new QuerySlots(most);
    this.stallSeconds = stallSeconds;
  }

  /// Platform threads for responses that take computing, see [ReplyThread].
  ///
  /// @param name of the threads, which `-<n>` follows
  /// @param most answers at a time
  /// @param stallSeconds how long a reader may take nothing
  public static ReplyThreads computing(String name, int most, int stallSeconds) {
    return new ReplyThreads(name, most, stallSeconds, true);
  }

  /// Virtual threads for responses that wait for events nearly all of their time.
  ///
  /// @param name of the threads, which `-<n>` follows
  /// @param most answers at a time
  /// @param stallSeconds how long a reader may take nothing
  public static ReplyThreads waiting(String name, int most, int stallSeconds) {
    return new ReplyThreads(name, most, stallSeconds, false);
  }

  /// Makes a response.
  @FunctionalInterface
  public interface Work {
    void answer(QueryReply reply) throws Exception;
  }

  /// The response that a thread makes, without a timeout: the query's own budget counts. What the
  /// work throws ends it. Too many at a time are refused.
  public HttpResponse answer(ServiceRequestContext context, Work work) {
    return answer(context, work, QuerySlots::busy);
  }

  /// As [#answer(ServiceRequestContext, Work)].
  ///
  /// @param refused the response when there are too many at a time
  public HttpResponse answer(
      ServiceRequestContext context, Work work, Supplier<HttpResponse> refused) {
    context.clearRequestTimeout();
    return slots.take(() -> start(context, work), refused);
  }

  private HttpResponse start(ServiceRequestContext context, Work work) {
    QueryReply reply = new QueryReply(context, stallSeconds);
    DisconnectDetector.endsAnswer(context, reply.response());
    String thread = name + "-" + number.incrementAndGet();
    if (computes) {
      ReplyThread.start(thread, () -> run(work, reply));
    } else {
      Thread.ofVirtual().name(thread).start(() -> run(work, reply));
    }
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
      slots.leave();
    }
  }
}
