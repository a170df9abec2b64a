package io.widerow.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/// Goal: each answer of a target is counted as what it says. Method: the answers as text.
class ReplyTest {
  @Test
  void aRepeatIsStored() {
    Reply first = Reply.of(200, "{\"accepted\":7,\"rejected\":[]}", 7);
    Reply again = Reply.of(200, "{\"accepted\":0,\"duplicate\":7,\"rejected\":[]}", 7);
    Reply partly = Reply.of(200, "{\"accepted\":3,\"duplicate\":4,\"rejected\":[]}", 7);
    assertEquals(7, first.accepted());
    assertEquals(7, again.accepted());
    assertEquals(7, partly.accepted());
    assertNull(again.failure());
    assertEquals(7, Reply.of(204, "", 7).accepted());
  }

  @Test
  void whatIsMissingIsRejected() {
    Reply reply = Reply.of(200, "{\"accepted\":0,\"duplicate\":5,\"rejected\":[]}", 7);
    assertEquals(5, reply.accepted());
    assertEquals(Failure.REJECTED, reply.failure());
  }
}
