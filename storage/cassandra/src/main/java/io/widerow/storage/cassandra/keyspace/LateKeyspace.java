package io.widerow.storage.cassandra.keyspace;

import io.widerow.storage.StorageException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A keyspace that could not be reached when its daemon started, and is connected to as soon as it
/// can be; from then on it hands every call on. Until then every statement fails at once, as for a
/// cluster that is away. When the keyspace turns out to be that of another store, every statement
/// is refused.
///
/// - Threads: any; one of its own connects.
public final class LateKeyspace implements InvocationHandler {
  private static final long PAUSE_MILLIS = 2_000;

  private final StoreIdentity identity;
  private final String name;
  private final Supplier<Keyspace> opener;
  private final ScheduledExecutorService connecting =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("cluster-connect").daemon().factory());
  private volatile @Nullable Keyspace connected;
  private volatile KeyspaceException why;
  private boolean closed; // guarded by this

  /// @param identity of the store, as it was at an earlier start
  /// @param name of the keyspace, for people
  /// @param opener connects, or throws a [StorageException]
  /// @param first why it could not be reached at the start
  public static Keyspace of(
      StoreIdentity identity, String name, Supplier<Keyspace> opener, StorageException first) {
    return of(identity, name, opener, first, PAUSE_MILLIS);
  }

  static Keyspace of(
      StoreIdentity identity,
      String name,
      Supplier<Keyspace> opener,
      StorageException first,
      long pauseMillis) {
    LateKeyspace late = new LateKeyspace(identity, name, opener, first);
    var _ =
        late.connecting.scheduleWithFixedDelay(
            late::connect, pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
    Class<?>[] implemented = {Keyspace.class};
    return (Keyspace) Proxy.newProxyInstance(Keyspace.class.getClassLoader(), implemented, late);
  }

  private LateKeyspace(
      StoreIdentity identity, String name, Supplier<Keyspace> opener, StorageException first) {
    this.identity = identity;
    this.name = name;
    this.opener = opener;
    this.why = unreachable(first);
  }

  private static KeyspaceException unreachable(RuntimeException failed) {
    return new KeyspaceException(
        KeyspaceException.Kind.UNREACHABLE, String.valueOf(failed.getMessage()), failed);
  }

  private void connect() {
    Keyspace opened;
    try {
      opened = opener.get();
    } catch (StorageException failed) {
      why =
          failed instanceof StorageException.Incompatible
              ? refused(String.valueOf(failed.getMessage()))
              : unreachable(failed);
      return;
    } catch (RuntimeException failed) { // otherwise it would never be tried again
      why = unreachable(failed);
      return;
    }
    if (!opened.identity().id().equals(identity.id())) {
      why =
          refused(
              "the keyspace %s is the store %s, and the directory belongs to the store %s"
                  .formatted(name, opened.identity().id(), identity.id()));
      opened.close();
      return;
    }
    synchronized (this) {
      if (closed) {
        opened.close();
      } else {
        connected = opened;
      }
    }
    connecting.shutdown();
  }

  private static KeyspaceException refused(String message) {
    return new KeyspaceException(KeyspaceException.Kind.REFUSED, message);
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return call(this, method, arguments);
    }
    Keyspace now = connected;
    return switch (method.getName()) {
      case "identity" -> identity;
      case "health" -> now == null ? new KeyspaceHealth(0, 0, 1, Map.of()) : now.health();
      case "close" -> {
        close();
        yield null;
      }
      default -> now == null ? CompletableFuture.failedFuture(why) : call(now, method, arguments);
    };
  }

  private static @Nullable Object call(Object on, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getTargetException();
    }
  }

  private void close() {
    connecting.shutdownNow();
    synchronized (this) {
      closed = true;
    }
    Keyspace now = connected;
    if (now != null) {
      now.close();
    }
  }

  /// The name of the keyspace.
  @Override
  public String toString() {
    return name;
  }
}
