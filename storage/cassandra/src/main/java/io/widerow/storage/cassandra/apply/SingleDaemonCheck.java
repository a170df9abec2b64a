package io.widerow.storage.cassandra.apply;

import io.widerow.event.TimeUuid;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;

/// Whether a daemon is the only one that the store has had so far. Such a daemon need not ask for
/// each batch whether another one has it, which costs the nodes more than the batch itself. It
/// looks for its keys, writes what it claims, and then makes sure that it was still alone:
///
/// ```
///   this daemon                             a second one, at its start
///   look for the keys                       say that nobody is alone any more (LWT)
///   write the claims                        from here on, claim each key (LWT)
///   make sure that it is alone (LWT)
/// ```
///
/// Both conditional statements are about one row, so one comes first. When it is that of the first
/// daemon, its claims were there before the second one asks for any. Otherwise the first daemon
/// finds out, and claims each key too. Once there were two daemons, nobody is alone for ever.
///
/// - Threads: one.
final class SingleDaemonCheck {
  private static final int OVER = -1;

  private int mine; // 0 before the start
  private boolean alone;

  /// Records at the start of a daemon that it is the only one, or that there are several. Call it
  /// before the daemon claims anything.
  ///
  /// @param others true when the store has had another daemon
  /// @throws KeyspaceException when a statement fails; call it again
  void begin(
      Keyspace keyspace, RetryingStatements statements, int daemon, int epoch, boolean others) {
    alone = false;
    mine = epoch * TimeUuid.DAEMON_LIMIT + daemon + 1;
    boolean nobody = others;
    int expected = 0;
    while (true) {
      int next = nobody ? OVER : mine;
      int said = statements.once("say who is alone", keyspace.sole(expected, next));
      if (said == next || said == OVER) {
        alone = said == mine;
        return;
      }
      boolean sameBefore = (said - 1) % TimeUuid.DAEMON_LIMIT == daemon && said < mine;
      nobody |= !sameBefore;
      expected = said;
    }
  }

  /// False when it is known that there was another daemon.
  boolean mayBe() {
    return alone;
  }

  /// Asks whether no other daemon has started until now.
  boolean isStill(Keyspace keyspace, RetryingStatements statements) {
    alone = alone && statements.make("see who is alone", () -> keyspace.sole(mine, mine)) == mine;
    return alone;
  }
}
