package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import de.siegmar.logbackgelf.AbstractGelfAppender;
import de.siegmar.logbackgelf.CompressionMethod;
import de.siegmar.logbackgelf.GelfEncoder;
import de.siegmar.logbackgelf.GelfTcpAppender;
import de.siegmar.logbackgelf.GelfUdpAppender;
import io.widerow.faults.Await;
import io.widerow.ingest.config.DaemonConfig;
import java.net.InetSocketAddress;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what a widely used logger sends as GELF is stored, each message once and with its fields.
/// Method: logback-gelf 6.1.1 against a daemon, over TCP and over UDP with each compression, short
/// messages and ones of many chunks.
@Timeout(300)
class GelfSendersTest {
  private static final int MESSAGES = 60;

  private final MemoryStore store = new MemoryStore(1);
  private final LoggerContext context = new LoggerContext();
  private @Nullable Daemon running;

  @BeforeEach
  void start() {
    running =
        Daemon.start(
            DaemonConfig.of(Map.of("http", "127.0.0.1:0", "gelf", "127.0.0.1:0", "lanes", "1")),
            store);
    context.setMDCAdapter(new LogbackMDCAdapter());
  }

  @AfterEach
  void end() {
    context.stop();
    assertNotNull(running);
    running.close();
  }

  private Logger logger(String transport) {
    assertNotNull(running);
    InetSocketAddress address = running.socketAddress("gelf");
    assertNotNull(address);
    GelfEncoder encoder = new GelfEncoder();
    encoder.setContext(context);
    encoder.setOriginHost("web1");
    encoder.setIncludeLevelName(true);
    encoder.addStaticField("team", "shop");
    encoder.setIncludeKeyValues(true);
    encoder.start();
    AbstractGelfAppender appender;
    if (transport.equals("tcp")) {
      appender = new GelfTcpAppender();
    } else {
      GelfUdpAppender udp = new GelfUdpAppender();
      udp.setCompressionMethod(CompressionMethod.valueOf(transport));
      appender = udp;
    }
    appender.setContext(context);
    appender.setGraylogHost("127.0.0.1");
    appender.setGraylogPort(address.getPort());
    appender.setEncoder(encoder);
    appender.start();
    Logger logger = context.getLogger("shop.Orders");
    logger.setLevel(Level.INFO);
    logger.addAppender(appender);
    return logger;
  }

  private void awaitStored(int count) {
    Await.until(() -> store.committed.size() >= count, count + " events are stored");
    assertEquals(count, store.committed.size(), () -> store.committed.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "NONE", "GZIP", "ZLIB"})
  void logbackGelf(String transport) {
    byte[] noise = new byte[40_000]; // packs badly: many chunks
    new Random(1).nextBytes(noise);
    String large = Base64.getEncoder().encodeToString(noise);
    Logger logger = logger(transport);
    for (int number = 0; number < MESSAGES; number++) {
      String text = number % 10 == 9 ? large : "order \u00fc \"" + number + "\"";
      logger.atInfo().addKeyValue("n", number).addKeyValue("sum", 0.5).log(text);
      awaitStored(number + 1); // UDP has no other way to be told that there is room
    }
    logger.error("failed", new IllegalStateException("broken"));
    awaitStored(MESSAGES + 1);
    List<Object> numbers =
        store.committed.stream()
            .limit(MESSAGES)
            .map(event -> event.attributes().getOrDefault("n", "none"))
            .toList();
    assertEquals(IntStream.range(0, MESSAGES).mapToObj(Long::valueOf).toList(), numbers);
    MemoryStore.Stored first = store.committed.getFirst();
    assertEquals("gelf", first.type());
    assertEquals(0, first.timeNanos() % 1_000_000);
    assertEquals(
        "{body=order \u00fc \"0\", full_message=order \u00fc \"0\"\n, host=web1, level_name=INFO,"
            + " logger_name=shop.Orders, n=0, severity=6, sum=0.5, team=shop, thread_name="
            + Thread.currentThread().getName()
            + "}",
        first.attributes().toString());
    assertEquals(large, store.committed.get(9).body());
    Map<String, Object> last = store.committed.getLast().attributes();
    assertEquals(3L, last.get("severity"));
    String full = String.valueOf(last.get("full_message"));
    assertTrue(full.startsWith("failed\njava.lang.IllegalStateException: broken\n"), full);
  }
}
