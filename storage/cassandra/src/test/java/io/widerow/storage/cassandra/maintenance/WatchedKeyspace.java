package io.widerow.storage.cassandra.maintenance;

import io.widerow.storage.cassandra.keyspace.Keyspace;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/// A keyspace around another one, whose statements a test sees before they are made.
final class WatchedKeyspace {
  /// The process was killed, as far as the test is concerned: nothing of it runs on.
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /// Makes a statement, or does something else.
  @FunctionalInterface
  interface Watch {
    /// @param statement name of the method
    /// @param inner makes the statement
    CompletableFuture<?> around(
        String statement, Object[] arguments, Callable<CompletableFuture<?>> inner)
        throws Exception;
  }

  private WatchedKeyspace() {}

  static Keyspace of(Keyspace keyspace, Watch watch) {
    return (Keyspace)
        Proxy.newProxyInstance(
            WatchedKeyspace.class.getClassLoader(),
            new Class<?>[] {Keyspace.class},
            (_, method, arguments) -> {
              Object[] given = arguments == null ? new Object[0] : arguments;
              return method.getReturnType() == CompletableFuture.class
                  ? watch.around(
                      method.getName(),
                      given,
                      () -> (CompletableFuture<?>) call(keyspace, method, given))
                  : call(keyspace, method, given);
            });
  }

  private static Object call(Keyspace keyspace, Method method, Object[] arguments)
      throws Exception {
    try {
      return Objects.requireNonNull(method.invoke(keyspace, arguments));
    } catch (InvocationTargetException failed) {
      if (failed.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw failed;
    }
  }

  /// Is killed at a statement: before or after it was made.
  static Watch killedAt(int number, boolean made) {
    int[] seen = {0};
    return (_, _, inner) -> {
      if (seen[0] > number) {
        throw new AssertionError("a killed process goes on");
      }
      if (seen[0]++ == number) {
        if (made) {
          inner.call();
        }
        throw new Killed();
      }
      return inner.call();
    };
  }
}
