package io.widerow.loadgen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/// Goal: an answer counts the events that are stored. Method: answers as a daemon gives them.
class ReplyTest {
  @Test
  void theEventsOfARepeatAreStored() {
    Reply reply =
        Reply.of(
            200, "{\"accepted\":0,\"duplicate\":3,\"rejected\":[],\"durability\":\"disk\"}", 3);
    assertEquals(3, reply.accepted());
    assertNull(reply.failure());
    String one = "{\"accepted\":1,\"duplicate\":1,\"rejected\":[{\"index\":0,\"reason\":\"x\"}]}";
    assertEquals(2, Reply.of(200, one, 3).accepted());
    assertEquals(Failure.REJECTED, Reply.of(200, one, 3).failure());
  }
}
