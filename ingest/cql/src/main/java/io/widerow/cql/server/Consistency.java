package io.widerow.cql.server;

import io.widerow.cql.CqlException;
import io.widerow.cql.plan.Prepared;
import io.widerow.cql.protocol.BodyReader;

/// The consistency levels of a request. There is one node, so every level is met; combinations that
/// Cassandra refuses are refused, so that a mistake shows here and not after a move.
///
/// @param level of the statement
/// @param serial of the condition of a conditional statement
record Consistency(int level, int serial) {
  private static final int ANY = 0;
  private static final int SERIAL = 8;
  private static final int LOCAL_SERIAL = 9;
  private static final int LEVEL_MAX = 10;

  /// Reads the level of a request.
  static Consistency read(BodyReader body) {
    return new Consistency(level(body), SERIAL);
  }

  /// The same with the level of a condition, which is read.
  Consistency withSerial(BodyReader body) {
    return new Consistency(level, level(body));
  }

  private static int level(BodyReader body) {
    int level = body.unsignedShort();
    if (level > LEVEL_MAX) {
      throw CqlException.protocol("Unknown code %d for a consistency level".formatted(level));
    }
    return level;
  }

  /// @throws CqlException when Cassandra does not execute a statement with these levels
  void require(Prepared.Need need) {
    boolean isSerial = isSerial(level);
    String mistake =
        switch (need) {
          case READ -> level == ANY ? "ANY ConsistencyLevel is only supported for writes" : "";
          case WRITE -> isSerial ? "You must use conditional updates for serializable writes" : "";
          case READ_AND_WRITE ->
              !isSerial(serial)
                  ? "Invalid consistency for conditional update. Must be one of SERIAL or"
                      + " LOCAL_SERIAL"
                  : isSerial
                      ? ("%s is not supported as conditional update commit consistency. Use ANY if"
                              + " you mean \"make sure it is accepted but I don't care how many"
                              + " replicas commit it for non-SERIAL reads\"")
                          .formatted(level == SERIAL ? "SERIAL" : "LOCAL_SERIAL")
                      : "";
          case NOTHING, SCHEMA -> "";
        };
    if (!mistake.isEmpty()) {
      throw CqlException.invalid(mistake);
    }
  }

  private static boolean isSerial(int level) {
    return level == SERIAL || level == LOCAL_SERIAL;
  }
}
