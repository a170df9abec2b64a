package io.widerow.ingest.receive.journald;

import static io.widerow.ingest.receive.journald.JournalEntries.binary;
import static io.widerow.ingest.receive.journald.JournalEntries.entry;
import static io.widerow.ingest.receive.journald.JournalEntries.numbered;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import io.widerow.event.EventId;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryDaemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.TokenDaemon;
import io.widerow.storage.Durability;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: entries of `systemd-journal-upload` are stored unchanged, once, and the response makes it
/// continue or begin again. Method: uploads as it sends them, to a daemon with a store in memory.
@Timeout(300)
class JournalTest {
  private static final String SECRET = "a-secret-of-thirty-two-characters";
  private static final int EVENT_BYTES_MAX = 8 << 10;
  private static final int BODY_BYTES_MAX = 64 << 10;

  @TempDir private static Path directory = Path.of(".");

  @AutoClose
  private final MemoryDaemon it =
      new MemoryDaemon(
          1,
          Map.of(
              "body-bytes-max",
              Integer.toString(BODY_BYTES_MAX),
              "event-bytes-max",
              Integer.toString(EVENT_BYTES_MAX),
              "credit-bytes",
              Integer.toString(4 << 20)));

  private final MemoryStore store = it.store;
  private final Http http = it.http;

  private HttpResponse<String> upload(String body, String... headers)
      throws IOException, InterruptedException {
    return http.post("/upload", "application/vnd.fdo.journal", body.getBytes(ISO_8859_1), headers);
  }

  private Upload open(String path, String... headers) throws IOException {
    return new Upload(it.port(), path, headers);
  }

  private List<String> bodies() {
    return store.committed.stream().map(MemoryStore.Stored::body).sorted().toList();
  }

  private Set<EventId> ids() {
    Set<EventId> ids = new HashSet<>();
    for (MemoryStore.Stored stored : store.committed) {
      ids.add(Objects.requireNonNull(stored.ownId()));
    }
    return ids;
  }

  private static String accepted(HttpResponse<String> answer) {
    assertEquals("OK.\n", answer.body());
    assertEquals(202, answer.statusCode());
    return answer.headers().firstValue("accept-encoding").orElse("");
  }

  @Test
  void fieldsThatSyslogHasGetItsNames() throws IOException, InterruptedException {
    String fields =
        """
        PRIORITY=4
        SYSLOG_FACILITY=3
        _HOSTNAME=web1
        SYSLOG_IDENTIFIER=sshd
        _PID=4711
        _UID=0
        __SEQNUM=99
        __SEQNUM_ID=5eed
        MESSAGE=a=b caf\u00c3\u00a9
        """;
    String one = entry(1, fields);
    assertEquals("zstd", accepted(upload(one)));
    MemoryStore.Stored stored = store.committed.getFirst();
    assertEquals("journal", stored.type());
    assertEquals(1_767_323_045_000_124_000L, stored.timeNanos());
    assertNotEquals(null, stored.ownId());
    assertEquals(
        "{_BOOT_ID=b00t, _UID=0, app=sshd, body=a=b caf\u00e9, facility=3, host=web1, pid=4711,"
            + " severity=4}",
        stored.attributes().toString());
    assertEquals(4L, stored.attributes().get("severity"));
    assertEquals("0", stored.attributes().get("_UID"));
  }

  @Test
  void whatIsNoNumberKeepsItsName() throws IOException, InterruptedException {
    String one = "PRIORITY=high\n_PID=007\nSYSLOG_FACILITY=\nMESSAGE=\n";
    accepted(upload(entry(1, one)));
    assertEquals(
        "{PRIORITY=high, SYSLOG_FACILITY=, _BOOT_ID=b00t, _PID=007, body=}",
        store.committed.getFirst().attributes().toString());
  }

  @Test
  void repeatedFieldsAreAllKept() throws IOException, InterruptedException {
    String one = "MESSAGE=a\nOBJ=x\nOBJ=y\nMESSAGE=b\nOBJ=z\nbody=own\n_HOSTNAME=h\nhost=i\n";
    accepted(upload(entry(1, one)));
    assertEquals(
        "{OBJ=x, OBJ.2=y, OBJ.3=z, _BOOT_ID=b00t, body=a, body.2=b, body.3=own, host=h,"
            + " host.2=i}",
        store.committed.getFirst().attributes().toString());
  }

