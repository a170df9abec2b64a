package io.widerow.ingest.serve.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.TokenDaemon;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the page is what its directory has, in short modules that make no markup of texts, and its
/// answers have the policy. Method: the files, and a daemon that serves them.
class PageFilesTest {
  private static final Path DIRECTORY = Path.of("src/main/resources/io/widerow/ui");
  private static final int LINES_MAX = 250;
  private static final int PACKED_MAX = 200 << 10;
  private static final int FIRST_SCRIPT_MAX = 40_000;
  private static final int VIEWS_MAX = 24 << 10;

  /// What would make markup or code of a text, or ask another address.
  private static final Pattern FORBIDDEN =
      Pattern.compile(
          "innerHTML|outerHTML|insertAdjacentHTML|document\\.write|\\beval\\(|new Function"
              + "|DOMParser|srcdoc|https?://");

  private static List<Path> files() throws IOException {
    try (var found = Files.list(DIRECTORY)) {
      return found.sorted().toList();
    }
  }

  @Test
  void theListIsThatOfTheDirectory() throws IOException {
    Set<String> there = new TreeSet<>();
    files().forEach(file -> there.add(file.getFileName().toString()));
    assertEquals(there, new TreeSet<>(PageFile.NAMES));
  }

  @Test
  void modulesAreShortAndMakeNoMarkup() throws IOException {
    for (Path file : files()) {
      String name = file.getFileName().toString();
      if (name.endsWith(".js")) {
        String text = Files.readString(file);
        assertTrue(text.lines().count() <= LINES_MAX, name + " has more lines than " + LINES_MAX);
        assertTrue(!FORBIDDEN.matcher(text).find(), name);
        assertTrue(text.lines().noneMatch(line -> line.endsWith(" ")), name);
        assertTrue(text.lines().allMatch(PageFilesTest::closesTexts), name + ": indentation goes");
      }
    }
  }

  private static boolean closesTexts(String line) {
    return line.chars().filter(each -> each == '`').count() % 2 == 0;
  }

  private static String served(String name) {
    return new String(Objects.requireNonNull(PageFile.all().get(name)).bytes(), UTF_8);
  }

  @Test
  void theBuildLeavesTheFilesAsTheyAre() throws IOException {
    String script = served("main.js") + served("views.js");
    for (Path file : files()) {
      String name = file.getFileName().toString();
      if (!name.endsWith(".js")) {
        PageFile there = Objects.requireNonNull(PageFile.all().get(name), name);
        assertArrayEquals(Files.readAllBytes(file), there.bytes(), name);
        continue;
      }
      for (String line : PageFile.withoutComments(Files.readString(file)).split("\n", -1)) {
        assertTrue(
            line.startsWith("import ") || script.contains(line.replaceFirst("^export ", "")), line);
      }
    }
  }

  /// Browsers keep fonts by their names, so another content needs another name.
  @Test
  void fontsAreNamedByTheirContent() {
    int fonts = 0;
    for (Map.Entry<String, PageFile> file : PageFile.all().entrySet()) {
      if (file.getValue().isImmutable()) {
        String name = file.getKey().replaceFirst("\\.woff2$", "");
        String hash = name.substring(name.lastIndexOf('-') + 1);
        assertTrue(file.getValue().etag().startsWith('"' + hash) && hash.length() == 8, name);
        assertTrue(served("page.css").contains(file.getKey()), name);
        assertTrue(served("index.html").contains(file.getKey()), name);
        String licence = served(name.substring(0, name.lastIndexOf('-')) + "-license.txt");
        assertTrue(licence.contains("SIL OPEN FONT LICENSE"), name);
        fonts++;
      }
    }
    assertEquals(2, fonts);
  }

  @Test
  void modulesAreJoined() {
    Map<String, String> modules =
        Map.of(
            "main.js",
            """
            import { a, b as c } from "./one-more.js";
            import * as one from "./one-more.js";
            a(c, one.b);
            """,
            "one-more.js",
            """
            export const b = 1;
            export async function a() {}
            """);
    assertEquals(
        """
        const one_more_js = (() => {
        const b = 1;
        async function a() {}
        return { b, a };
        })();
        const main_js = (() => {
        const { a, b: c } = one_more_js;
        const one = one_more_js;
        a(c, one.b);
        return {  };
        })();
        """,
        PageScript.of(List.of("main.js"), name -> modules.getOrDefault(name, "none")));
  }

