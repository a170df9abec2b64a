package io.widerow.loadgen.wire;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.widerow.loadgen.workload.Target;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A daemon that keeps what it is sent in a list, and can be told to stall or to refuse.
public final class FakeTarget implements AutoCloseable {
  public final List<String> bodies = Collections.synchronizedList(new ArrayList<>());
  public final List<String> requests = Collections.synchronizedList(new ArrayList<>());

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger count = new AtomicInteger();
  private volatile int status = 200;
  private volatile int stallAt = -1;
  private volatile long stallMillis;
  private volatile String level = "";
  private final CountDownLatch closed = new CountDownLatch(1);

  public FakeTarget() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  public Endpoint endpoint(Target target) {
    return new Endpoint(target, "127.0.0.1", server.getAddress().getPort(), "disk", null);
  }

  public String url() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  /// From its `request`-th request on, the target does not answer before `millis` have gone by.
  public FakeTarget stallingOnce(int request, long millis) {
    stallAt = request;
    stallMillis = millis;
    return this;
  }

  public FakeTarget answering(int code) {
    status = code;
    return this;
  }

  /// Its answers say in a header that events are kept at this level.
  public FakeTarget naming(String durability) {
    level = durability;
    return this;
  }

  /// All JSON lines it was sent, in the order of arrival, with ids in that order.
  private String readBack() {
    StringBuilder out = new StringBuilder();
    int number = 0;
    String[] now = bodies.toArray(new String[0]); // others are added meanwhile
    for (String line : String.join("", now).split("\n", -1)) {
      if (!line.isEmpty()) {
        UUID id = new UUID(((long) number++ << 32) | 0x1000, 0x8000_0000_0000_0000L);
        out.append("{\"id\":\"").append(id).append("\",").append(line.substring(1)).append('\n');
      }
    }
    return out.append("{\"token\":\"t\"}\n").toString();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
      String answer = "";
      if (exchange.getRequestMethod().equals("POST")) {
        bodies.add(body);
        if (count.getAndIncrement() == stallAt) {
          boolean early = closed.await(stallMillis, TimeUnit.MILLISECONDS);
          assert !early || stallMillis > 0 : "closed while it stalled";
        }
        answer =
            "{\"accepted\":%d,\"rejected\":[],\"durability\":\"disk\"}"
                .formatted(body.lines().count());
      } else {
        answer = readBack();
      }
      byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
      if (!level.isEmpty()) {
        exchange.getResponseHeaders().set("widerow-durability", level);
      }
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    } catch (InterruptedException interrupted) {
      throw new IOException(interrupted);
    }
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.close();
  }
}