  @Test
  void theBinaryFormHasAnyBytes() throws IOException, InterruptedException {
    String one =
        binary("MESSAGE", "two\nlines\n\nMESSAGE=no\n")
            + binary("EMPTY", "")
            + binary("__CURSOR", "c1")
            + binary("PRIORITY", "3")
            + binary("COREDUMP", "\u007fELF\u0000\u00ff\u00fe");
    accepted(upload(one + "__REALTIME_TIMESTAMP=1767323045000123\n\n" + numbered(2)));
    MemoryStore.Stored stored = store.committed.getFirst();
    assertEquals("two\nlines\n\nMESSAGE=no\n", stored.body());
    assertEquals("", stored.attributes().get("EMPTY"));
    assertEquals(3L, stored.attributes().get("severity"));
    assertEquals(Set.of("COREDUMP", "EMPTY", "body", "severity"), stored.attributes().keySet());
    assertEquals(2, store.committed.size());
  }

  @Test
  void bytesThatAreNotUtf8AreBytes() throws IOException, InterruptedException {
    accepted(upload(entry(1, "MESSAGE=caf\u00e9\nA=\u00c3\u00a9\nB=\u00ff\n") + numbered(2)));
    Map<String, Object> attributes = store.committed.getFirst().attributes();
    assertEquals("\u00e9", attributes.get("A"));
    assertEquals(bytes("caf\u00e9"), attributes.get("body"));
    assertEquals(bytes("\u00ff"), attributes.get("B"));
    assertEquals("line 2", store.committed.get(1).body());
  }

  /// As the store in memory shows bytes.
  private static String bytes(String latin) {
    return new String(latin.getBytes(ISO_8859_1), java.nio.charset.StandardCharsets.UTF_8);
  }

  @Test
  void theIdComesFromTheCursor() throws IOException, InterruptedException {
    String all = IntStream.range(0, 40).mapToObj(JournalEntries::numbered).collect(joining());
    String rest = IntStream.range(17, 60).mapToObj(JournalEntries::numbered).collect(joining());
    accepted(upload(all));
    accepted(upload(rest, "content-encoding", "identity"));
    assertEquals(40 + 43, store.committed.size());
    assertEquals(60, ids().size());
  }

  private static java.util.stream.Collector<CharSequence, ?, String> joining() {
    return Collectors.joining();
  }

  @Test
  void withoutACursorTheWholeEntryNamesIt() throws IOException, InterruptedException {
    String one = "__REALTIME_TIMESTAMP=1767323045000123\nMESSAGE=a\n\n";
    String other = "__REALTIME_TIMESTAMP=1767323045000123\nMESSAGE=b\n\n";
    accepted(upload(one + other));
    accepted(upload(other + one));
    assertEquals(2, ids().size());
    assertEquals(4, store.committed.size());
    store.committed.clear();
    accepted(upload("MESSAGE=no time\n\n__REALTIME_TIMESTAMP=0\nMESSAGE=0\n\n"));
    assertNull(store.committed.get(0).ownId());
    assertNull(store.committed.get(1).ownId());
    assertTrue(store.committed.get(0).timeNanos() > 1_767_323_045_000_124_000L);
  }

