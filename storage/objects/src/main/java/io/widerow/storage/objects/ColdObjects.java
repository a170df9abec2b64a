package io.widerow.storage.objects;

import io.widerow.storage.StorageException;
import io.widerow.storage.cold.ColdPlace;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// An object store as the place of cold segments: a read waits for its answer ten seconds, whatever
/// the store does to get one.
///
/// - Threads: any.
public final class ColdObjects implements ColdPlace {
  private static final int SECONDS_MAX = 10;

  private final ObjectStore objects;
  private final Executor threads;

  /// @param threads make the requests, each on a thread of its own
  public ColdObjects(ObjectStore objects, Executor threads) {
    this.objects = objects;
    this.threads = threads;
  }

  /// A part of an object; null bytes when there is none.
  @SuppressWarnings("ArrayRecordComponent") // it is compared with no other
  private record Answer(byte @Nullable [] bytes) {}

  @Override
  public byte @Nullable [] read(String object, long offset, int bytes) {
    try {
      return CompletableFuture.supplyAsync(
              () -> new Answer(objects.read(object, offset, bytes)), threads)
          .orTimeout(SECONDS_MAX, TimeUnit.SECONDS)
          .join()
          .bytes;
    } catch (RejectedExecutionException ended) {
      throw new StorageException.Unreachable(objects + ": the daemon is stopping", ended);
    } catch (CompletionException failed) {
      switch (failed.getCause()) {
        case ObjectsException away ->
            throw new StorageException.Unreachable(String.valueOf(away.getMessage()), away);
        case TimeoutException late ->
            throw new StorageException.Unreachable(
                "%s: no answer within %d s".formatted(objects, SECONDS_MAX), late);
        case RuntimeException why -> throw why;
        case Error why -> throw why;
        case null, default -> throw failed;
      }
    }
  }

  @Override
  public String url() {
    return objects.toString();
  }
}