  @Test
  void aSecondScriptHasTheOtherModules() {
    Map<String, String> modules =
        Map.of(
            "first.js", "import { a } from \"./shared.js\";\n",
            "shared.js", "export const a = 1;\n",
            "later.js",
                """
                import { a } from "./shared.js";
                export const b = a;
                """);
    assertEquals(
        List.of(
            """
            const shared_js = (() => {
            const a = 1;
            return { a };
            })();
            const first_js = (() => {
            const { a } = shared_js;
            return {  };
            })();
            export { shared_js, first_js };
            """,
            """
            import { shared_js, first_js } from "./first.js";
            const later_js = (() => {
            const { a } = shared_js;
            const b = a;
            return { b };
            })();
            export const { b } = later_js;
            """),
        PageScript.inTwo(
            List.of("first.js"), List.of("later.js"), name -> modules.getOrDefault(name, "none")));
  }

  @Test
  void whatCannotBeJoinedIsRefused() {
    for (String text :
        List.of(
            "export let a = 1;",
            "export { a };",
            "import \"./x.js\";",
            "import a from \"./x.js\";",
            "import { a } from \"./main.js\";")) {
      assertThrows(
          IllegalStateException.class, () -> PageScript.of(List.of("main.js"), _ -> text), text);
    }
  }

  @Test
  void scriptsAreServedWithoutTheirComments() {
    String script = "/** One.\n * two */\na = b\n  * c; // three\n// four\n/** @type {x} */ (d)\n";
    assertEquals("a = b\n* c;\n(d)\n", PageFile.withoutComments(script));
    assertEquals("e(\"; // f\");\n", PageFile.withoutComments("e(\"; // f\");"));
  }

  private static int packed(String name) {
    return Objects.requireNonNull(PageFile.all().get(name)).gzip().length;
  }

  @Test
  void thePageIsSmall() {
    int packed = PageFile.all().values().stream().mapToInt(file -> file.gzip().length).sum();
    assertTrue(packed <= PACKED_MAX, "packed: " + packed);
    System.out.println("SIZES " + packed + " " + packed("main.js") + " " + packed("views.js"));
    assertTrue(packed("main.js") <= FIRST_SCRIPT_MAX, "first script: " + packed("main.js"));
    assertTrue(packed("views.js") <= VIEWS_MAX, "views: " + packed("views.js"));
  }

  @Test
  void filesAreServedWithThePolicy() throws IOException, InterruptedException {
    DaemonConfig config =
        DaemonConfig.of(Map.of("data", "unused", "http", "127.0.0.1:0", "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, new MemoryStore(1));
        Http http = new Http(daemon)) {
      HttpResponse<String> page = http.get("/ui/");
      assertEquals(200, page.statusCode());
      assertEquals(Files.readString(DIRECTORY.resolve("index.html")), page.body());
      String policy = page.headers().firstValue("content-security-policy").orElse("");
      assertTrue(policy.startsWith("default-src 'none'; script-src 'self';"), policy);
      assertTrue(policy.contains("require-trusted-types-for 'script'"), policy);
      assertEquals("nosniff", page.headers().firstValue("x-content-type-options").orElse(""));
      String etag = page.headers().firstValue("etag").orElse("");
      assertEquals(304, http.get("/ui/", "if-none-match", etag).statusCode());
      assertEquals("no-cache", page.headers().firstValue("cache-control").orElse(""));
      HttpResponse<String> font = http.get("/ui/inter-3100e775.woff2");
      assertEquals("font/woff2", font.headers().firstValue("content-type").orElse(""));
      assertTrue(font.headers().firstValue("cache-control").orElse("").endsWith("immutable"));
      assertEquals(404, http.get("/ui/nosuch.js").statusCode());
      assertEquals("/ui/", http.get("/ui").headers().firstValue("location").orElse(""));
      HttpResponse<String> self = http.get("/v1/self");
      assertTrue(
          self.body().endsWith("\"scopes\":[\"ingest\",\"query\",\"admin\"],\"tokens\":false}\n"),
          self.body());
    }
  }

  @Test
  void theFilesNeedNoTokenAndTheDataDoes(@TempDir Path directory)
      throws IOException, InterruptedException {
    String secret = "0123456789abcdef0123456789abcdef";
    try (TokenDaemon daemon = new TokenDaemon(directory, secret)) {
      assertEquals(200, daemon.http.get("/ui/main.js").statusCode());
      for (String path : List.of("/v1/self", "/v1/fields", "/v1/partitions")) {
        assertEquals(401, daemon.http.get(path).statusCode(), path);
        assertEquals(
            403, daemon.http.get(path, "authorization", "Bearer " + secret).statusCode(), path);
      }
    }
  }
}
