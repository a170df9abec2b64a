package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.RequestRefused;
import java.util.concurrent.Semaphore;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Long work on a store. One runs at a time: a further request gets 409. The result is logged.
///
/// - Threads: any; one that waits for the work.
final class OneAtATime {
  private static final Logger LOG = Logger.getLogger("widerow");

  private final String noun;
  private final Semaphore place = new Semaphore(1);

  /// @param noun of the work, for people
  OneAtATime(String noun) {
    this.noun = noun;
  }

  /// Does the work.
  @FunctionalInterface
  interface Work {
    /// @return the result, a line of JSON
    String run() throws InterruptedException;
  }

  /// @param range on which it works, for the log
  /// @throws RequestRefused when the same is at work, or the daemon stops
  HttpResponse run(TypesAndTimes range, Work work) throws RequestRefused {
    if (!place.tryAcquire()) {
      throw new RequestRefused(
          HttpStatus.CONFLICT, "another %s is at work; wait for its end".formatted(noun));
    }
    try {
      String json = work.run();
      LOG.log(Level.INFO, "{0} of {1}: {2}", new Object[] {noun, range, json.strip()});
      return HttpResponses.json(HttpStatus.OK, json);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new RequestRefused(HttpStatus.SERVICE_UNAVAILABLE, "the daemon is stopping");
    } finally {
      place.release();
    }
  }
}
