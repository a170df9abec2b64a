package io.widerow.storage.cursor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.faults.OpeningCursor;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/// Goal: what a cursor opens late, fails to open, or opens after it was closed is waited for, told,
/// and closed. Method: openings that the test completes.
class DelegatingCursorTest {
  private final CompletableFuture<EventCursor> opening = new CompletableFuture<>();
  private final Inner inner = new Inner();
  private final OpeningCursor lazy = new OpeningCursor(EventId.LEAST, () -> opening);

  /// A cursor without events that says once that it is not ready.
  private static final class Inner implements EventCursor {
    final CompletableFuture<Void> ready = new CompletableFuture<>();
    int closed;

    @Override
    public Step next() {
      return ready.isDone() ? Step.END : Step.PENDING;
    }

    @Override
    public CompletableFuture<Void> ready() {
      return ready;
    }

    @Override
    public EventView event() {
      throw new IllegalStateException("no event");
    }

    @Override
    public ScanStatistics statistics() {
      return new ScanStatistics(1, 0, 0, 0, 0);
    }

    @Override
    public void close() {
      closed++;
    }
  }

  @Test
  void itIsPendingUntilItIsOpenAndThenAsWhatItOpened() {
    assertTrue(lazy.ready().isDone(), "nothing is waited for yet");
    assertEquals(Step.PENDING, lazy.next());
    CompletableFuture<Void> open = lazy.ready();
    assertFalse(open.isDone());
    assertEquals(ScanStatistics.NONE, lazy.statistics());
    opening.complete(inner);
    assertTrue(open.isDone());
    assertEquals(Step.PENDING, lazy.next());
    assertFalse(lazy.ready().isDone());
    inner.ready.complete(null);
    assertTrue(lazy.ready().isDone());
    assertEquals(Step.END, lazy.next());
    assertEquals(1, lazy.statistics().blocksRead());
    lazy.close();
    assertEquals(1, inner.closed);
  }

  @Test
  void whatCannotBeOpenedIsTold() {
    assertEquals(Step.PENDING, lazy.next());
    CompletableFuture<Void> open = lazy.ready();
    var away = new StorageException.Unreachable("away", new IOException("no route"));
    opening.completeExceptionally(away);
    assertTrue(open.isDone() && !open.isCompletedExceptionally(), "next() tells it");
    assertSame(away, assertThrows(StorageException.Unreachable.class, lazy::next));
    assertSame(away, assertThrows(StorageException.Unreachable.class, lazy::nextWhenReady));
    lazy.close();
  }

  @Test
  void whatIsOpenedAfterTheEndIsClosed() {
    assertEquals(Step.PENDING, lazy.next());
    lazy.close();
    assertEquals(0, inner.closed);
    opening.complete(inner);
    assertEquals(1, inner.closed);
    assertThrows(IllegalStateException.class, lazy::next);
  }

  @Test
  void whatWasOpenedAndNotReadIsClosed() {
    assertEquals(Step.PENDING, lazy.next());
    opening.complete(inner);
    lazy.close();
    assertEquals(1, inner.closed);
  }

  @Test
  void aWaitThatFailsThrowsItsCause() {
    opening.complete(inner);
    var away = new StorageException.Unreachable("away", new IOException("no route"));
    inner.ready.completeExceptionally(away);
    EventCursor failing =
        new FilterCursor(
            new EventCursor() {
              @Override
              public Step next() {
                return Step.PENDING;
              }

              @Override
              public CompletableFuture<Void> ready() {
                return inner.ready;
              }

              @Override
              public EventView event() {
                throw new IllegalStateException("no event");
              }

              @Override
              public ScanStatistics statistics() {
                return ScanStatistics.NONE;
              }

              @Override
              public void close() {}
            },
            new io.widerow.storage.Filter.Everything());
    assertSame(away, assertThrows(StorageException.Unreachable.class, failing::nextWhenReady));
    assertThrows(CompletionException.class, () -> failing.ready().join());
  }

  /// Background work reads files of this machine: events that are not there are a mistake, never
  /// the end.
  @Test
  void aLocalReaderDoesNotTakeWaitingForTheEnd() {
    opening.complete(inner);
    assertThrows(IllegalStateException.class, () -> EventCursor.nextLocal(lazy));
    inner.ready.complete(null);
    assertFalse(EventCursor.nextLocal(lazy));
  }
}
