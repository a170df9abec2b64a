package io.widerow.ingest.serve.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.widerow.faults.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Chromium without a window, driven over the DevTools protocol. It keeps what went wrong in the
/// page, and which addresses were asked.
///
/// - Threads: one; the browser's answers come on those of the HTTP client.
final class Browser implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern LISTENS = Pattern.compile("DevTools listening on (ws://\\S+)");

  private final Process process;
  private final HttpClient client = HttpClient.newHttpClient();
  private final WebSocket socket;
  private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
  private final List<String> problems = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private CompletableFuture<String> traced = new CompletableFuture<>();
  private @Nullable URI own; // where the page is driven
  private int debugPort;
  private int number;

  /// The program, if there is one: `WIDEROW_BROWSER`, or what the path has.
  static Optional<Path> find() {
    String told = System.getenv("WIDEROW_BROWSER");
    if (told != null) {
      return Optional.of(Path.of(told));
    }
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(path.split(":"))
        .flatMap(each -> Stream.of(Path.of(each, "chromium"), Path.of(each, "chromium-browser")))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /// @param profile an empty directory
  Browser(Path program, Path profile) throws IOException {
    process =
        new ProcessBuilder(
                program.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      socket = connect();
      for (String domain : List.of("Runtime", "Log", "Page", "Network")) {
        call(domain + ".enable", JSON.createObjectNode());
      }
      call(
          "Emulation.setDeviceMetricsOverride",
          JSON.createObjectNode()
              .put("width", 1440)
              .put("height", 900)
              .put("deviceScaleFactor", 1)
              .put("mobile", false));
    } catch (IOException | InterruptedException failed) {
      process.destroyForcibly();
      throw new IOException("no browser: " + failed.getMessage(), failed);
    }
  }

  private WebSocket connect() throws IOException, InterruptedException {
    BufferedReader told = process.errorReader(StandardCharsets.UTF_8);
    URI browser = null;
    for (String line = told.readLine(); line != null; line = told.readLine()) {
      Matcher listens = LISTENS.matcher(line);
      if (listens.find()) {
        browser = URI.create(listens.group(1));
        break;
      }
    }
    if (browser == null) {
      throw new IOException("it ended before it listened");
    }
    Thread.ofVirtual().start(() -> told.lines().forEach(_ -> {})); // else its pipe fills
    debugPort = browser.getPort();
    List<URI> pages = pages();
    if (pages.isEmpty()) {
      throw new IOException("it has no page");
    }
    own = pages.getFirst();
    return client.newWebSocketBuilder().buildAsync(own, new Listener()).join();
  }

  /// Where each page is driven.
  private List<URI> pages() throws IOException, InterruptedException {
    URI list = URI.create("http://127.0.0.1:" + debugPort + "/json/list");
    HttpRequest request = HttpRequest.newBuilder(list).build();
    List<URI> pages = new ArrayList<>();
    for (JsonNode page : JSON.readTree(client.send(request, BodyHandlers.ofString()).body())) {
      if (page.path("type").asText().equals("page")) {
        pages.add(URI.create(page.path("webSocketDebuggerUrl").asText()));
      }
    }
    return pages;
  }

  /// Takes what the browser says.
  private final class Listener implements WebSocket.Listener {
    private final StringBuilder parts = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      parts.append(data);
      if (last) {
        String text = parts.toString();
        parts.setLength(0);
        try {
          take(JSON.readTree(text));
        } catch (IOException bad) {
          problems.add("the browser said " + text);
        }
      }
      from.request(1);
      return CompletableFuture.completedStage(null);
    }
  }

  private void take(JsonNode said) {
    JsonNode with = said.path("params");
    switch (said.path("method").asText()) {
      case "Runtime.exceptionThrown" -> problems.add(with.path("exceptionDetails").toString());
      case "Log.entryAdded" -> problems.add(with.path("entry").toString());
      case "Network.requestWillBeSent" -> requests.add(with.path("request").path("url").asText());
      case "Tracing.tracingComplete" -> traced.complete(with.path("stream").asText());
      case "" -> {
        CompletableFuture<JsonNode> answer = waiting.remove(said.path("id").asInt());
        if (answer != null) {
          answer.complete(said);
        }
      }
      default -> {}
    }
  }

  private JsonNode call(String method, ObjectNode with) {
    int id = ++number;
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    ObjectNode said = JSON.createObjectNode().put("id", id).put("method", method);
    said.set("params", with);
    socket.sendText(said.toString(), true).join();
    JsonNode told = answer.orTimeout(Await.SECONDS, TimeUnit.SECONDS).join();
    if (told.has("error")) {
      throw new IllegalStateException(method + ": " + told.path("error"));
    }
    return told.path("result");
  }

  /// Opens a page and waits until it has drawn its first rows and bars, or `login`.
  void open(String url) {
    call("Page.navigate", JSON.createObjectNode().put("url", url));
    await("document.documentElement.dataset.ready || document.querySelector('[data-test=login]')");
  }

  /// Opens a second page next to the driven one.
  void openBeside(String url) throws IOException, InterruptedException {
    String of = URLEncoder.encode(url, StandardCharsets.UTF_8);
    URI made = URI.create("http://127.0.0.1:%d/json/new?%s".formatted(debugPort, of));
    HttpRequest request = HttpRequest.newBuilder(made).PUT(BodyPublishers.noBody()).build();
    int status = client.send(request, BodyHandlers.discarding()).statusCode();
    if (status != 200) {
      throw new IOException("no second page: " + status);
    }
  }

  /// Opens a page in a window of its own, so that both it and the one that is driven are seen.
  ///
  /// @return what [#close(String)] closes
  String openWindow(String url) {
    ObjectNode with = JSON.createObjectNode().put("url", url).put("newWindow", true);
    return call("Target.createTarget", with.put("width", 1440).put("height", 900))
        .path("targetId")
        .asText();
  }

  /// Closes a second page.
  void close(String page) {
    call("Target.closeTarget", JSON.createObjectNode().put("targetId", page));
  }

  /// The value of an expression in each other page.
  List<JsonNode> evaluateBeside(String expression) throws IOException, InterruptedException {
    List<JsonNode> values = new ArrayList<>();
    for (URI page : pages().stream().filter(each -> !each.equals(own)).toList()) {
      var answer = new CompletableFuture<String>();
      WebSocket to = client.newWebSocketBuilder().buildAsync(page, new OneAnswer(answer)).join();
      ObjectNode said = JSON.createObjectNode().put("id", 1).put("method", "Runtime.evaluate");
      said.putObject("params").put("expression", expression).put("returnByValue", true);
      to.sendText(said.toString(), true).join();
      String told = answer.orTimeout(Await.SECONDS, TimeUnit.SECONDS).join();
      values.add(JSON.readTree(told).path("result").path("result").path("value"));
      to.abort();
    }
    return values;
  }

  /// Takes the first message.
  private record OneAnswer(CompletableFuture<String> answer, StringBuilder parts)
      implements WebSocket.Listener {
    OneAnswer(CompletableFuture<String> answer) {
      this(answer, new StringBuilder());
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      parts.append(data);
      if (last) {
        answer.complete(parts.toString());
      }
      from.request(1);
      return CompletableFuture.completedStage(null);
    }
  }

  /// What the frames of some work were made of, by the browser's own trace, in the form of its
  /// performance panel.
  void trace(Path file, Runnable work) throws IOException {
    ObjectNode config = JSON.createObjectNode().put("transferMode", "ReturnAsStream");
    config
        .putObject("traceConfig")
        .putArray("includedCategories")
        .add("devtools.timeline")
        .add("disabled-by-default-devtools.timeline")
        .add("disabled-by-default-v8.gc")
        .add("blink.user_timing")
        .add("toplevel")
        .add("v8");
    traced = new CompletableFuture<>();
    call("Tracing.start", config);
    work.run();
    call("Tracing.end", JSON.createObjectNode());
    String handle = traced.orTimeout(Await.SECONDS, TimeUnit.SECONDS).join();
    StringBuilder text = new StringBuilder();
    for (boolean end = false; !end; ) {
      JsonNode part = call("IO.read", JSON.createObjectNode().put("handle", handle));
      text.append(part.path("data").asText());
      end = part.path("eof").asBoolean();
    }
    Files.createDirectories(file.toAbsolutePath().getParent());
    Path _ = Files.writeString(file, text);
  }

  /// The processor time of all its processes until now.
  Duration used() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .map(each -> each.info().totalCpuDuration().orElse(Duration.ZERO))
        .reduce(Duration.ZERO, Duration::plus);
  }

  /// Brings the page that is driven in front of others, which hide it.
  void front() {
    call("Page.bringToFront", JSON.createObjectNode());
  }

  /// The value of an expression; promises are waited for.
  JsonNode evaluate(String expression) {
    JsonNode told =
        call(
            "Runtime.evaluate",
            JSON.createObjectNode()
                .put("expression", expression)
                .put("awaitPromise", true)
                .put("returnByValue", true));
    if (told.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + told.path("exceptionDetails"));
    }
    return told.path("result").path("value");
  }

  String text(String expression) {
    return evaluate(expression).asText();
  }

  /// Waits until an expression is true, looking at it in each frame.
  void await(String condition) {
    String loop =
        """
        new Promise((resolve) => {
          const end = performance.now() + 30000;
          const look = () => {
            let is = false;
            try { is = Boolean(%s); } catch { /* not there yet */ }
            if (is || performance.now() > end) { resolve(is); } else { setTimeout(look, 16); }
          };
          look();
        })
        """
            .formatted(condition);
    if (!evaluate(loop).asBoolean()) {
      throw new AssertionError("never: " + condition + "; " + problems);
    }
  }

  /// Presses a key.
  void press(String key) {
    ObjectNode down = JSON.createObjectNode().put("type", "keyDown").put("key", key);
    if (key.length() == 1) {
      down.put("text", key);
    }
    if (key.equals("Enter")) {
      down.put("text", "\r");
    }
    call("Input.dispatchKeyEvent", down);
    call("Input.dispatchKeyEvent", JSON.createObjectNode().put("type", "keyUp").put("key", key));
  }

  /// Types a text into what has the focus.
  void type(String text) {
    call("Input.insertText", JSON.createObjectNode().put("text", text));
  }

  /// Drags from one place of the window to another.
  void drag(int fromX, int fromY, int toX, int toY) {
    mouse("mousePressed", fromX, fromY);
    mouse("mouseMoved", (fromX + toX) / 2, (fromY + toY) / 2);
    mouse("mouseMoved", toX, toY);
    mouse("mouseReleased", toX, toY);
  }

  private void mouse(String type, int x, int y) {
    call(
        "Input.dispatchMouseEvent",
        JSON.createObjectNode()
            .put("type", type)
            .put("x", x)
            .put("y", y)
            .put("button", "left")
            .put("buttons", 1)
            .put("clickCount", 1));
  }

  /// Light or dark.
  void scheme(String scheme) {
    ObjectNode with = JSON.createObjectNode();
    with.putArray("features").addObject().put("name", "prefers-color-scheme").put("value", scheme);
    call("Emulation.setEmulatedMedia", with);
  }

  /// The zone of the machine, as pages see it.
  void zone(String zone) {
    call("Emulation.setTimezoneOverride", JSON.createObjectNode().put("timezoneId", zone));
  }

  /// The emulated medium: `screen`, or `print`.
  void media(String media) {
    call("Emulation.setEmulatedMedia", JSON.createObjectNode().put("media", media));
  }

  /// Makes the window so large, in CSS pixels.
  void size(int width, int height) {
    ObjectNode with = JSON.createObjectNode();
    with.put("width", width).put("height", height);
    with.put("deviceScaleFactor", 1).put("mobile", false);
    call("Emulation.setDeviceMetricsOverride", with);
  }

  /// Presses and releases the mouse.
  void click(int x, int y) {
    mouse("mousePressed", x, y);
    mouse("mouseReleased", x, y);
  }

  void screenshot(Path file) throws IOException {
    JsonNode shot = call("Page.captureScreenshot", JSON.createObjectNode().put("format", "png"));
    Files.createDirectories(file.toAbsolutePath().getParent());
    Path _ = Files.write(file, Base64.getDecoder().decode(shot.path("data").asText()));
  }

  /// Failures, violations of the policy and failed requests since the last call.
  List<String> problems() {
    List<String> found = List.copyOf(problems);
    problems.clear();
    return found;
  }

  /// The addresses that were asked since the last call.
  List<String> requests() {
    List<String> found = List.copyOf(requests);
    requests.clear();
    return found;
  }

  @Override
  public void close() {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }
}
