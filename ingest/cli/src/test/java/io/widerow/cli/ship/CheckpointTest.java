package io.widerow.cli.ship;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a checkpoint is read as it was written or named as damaged; names of files give type and
/// attributes. Method: each prefix and each changed byte of a checkpoint; a table of names.
class CheckpointTest {
  @Test
  void isReadAsItWasWritten() throws Checkpoint.Damaged {
    Checkpoint written = ShipFuzz.checkpoint();
    assertEquals(written, Checkpoint.decode(written.encode()));
  }

  @Test
  void anyOtherByteIsDamage() {
    byte[] written = ShipFuzz.checkpoint().encode();
    for (int at = 0; at < written.length; at++) {
      byte[] prefix = Arrays.copyOf(written, at);
      assertThrows(Checkpoint.Damaged.class, () -> Checkpoint.decode(prefix), "byte " + at);
      byte[] other = written.clone();
      other[at] ^= 1;
      assertThrows(Checkpoint.Damaged.class, () -> Checkpoint.decode(other), "byte " + at);
    }
  }

  @Test
  void anotherVersionIsToldApart() {
    byte[] other = "widerow-ship 2 00000000\n".getBytes(UTF_8);
    var damaged = assertThrows(Checkpoint.Damaged.class, () -> Checkpoint.decode(other));
    assertEquals(-1, damaged.offset);
    assertTrue(String.valueOf(damaged.getMessage()).contains("version 2"), damaged.getMessage());
  }

  private static final String ID = "0123456789abcdef".repeat(4);

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "/var/log/app.log | app |",
        "/var/log/app.log.1 | app |",
        "/var/log/app-20261120.log.gz | app |",
        "/var/log/app.log-2026-11-20.zst | app |",
        "/var/log/node-1.log | node-1 |",
        "/var/log/syslog | syslog |",
        "/var/log/.log | .log |",
        "/c/web-1_shop_nginx-ID.log | nginx | pod=web-1 namespace=shop container=nginx",
        "/var/log/pods/shop_web-1_u-1/nginx/0.log | nginx | pod=web-1 namespace=shop pod_uid=u-1",
        "/var/log/pods/shop_web-1_u-1/nginx/0.log.2026-1 | nginx | container=nginx",
        "/c/ID/ID-json.log | docker | container_id=ID",
      })
  void namesGiveTypeAndAttributes(String path, String type, @Nullable String attributes) {
    FileLabels labels =
        FileLabels.of(Path.of(path.replace("ID", ID)), null, Map.of("zone", "a\"b"));
    assertEquals(type, labels.type());
    JsonBuffer begun = new JsonBuffer(256);
    labels.put(begun, new BitSet());
    String json = new String(begun.copy(begun.length()), UTF_8);
    assertTrue(json.startsWith("{\"file\":\"" + path.replace("ID", ID) + "\","), json);
    assertTrue(json.endsWith(",\"zone\":\"a\\\"b\","), json);
    for (String pair : attributes == null ? new String[0] : attributes.split(" ", -1)) {
      String member = "\"" + pair.replace("ID", ID).replace("=", "\":\"") + "\"";
      assertTrue(json.contains(member), json);
    }
  }
}