  @Test
  void aBadEntryIsCountedAndItsNeighboursAreStored() throws IOException, InterruptedException {
    String bad = "__CURSOR=c\n__REALTIME_TIMESTAMP=1\n\n";
    accepted(upload(numbered(1) + bad + numbered(2) + "__CURSOR=d\n\n"));
    assertEquals(List.of("line 1", "line 2"), bodies());
    String status = http.get("/v1/status").body();
    assertTrue(
        status.contains("entry at byte 0: it has no field but its time and its cursor"), status);
    assertTrue(status.contains("\"source\":\"/upload\""), status);
    String metrics = http.get("/metrics").body();
    String counted = "widerow_protocol_events_total{protocol=\"journal\",outcome=\"%s\"} 2\n";
    assertTrue(metrics.contains(counted.formatted("accepted")), metrics);
    assertTrue(metrics.contains(counted.formatted("rejected")), metrics);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello, this is no journal\nand has no fields\n",
        "{\"MESSAGE\":\"json\",\"_PID\":\"1\"}\n{\"MESSAGE\":\"more\"}\n",
      })
  void whatCannotBeToldApartIs400AndWhatCameBeforeIsStored(String bad)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = upload(numbered(1) + numbered(2) + bad + numbered(3));
    assertEquals(400, answer.statusCode());
    assertTrue(answer.body().startsWith("entry 2, field '"), answer.body());
    assertTrue(answer.body().endsWith("; the entries before it are stored\n"), answer.body());
    assertEquals(List.of("line 1", "line 2"), bodies());
  }

  @Test
  void aValueLongerThanItsLengthIs400() throws IOException, InterruptedException {
    String bad = "A\n" + JournalEntries.length(3) + "four\n\n";
    HttpResponse<String> answer = upload(numbered(1) + bad);
    assertEquals(400, answer.statusCode());
    int at = numbered(1).length() + 2 + 8 + 3;
    assertEquals(
        "entry 1, field 'A', at byte %d: no newline follows its 3 bytes; the entries before it"
                .formatted(at)
            + " are stored\n",
        answer.body());
    assertEquals(List.of("line 1"), bodies());
  }

  @Test
  void theEndOfTheBodyEndsALastEntryThatIsWhole() throws IOException, InterruptedException {
    accepted(upload("\n\n" + numbered(1) + "\n" + numbered(2).stripTrailing() + "\n"));
    assertEquals(List.of("line 1", "line 2"), bodies());
    HttpResponse<String> cut = upload(numbered(3) + "MESSAGE=cu");
    assertEquals(400, cut.statusCode());
    assertTrue(cut.body().contains("field 'MESSAGE', at byte"), cut.body());
    assertTrue(cut.body().contains("the body ends within it"), cut.body());
    assertEquals(List.of("line 1", "line 2", "line 3"), bodies());
    accepted(upload(""));
    assertEquals(3, store.committed.size());
  }

  @Test
  void anEntryThatIsTooLargeIsPassedOver() throws IOException, InterruptedException {
    String large = "x".repeat(EVENT_BYTES_MAX);
    StringBuilder huge = new StringBuilder();
    for (int i = 0; i < 40_000; i++) {
      huge.append("MESSAGE=no entry\n\nA\n").append(i).append('\n');
    }
    accepted(
        upload(
            numbered(1)
                + entry(2, "A=" + large + "\n")
                + numbered(3)
                + entry(4, binary("B", huge.toString()) + "C=d\n")
                + numbered(5)));
    assertEquals(List.of("line 1", "line 3", "line 5"), bodies());
    String status = http.get("/v1/status").body();
    assertTrue(status.contains("it has more than 8192 bytes, the limit"), status);
  }

  /// The limit of bodies does not hold, and neither does the credit.
  @Test
  void anUploadIsAsLongAsItLikes() throws IOException {
    int entries = 100_000;
    try (Upload upload = open("/upload", "expect: 100-continue")) {
      for (int i = 0; i < entries; ) {
        StringBuilder piece = new StringBuilder();
        for (int end = Math.min(entries, i + 200); i < end; i++) {
          piece.append(numbered(i));
        }
        upload.send(piece.toString());
      }
      assertEquals("202 OK.\n", upload.end());
    }
    assertEquals(entries, store.committed.size());
    assertEquals(entries, new HashSet<>(bodies()).size());
    assertTrue(numbered(0).length() * entries > 200 * BODY_BYTES_MAX);
  }

  /// Chunks arrive as they are cut, whatever TCP does.
  @Test
  void anyByteMayBeginAPiece() throws IOException {
    String body =
        entry(1, binary("MESSAGE", "a\n\nb") + "A=\nA=\n" + binary("E", "")) + "\n" + numbered(2);
    for (int cut = 1; cut < body.length(); cut++) {
      store.committed.clear();
      try (Upload upload = open("/upload")) {
        upload.send(body.substring(0, cut));
        assertEquals("202 OK.\n", upload.send(body.substring(cut)).end());
      }
      assertEquals(List.of("a\n\nb", "line 2"), bodies(), "cut at " + cut);
    }
    store.committed.clear();
    try (Upload upload = open("/upload")) {
      for (int i = 0; i < body.length(); i++) {
        upload.send(body.substring(i, i + 1));
      }
      assertEquals("202 OK.\n", upload.end());
    }
    assertEquals(List.of("a\n\nb", "line 2"), bodies());
  }

  @Test
  void packedBodiesMayHaveSeveralParts() throws IOException {
    byte[] one = (numbered(1) + numbered(2).substring(0, 30)).getBytes(ISO_8859_1);
    byte[] two = (numbered(2).substring(30) + numbered(3)).getBytes(ISO_8859_1);
    byte[] all = (numbered(1) + numbered(2) + numbered(3)).getBytes(ISO_8859_1);
    String stored = "[line 1, line 2, line 3]";
    assertEquals(stored, packed("zstd", Zstd.compress(one), Zstd.compress(two)));
    assertEquals(stored, packed("gzip", gzip(one), gzip(two)));
    assertEquals(stored, packed("deflate", deflate(all)));
  }

  /// Sends each part byte by byte.
  private String packed(String coding, byte[]... parts) throws IOException {
    store.committed.clear();
    try (Upload upload = open("/upload", "content-encoding: " + coding)) {
      for (byte[] part : parts) {
        for (int i = 0; i < part.length; i++) {
          upload.send(Arrays.copyOfRange(part, i, i + 1));
        }
      }
      assertEquals("202 OK.\n", upload.end());
    }
    return bodies().toString();
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(plain);
    }
    return packed.toByteArray();
  }

  private static byte[] deflate(byte[] plain) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream deflate = new DeflaterOutputStream(packed)) {
      deflate.write(plain);
    }
    return packed.toByteArray();
  }

  @Test
  void aBodyThatIsNotPackedAsItSays() throws IOException, InterruptedException {
    byte[] packed = Zstd.compress(numbered(1).getBytes(ISO_8859_1));
    byte[] bad = Arrays.copyOf(packed, packed.length + 40);
    HttpResponse<String> answer =
        http.post("/upload", "application/vnd.fdo.journal", bad, "content-encoding", "zstd");
    assertEquals(400, answer.statusCode());
    assertEquals("the body is not valid zstd\n", answer.body());
    assertEquals(List.of("line 1"), bodies());
    assertEquals(415, upload(numbered(2), "content-encoding", "br").statusCode());
    String bomb = entry(2, "A=" + "x".repeat(4_000) + "\n").repeat(4_000);
    byte[] small = Zstd.compress(bomb.getBytes(ISO_8859_1));
    HttpResponse<String> large =
        http.post("/upload", "application/vnd.fdo.journal", small, "content-encoding", "zstd");
    assertEquals(413, large.statusCode());
    assertTrue(store.committed.size() < 2_000, () -> "stored " + store.committed.size());
  }

  @Test
  void typeAndDurabilityMayBeAskedFor() throws IOException, InterruptedException {
    String type = "application/vnd.fdo.journal";
    accepted(http.post("/upload?type=vm&durability=memory", type, numbered(1)));
    accepted(http.post("/upload", type, numbered(2), "widerow-type", "host"));
    assertEquals("vm", store.committed.get(0).type());
    assertEquals("host", store.committed.get(1).type());
    assertTrue(store.levels.contains(Durability.MEMORY), () -> store.levels.toString());
    HttpResponse<String> bad = http.post("/upload?durability=tape", type, numbered(1));
    assertEquals(400, bad.statusCode());
    assertEquals("durability must be quorum, disk, os or memory, got tape\n", bad.body());
    assertEquals(403, upload(numbered(1), "origin", "http://x").statusCode());
  }

  @Test
  void aTokenMayBeInThePathOrInTheUrl() throws IOException, InterruptedException {
    String type = "application/vnd.fdo.journal";
    String basic = Base64.getEncoder().encodeToString(("any:" + SECRET).getBytes(ISO_8859_1));
    try (TokenDaemon tokens = new TokenDaemon(directory, SECRET)) {
      Http client = tokens.http;
      HttpResponse<String> none = client.post("/upload", type, numbered(1));
      assertEquals(401, none.statusCode());
      assertEquals("needs a token\n", none.body());
      assertEquals(401, client.post("/wrong/upload", type, numbered(1)).statusCode());
      assertEquals(0, tokens.store.committed.size());
      accepted(client.post("/" + SECRET + "/upload", type, numbered(1)));
      accepted(client.post("/upload", type, numbered(2), "authorization", "Basic " + basic));
      accepted(client.post("/upload", type, numbered(3), "authorization", "Bearer " + SECRET));
      assertEquals(3, tokens.store.committed.size());
    }
  }
}
