package io.widerow.storage.cassandra.keyspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Await;
import io.widerow.storage.StorageException;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: a keyspace that is connected to late is [KeyspaceContract] then, and before that fails
/// each statement with the reason. Method: a keyspace in memory that opens when the test allows it;
/// every method of [Keyspace] is called before.
class LateKeyspaceTest extends KeyspaceContract {
  private final StorageException away =
      new StorageException.Unreachable("no node answers", new IllegalStateException());

  private final AtomicInteger closes = new AtomicInteger();
  private final MemoryKeyspace memory =
      new MemoryKeyspace() {
        @Override
        public void close() {
          closes.incrementAndGet();
        }
      };
  private final AtomicBoolean reachable = new AtomicBoolean();
  private final Keyspace late = late(memory.identity());

  private Keyspace late(StoreIdentity identity) {
    Supplier<Keyspace> opener =
        () -> {
          if (!reachable.get()) {
            throw away;
          }
          return memory;
        };
    return LateKeyspace.of(identity, "logs", opener, away, 1);
  }

  @AfterEach
  void close() {
    late.close();
  }

  @Override
  Keyspace keyspace() {
    reachable.set(true);
    Await.until(() -> !late.policies().isCompletedExceptionally(), "the keyspace is connected");
    return late;
  }

  @Override
  long projected(PartitionKey partition) {
    return memory.projected(partition).size();
  }

  @Test
  void eachStatementFailsWithTheReasonBeforeItIsConnected() throws ReflectiveOperationException {
    int statements = 0;
    Set<String> others = new TreeSet<>();
    for (Method method : Keyspace.class.getMethods()) {
      if (method.getReturnType() == CompletableFuture.class) {
        var result = (CompletableFuture<?>) method.invoke(late, nothing(method));
        var failed = assertThrows(ExecutionException.class, result::get, method.getName());
        var why = assertInstanceOf(KeyspaceException.class, failed.getCause());
        assertEquals(KeyspaceException.Kind.UNREACHABLE, why.kind, method.getName());
        statements++;
      } else {
        others.add(method.getName());
      }
    }
    assertEquals(Set.of("close", "health", "identity"), others, "what is not a statement");
    assertTrue(statements > 20, "statements: " + statements);
    assertSame(memory.identity(), late.identity());
    assertFalse(late.health().hasQuorum());
    assertEquals("logs", late.toString());
  }

  private static @Nullable Object[] nothing(Method method) {
    Class<?>[] types = method.getParameterTypes();
    @Nullable Object[] values = new @Nullable Object[types.length];
    for (int i = 0; i < types.length; i++) {
      values[i] =
          types[i] == int.class
              ? (Object) 0
              : types[i] == long.class ? (Object) 0L : types[i] == boolean.class ? false : null;
    }
    return values;
  }

  @Test
  void theKeyspaceOfAnotherStoreIsRefusedAndClosed() {
    Keyspace other = late(new StoreIdentity(new UUID(3, 4), "08".repeat(32), 1));
    reachable.set(true);
    Await.until(() -> closes.get() > 0, "the other store's keyspace is closed");
    Await.until(() -> refusal(other).contains("belongs to the store"), "statements are refused");
    other.close();
  }

  private static String refusal(Keyspace keyspace) {
    var failed = assertThrows(ExecutionException.class, () -> keyspace.policies().get());
    return String.valueOf(failed.getMessage());
  }

  @Test
  void closingClosesTheConnection() {
    keyspace().close();
    assertEquals(1, closes.get());
  }
}
