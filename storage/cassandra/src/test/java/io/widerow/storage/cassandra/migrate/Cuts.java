package io.widerow.storage.cassandra.migrate;

import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A keyspace whose statements are counted, and fail from some number on.
final class Cuts {
  private final Keyspace below;
  private final AtomicLong statements = new AtomicLong();
  private long killAt = Long.MAX_VALUE;
  private long pauseFrom = Long.MAX_VALUE;
  private final AtomicReference<@Nullable Runnable> meanwhile = new AtomicReference<>();
  private long awayFrom = Long.MAX_VALUE;
  private long awayUntil = Long.MAX_VALUE;

  /// The end of the process, as the code that runs in it sees it.
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  Cuts(Keyspace below) {
    this.below = below;
  }

  /// Ends the process at a statement: an even one is still applied, an odd one is not. So are all
  /// that follow, as far as other threads get.
  Cuts killAt(long statement) {
    killAt = statement;
    return this;
  }

  /// The cluster is away for statements `[from, until)`; odd ones are applied all the same.
  Cuts away(long from, long until) {
    awayFrom = from;
    awayUntil = until;
    return this;
  }

  /// Runs something when the process asks for the daemons' numbers, from a statement on. The
  /// process waits for it.
  Cuts pauseFrom(long statement, Runnable what) {
    pauseFrom = statement;
    meanwhile.set(what);
    return this;
  }

  long statements() {
    return statements.get();
  }

  Keyspace keyspace() {
    return (Keyspace)
        Proxy.newProxyInstance(
            Cuts.class.getClassLoader(),
            new Class<?>[] {Keyspace.class},
            (_, method, arguments) -> call(method, arguments));
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the caller of the proxy gets it
  private Object call(Method method, Object[] arguments) throws Throwable {
    if (method.getReturnType() != CompletableFuture.class) {
      return invoke(method, arguments);
    }
    long number = statements.getAndIncrement();
    if (number >= pauseFrom && method.getName().equals("daemons")) {
      Runnable what = meanwhile.getAndSet(null);
      if (what != null) {
        what.run();
      }
    }
    if (number >= killAt) {
      if (number == killAt && number % 2 == 0) {
        Object _ = invoke(method, arguments);
      }
      throw new Killed();
    }
    if (number >= awayFrom && number < awayUntil) {
      if (number % 2 == 1) {
        Object _ = invoke(method, arguments);
      }
      return CompletableFuture.failedFuture(
          new KeyspaceException(KeyspaceException.Kind.TIMEOUT, "no answer of 127.0.0.1"));
    }
    return invoke(method, arguments);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the caller of the proxy gets it
  private Object invoke(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(below, arguments);
    } catch (InvocationTargetException failed) {
      throw failed.getCause();
    }
  }
}
