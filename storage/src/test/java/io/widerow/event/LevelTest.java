package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the level of an event is found where loggers write it, and nowhere else. Method: a table
/// of the attributes and lines of loggers, and lines that only mention a level.
class LevelTest {
  /// An event of attributes.
  private record Made(Map<String, Object> attributes) implements EventView {
    @Override
    public long idTime() {
      return 0;
    }

    @Override
    public long idTail() {
      return 0;
    }

    @Override
    public long version() {
      return EventLayout.VERSION_ASSIGNED;
    }

    @Override
    public String type() {
      return "t";
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      Object value = attributes.get(name.toString());
      switch (value) {
        case null -> {
          return false;
        }
        case Long whole -> out.setBits(AttributeKind.LONG, whole);
        case Double number -> out.setBits(AttributeKind.DOUBLE, Double.doubleToRawLongBits(number));
        default -> {
          byte[] utf8 = value.toString().getBytes(StandardCharsets.UTF_8);
          out.setText(AttributeKind.STRING, MemorySegment.ofArray(utf8), 0, utf8.length);
        }
      }
      return true;
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
      attributes.forEach((name, _) -> {
        AttributeName of = AttributeName.of(name);
        if (find(of, scratch)) {
          visitor.visit(of, scratch);
        }
      });
    }
  }

  private static String level(Map<String, Object> attributes) {
    Level level = Level.of(new Made(attributes), new AttributeValue());
    return level == null ? "none" : level.word();
  }

  private static Object value(String text) {
    if (text.matches("-?\\d+")) {
      return Long.valueOf(text);
    }
    if (text.matches("-?\\d+\\.\\d+")) {
      return Double.valueOf(text);
    }
    return text.replace("'", "");
  }

  @ParameterizedTest(name = "{0} is {1}")
  @CsvSource(
      delimiter = '>',
      quoteCharacter = '^',
      value = {
        "level=10 > trace",
        "level=20 > debug",
        "level=30 > info",
        "level=40 > warn",
        "level=50 > error",
        "level=60 > fatal",
        "level=50.0 > error",
        "level='50' > error",
        "level=35 > info",
        "level=3 > error",
        "level=0 > critical",
        "level=7 > debug",
        "level=400 > error",
        "level=250 > info",
        "level=87 > none",
        "level=-4 > none",
        "level=WARN > warn",
        "level=Warning > warn",
        "level=WRN > warn",
        "level=Information > info",
        "level=FTL > fatal",
        "level=CRIT > critical",
        "level=EMERG > critical",
        "level=alert > critical",
        "level=NOTICE > info",
        "level=VERBOSE > trace",
        "level=eror > error",
        "level=SEVERE > error",
        "level=panic > fatal",
        "level=ERROR+2 > error",
        "level=E > error",
        "level=audit > none",
        "log.level=error > error",
        "@level=warn > warn",
        "@l=Fatal > fatal",
        "@mt=Hello {Name} > info",
        "severity=3 > error",
        "severity=0 > critical",
        "severity=6 > info",
        "severity=17 > error",
        "severity=500 > error",
        "severity=warning > warn",
        "PRIORITY=4 > warn",
        "PRIORITY='3' > error",
        "severity_number=17 > error",
        "severity_number=21 > fatal",
        "severity_number=1 > trace",
        "severity_number=0 > none",
        "severity_text=Information > info",
        "LogLevel=Critical > critical",
        "levelname=CRITICAL > critical",
        "levelno=40 > error",
        "level_value=30000 > warn",
        "lvl=dbug > debug",
        "status=error > error",
        "status=500 > none",
        "status=success > none",
        "priority=5 > none",
        "level=audit,severity=2 > critical",
        "level=info,body=ERROR x > info",
        "level=77,body=x ERROR y > error"
      })
  void attributesTellTheLevel(String attributes, String level) {
    Map<String, Object> made = new TreeMap<>();
    for (String pair : attributes.split(",", -1)) {
      String[] parts = pair.split("=", 2);
      made.put(parts[0], value(parts[1]));
    }
    assertEquals(level, level(made));
  }

  @ParameterizedTest(name = "{1}: {0}")
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '^',
      value = {
        "2026/11/28 12:00:00 [error] 1234#0: *1 open() failed ~ error",
        "[Sat Nov 28 12:00:00.1 2026] [core:error] [pid 1] AH00126: x ~ error",
        "time=\"2026-11-28T12:00:00Z\" level=warn msg=\"disk is full\" ~ warn",
        "ts=1 lvl=eror msg=x ~ error",
        "2026-11-28 12:00:00,123 [http-nio-1] ERROR c.x.Y - failed ~ error",
        "2026-11-28T12:00:00.000Z  WARN 1 --- [main] c.x.Y : x ~ warn",
        "[2016-12-19 16:31:50,119] INFO Rolled new log segment ~ info",
        "[12:00:00 FTL] Host terminated ~ fatal",
        "[12:00:00 INF] ERROR is only a word here ~ info",
        "info: Microsoft.Hosting.Lifetime[14] ~ info",
        "fail: Microsoft.AspNetCore.Server[1] ~ error",
        "ERROR:root:message ~ error",
        "E1128 12:00:00.000000       1 file.go:1] x ~ error",
        "E, [2026-11-28T12:00:00.1 #1] ERROR -- : x ~ error",
        "2026-11-28 12:00:00 UTC [12] FATAL:  password ~ fatal",
        "2026-11-28 12:00:00 UTC [12] LOG:  checkpoint ~ info",
        "2026-11-28T12:00:00.1Z 0 [Warning] [MY-010] [Server] x ~ warn",
        "^\u001b[31mERROR\u001b[0m[0000] x^ ~ error",
        "2026-11-28T12:00:00Z error: winston ~ error",
        "12:00:00.000 [info     ] structlog ~ info",
        "<11>Nov 28 12:00:00 web1 app: x ~ error",
        "^Nov 28, 2026 12:00:00 PM c.x.Y m\nSEVERE: x^ ~ error",
        "{\"level\":50,\"msg\":\"x\"} ~ error",
        "{\"msg\":\"level: info\",\"log\":{\"level\":\"warn\"}} ~ warn",
        "{\"status\":\"error\",\"severity\":\"INFO\"} ~ info",
        "{\"msg\":\"ERROR\"} ~ none",
        "{\"a\":{\"level\":\"error\"}} ~ none"
      })
  void theTextTellsTheLevel(String body, String level) {
    assertEquals(level, level(Map.of("body", body)));
    assertEquals(level, level(Map.of("message", body, "status", 200L)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "{\"level",
        "<",
        "<9999>x",
        "hello",
        "127.0.0.1 - - [28/Nov/2026:12:00:00 +0000] \"GET /login?level=error HTTP/1.1\" 200 12",
        "\"GET /ERROR HTTP/1.1\" 404",
        "an error happened",
        "404 error page",
        "the INFORMER came",
        "MY_ERROR and ERROR_CODE and x.ERROR.y",
        "E11 x",
        "user fatalist"
      })
  void aTextThatOnlyMentionsOneHasNone(String body) {
    assertEquals("none", level(Map.of("body", body)));
  }

  @Test
  void noTextBreaksTheSearch() {
    var random = new SplittableRandom(7);
    String signs = "ERROR warn level=\"{}[]<>:,\\ 1280\u001b\n\té";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int left = random.nextInt(60); left > 0; left--) {
        text.append(signs.charAt(random.nextInt(signs.length())));
      }
      String _ = level(Map.of("body", text.toString()));
    }
  }
}
