package io.widerow.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/// A daemon in a process of its own, asked for its figures; and the rows of pages that show them.
public final class MeasuredDaemon implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int REST_SECONDS = 8;

  public final ServeProcess process;

  /// @param data the directory of the store
  /// @param keys of the configuration
  public MeasuredDaemon(Path data, Map<String, String> keys) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("--set", "disk-reserve-bytes=0"));
    keys.forEach((key, value) -> Collections.addAll(arguments, "--set", key + "=" + value));
    process = ServeProcess.start(data, arguments.toArray(String[]::new));
  }

  /// Prints a row: what, the figure that is asked for, the figure that was measured.
  public static void report(String what, String goal, String measured) {
    System.out.printf("| %s | %s | %s |%n", what, goal, measured);
  }

  public static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  public String get(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = process.get(path);
    assertEquals(200, answer.statusCode(), () -> path + answer.body());
    return answer.body();
  }

  public JsonNode send(String method, String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = process.send(method, path);
    assertEquals(200, answer.statusCode(), () -> path + answer.body());
    return JSON.readTree(answer.body());
  }

  /// The lines of an answer.
  public List<JsonNode> lines(String path) throws IOException, InterruptedException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : get(path).lines().toList()) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  /// Sends events; all must be taken.
  public void take(String lines) throws IOException, InterruptedException {
    HttpResponse<String> answer = process.post("/v1/events", Http.NDJSON, lines);
    assertEquals(200, answer.statusCode(), answer.body());
    assertTrue(answer.body().contains("\"rejected\":[]"), answer.body());
  }

  /// A figure of the store in the status.
  public long status(String member) throws IOException, InterruptedException {
    JsonNode found = JSON.readTree(get("/v1/status")).findValue(member);
    return found.asLong();
  }

  /// The median time of a request after a first one, in milliseconds.
  public double request(String path, int times) throws IOException, InterruptedException {
    List<Double> millis = new ArrayList<>();
    get(path);
    for (int i = 0; i < times; i++) {
      long begun = System.nanoTime();
      get(path);
      millis.add((System.nanoTime() - begun) / 1e6);
    }
    return median(millis);
  }

  /// Waits until all is sealed and nothing was written for some seconds.
  public void awaitRest() throws IOException, InterruptedException {
    long last = -1;
    int still = 0;
    while (still < REST_SECONDS) {
      second();
      long written = status("segmentBytesWritten");
      still = written == last && status("openEvents") == 0 ? still + 1 : 0;
      last = written;
    }
  }

  /// A second passes.
  public static void second() {
    Await.pauseNanos(1_000_000_000L);
  }

  @Override
  public void close() {
    process.close();
  }
}
