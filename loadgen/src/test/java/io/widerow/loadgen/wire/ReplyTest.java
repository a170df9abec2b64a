package io.widerow.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.widerow.loadgen.workload.Target;
import org.junit.jupiter.api.Test;

/// Goal: each response of a target is counted by its contents. Method: the answers as text.
class ReplyTest {
  @Test
  void aRepeatIsStored() {
    Reply first = Reply.of(Target.WIDEROW_JSON, 200, "{\"accepted\":7,\"rejected\":[]}", 7);
    Reply again =
        Reply.of(Target.WIDEROW_JSON, 200, "{\"accepted\":0,\"duplicate\":7,\"rejected\":[]}", 7);
    Reply partly =
        Reply.of(Target.WIDEROW_JSON, 200, "{\"accepted\":3,\"duplicate\":4,\"rejected\":[]}", 7);
    assertEquals(7, first.accepted());
    assertEquals(7, again.accepted());
    assertEquals(7, partly.accepted());
    assertNull(again.failure());
    assertEquals(7, Reply.of(Target.WIDEROW_JSON, 204, "", 7).accepted());
  }

  @Test
  void whatIsMissingIsRejected() {
    Reply reply =
        Reply.of(Target.WIDEROW_JSON, 200, "{\"accepted\":0,\"duplicate\":5,\"rejected\":[]}", 7);
    assertEquals(5, reply.accepted());
    assertEquals(Failure.REJECTED, reply.failure());
  }

  /// All stored, or all but some.
  @Test
  void eachProtocolSaysItInItsOwnForm() {
    String bulk = "{\"create\":{\"status\":201}},{\"create\":{\"status\":400,\"error\":{}}}";
    assertEquals(7, Reply.of(Target.BULK, 200, "{\"errors\":false,\"items\":[]}", 7).accepted());
    assertEquals(6, Reply.of(Target.BULK, 200, "{\"errors\":true,[" + bulk + "]}", 7).accepted());
    assertEquals(7, Reply.of(Target.OTLP, 200, "", 7).accepted());
    String partial = "\n\u0007\u0008\u0002\u0012\u0003bad";
    assertEquals(5, Reply.of(Target.OTLP, 200, partial, 7).accepted());
    assertEquals(7, Reply.of(Target.OTLP, 200, "\n\u0005\u0012\u0003bad", 7).accepted());
    String many = "\n\u0003\u0008\u00ac\u0002"; // 300
    assertEquals(700, Reply.of(Target.OTLP_METRICS, 200, many, 1_000).accepted());
    String json = "{\"partialSuccess\":{\"rejectedLogRecords\":\"2\"}}";
    assertEquals(5, Reply.of(Target.OTLP_JSON, 200, json, 7).accepted());
    assertEquals(7, Reply.of(Target.OTLP_JSON, 200, "{}", 7).accepted());
    assertEquals(7, Reply.of(Target.DATADOG, 202, "{}", 7).accepted());
    assertEquals(7, Reply.of(Target.LOKI, 204, "", 7).accepted());
    assertEquals(7, Reply.of(Target.JOURNAL, 202, "OK.\n", 7).accepted());
  }

  @Test
  void eventsKeptAtALowerLevelAreAcceptedAndSaidSo() {
    Reply stored = Reply.of(Target.WIDEROW_JSON, 202, "{\"accepted\":7}", 7);
    assertNull(stored.atLevel(null).failure());
    Reply weaker = stored.atLevel("disk");
    assertEquals(Failure.WEAKER, weaker.failure());
    assertEquals(7, weaker.accepted());
    Reply refused = Reply.of(Target.WIDEROW_JSON, 503, "", 7);
    assertEquals(refused, refused.atLevel("disk"));
  }

  @Test
  void whatIsNotServedIsSaidSo() {
    for (int status : new int[] {404, 405, 415, 501}) {
      assertEquals(Failure.UNSERVED, Reply.of(Target.OTLP_JSON, status, "no", 7).failure());
    }
    assertEquals(Failure.REFUSED, Reply.of(Target.LOKI, 400, "no", 7).failure());
    assertEquals(Failure.OVERLOADED, Reply.of(Target.LOKI, 429, "wait", 7).failure());
  }
}
