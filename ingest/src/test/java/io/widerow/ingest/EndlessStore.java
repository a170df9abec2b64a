package io.widerow.ingest;

import io.widerow.storage.EventCursor;
import io.widerow.storage.EventStore;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;

/// For tests of queries whose clients leave: a store whose first event that is read comes again and
/// again, for ever.
public final class EndlessStore {
  /// Falls when the event was read.
  public final CountDownLatch begun = new CountDownLatch(1);

  /// Falls when its cursor is closed.
  public final CountDownLatch ended = new CountDownLatch(1);

  private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException thrown) {
      Throwable cause = thrown.getCause();
      throw cause == null ? thrown : cause;
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /// The same store with such cursors.
  public EventStore of(EventStore store) {
    return proxy(
        EventStore.class,
        (_, method, arguments) -> {
          Object answer = call(store, method, arguments);
          return method.getName().equals("view") ? endless((StoreView) answer) : answer;
        });
  }

  private StoreView endless(StoreView view) {
    return proxy(
        StoreView.class,
        (_, method, arguments) -> {
          Object answer = call(view, method, arguments);
          return method.getName().startsWith("open")
              ? endless((EventCursor) answer, (Scan) arguments[1])
              : answer;
        });
  }

  private EventCursor endless(EventCursor cursor, Scan scan) {
    return proxy(
        EventCursor.class,
        (_, method, arguments) -> {
          if (method.getName().equals("close")) {
            ended.countDown();
          }
          if (method.getName().equals("next") && begun.getCount() == 0) {
            scan.watch().event();
            return EventCursor.Step.EVENT;
          }
          Object answer = call(cursor, method, arguments);
          if (answer == EventCursor.Step.EVENT) {
            begun.countDown();
          }
          return answer;
        });
  }
}
