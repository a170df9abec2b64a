package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.query.QueryException;
import io.widerow.storage.ClusterReport.Member;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: `tail` warns of a daemon whose lag exceeds its own, once until it has caught up, and
/// requests the status no more often than daemons report. Method: answers and times by hand.
class ClusterLagWarningTest {
  private static final long NOW = 1_795_000_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final String TOLD = "daemon 3 is 40 s behind: late events will follow\n";

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final ClusterLagWarning behind =
      new ClusterLagWarning(
          2 * SECOND, this::answer, new PrintStream(err, true, StandardCharsets.UTF_8));

  private @Nullable List<Member> answer = List.of();
  private boolean refuses;
  private int asked;

  private @Nullable List<Member> answer() {
    asked++;
    if (refuses) {
      throw new QueryException.Remote("no");
    }
    return answer;
  }

  private static Member daemon(long oldestMillis, long seenMillis) {
    return new Member(3, "host", "round 1", oldestMillis, seenMillis);
  }

  /// The warnings since the last call.
  private String at(long second, Member... daemons) {
    answer = List.of(daemons);
    err.reset();
    behind.check(second * SECOND, NOW + second * 1_000);
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aDaemonBehindIsToldOnceUntilItHasCaughtUp() {
    Member other = new Member(1, "other", "round 9", 0, NOW);
    assertEquals("", at(0, other, daemon(NOW - 2_000, NOW)), "as old as the lag");
    assertEquals(TOLD, at(5, other, daemon(NOW - 37_000, NOW + 3_000)), "by its own report");
    assertEquals("", at(10, other, daemon(NOW - 37_000, NOW + 8_000)), "told");
    assertEquals("", at(15, other, daemon(0, NOW + 13_000)), "it has caught up");
    assertEquals("", at(20, daemon(NOW, NOW + 18_000)), "and fell behind again, within a minute");
    assertEquals("", at(80, daemon(0, NOW + 78_000)));
    assertEquals(TOLD, at(85, daemon(NOW + 43_001, NOW + 83_000)), "a minute later");
  }

  @Test
  void whatASilentDaemonHadAges() {
    assertEquals("", at(0, daemon(NOW - 500, NOW)));
    assertEquals("", at(10, daemon(NOW - 500, NOW)), "its report may be on the way");
    assertEquals(
        "daemon 3 is 21 s behind: late events will follow\n", at(20, daemon(NOW - 500, NOW)));
    assertEquals("", at(25, daemon(0, NOW)), "had nothing");
  }

  @Test
  void asksEveryFiveSecondsAndLessWhenRefused() {
    at(0);
    at(4);
    assertEquals(1, asked);
    at(5);
    assertEquals(2, asked);
    refuses = true;
    assertEquals("", at(10, daemon(NOW - 37_000, NOW + 3_000)));
    at(69);
    assertEquals(3, asked);
    refuses = false;
    at(70);
    assertEquals(4, asked);
  }

  @Test
  void aStoreOnOneMachineIsNotAskedAgain() {
    answer = null;
    behind.check(0, NOW);
    behind.check(100 * SECOND, NOW);
    assertEquals(1, asked);
    assertEquals("", err.toString(StandardCharsets.UTF_8));
  }
}
