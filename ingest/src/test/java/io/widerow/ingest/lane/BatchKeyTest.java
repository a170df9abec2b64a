package io.widerow.ingest.lane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: a batch counts as a repeat only when the same sender sends the same content to the same
/// endpoint. Method: keys whose inputs differ in one thing each; no two may be equal.
public class BatchKeyTest {
  private static BatchKey ofBody(String principal, String endpoint, String body) {
    return BatchKey.ofBody(principal, endpoint, body.getBytes(UTF_8));
  }

  @Test
  void keysThatDifferInOneInputDiffer() {
    BatchKey named = BatchKey.ofName("me", "/v1/events", "k");
    List<BatchKey> keys =
        List.of(
            named,
            BatchKey.ofName("you", "/v1/events", "k"),
            BatchKey.ofName("me", "/write", "k"),
            BatchKey.ofName("me", "/v1/events", "l"),
            BatchKey.ofName("me/", "v1/events", "k"),
            BatchKey.ofName("me", "/v1/event", "sk"),
            ofBody("me", "/v1/events", "k"),
            ofBody("you", "/v1/events", "k"),
            ofBody("me", "/write", "k"),
            ofBody("me", "/v1/events", "l"),
            ofBody("me/", "v1/events", "k"),
            named.part(0),
            named.part(1),
            named.part(0).part(0),
            BatchKey.ofName("me", "/v1/events", "l").part(0));
    Set<BatchKey> distinct = new HashSet<>(keys);
    assertEquals(keys.size(), distinct.size());
    assertEquals(named, BatchKey.ofName("me", "/v1/events", "k"));
    assertEquals(ofBody("me", "/write", "k"), ofBody("me", "/write", "k"));
    assertEquals(named.part(1), BatchKey.ofName("me", "/v1/events", "k").part(1));
  }
}
