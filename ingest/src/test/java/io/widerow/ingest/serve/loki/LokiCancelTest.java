package io.widerow.ingest.serve.loki;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.ServeCommand;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventStore;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a query whose client leaves ends its work. Method: a store whose only event comes again
/// and again, for ever.
@Timeout(120)
class LokiCancelTest {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

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

  private EventStore endless(EventStore store) {
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "query?query=sum(bytes_over_time(%7Bapp%3D%22a%22%7D%5B1h%5D))",
        "query_range?query=%7Bapp%3D%22a%22%7D%20%7C%20logfmt%20%7C%20z%3D%221%22",
        "label/app/values?query=%7Bapp%3D%22a%22%7D"
      })
  void aClientThatLeavesEndsItsQuery(String question, @TempDir Path directory)
      throws IOException, InterruptedException {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of("data", directory.resolve("d").toString(), "http", "127.0.0.1:0", "lanes", "1"));
    try (EventStore store = ServeCommand.openEmbedded(config);
        Daemon daemon = Daemon.start(config, endless(store));
        Http http = new Http(daemon)) {
      long nanos = (System.currentTimeMillis() - 60_000) * 1_000_000;
      String lines =
          "{\"streams\":[{\"stream\":{\"app\":\"a\"},\"values\":[[\"%d\",\"x\"]]}]}"
              .formatted(nanos);
      assertEquals(204, http.post("/loki/api/v1/push", "application/json", lines).statusCode());
      try (Socket client = new Socket()) {
        client.connect(daemon.httpAddress());
        String request =
            "GET /loki/api/v1/%s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\n\r\n"
                .formatted(question, daemon.httpAddress().getPort());
        client.getOutputStream().write(request.getBytes(US_ASCII));
        assertTrue(begun.await(60, TimeUnit.SECONDS), "the query runs");
        assertEquals(1, ended.getCount(), "it does not end by itself");
      }
      assertTrue(ended.await(60, TimeUnit.SECONDS), "it ends after its client");
    }
  }
}
