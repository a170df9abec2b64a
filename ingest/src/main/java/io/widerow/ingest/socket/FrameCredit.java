package io.widerow.ingest.socket;

import io.widerow.ingest.intake.ByteCredit;

/// The credit for the incomplete frame of one connection, when the frame is longer than a read.
/// Such frames of many connections could hold all credit, with none of them ever whole: one
/// connection of a receiver may therefore go on reading without credit.
///
/// - Threads: the receiver's event loop.
final class FrameCredit {
  /// The bytes themselves, and the array that they are copied to when it grows.
  private static final long BYTES_PER_BYTE = 3;

  private final SocketReceiver receiver;
  private final ByteCredit credit;
  private long claimed;
  private long received; // since the pace was checked
  private boolean excused; // it was not read all the time since then
  private boolean paced;

  FrameCredit(SocketReceiver receiver) {
    this.receiver = receiver;
    this.credit = receiver.intake().credit();
  }

  /// Claims credit for a frame of which so many bytes are there, or gives it back.
  void holds(int bytes) {
    long wanted = bytes > StreamConnection.READ_BYTES_MAX ? BYTES_PER_BYTE * bytes : 0;
    if (wanted > claimed) {
      credit.claimInDebt(wanted - claimed);
    } else if (wanted < claimed) {
      credit.release(claimed - wanted);
    }
    claimed = wanted;
    if (claimed == 0) {
      receiver.leaveDebt(this);
    }
  }

  /// Whether the connection may be read.
  boolean mayRead() {
    boolean may =
        credit.bytesFree() >= StreamConnection.READ_BYTES_MAX
            || (claimed > 0 && receiver.mayOwe(this));
    excused |= !may;
    return may;
  }

  void received(int bytes) {
    received += bytes;
  }

  /// The sender waits for us, and not we for it.
  void excuse() {
    excused = true;
  }

  /// Whether the pace must be checked from now on.
  boolean beginsPace() {
    boolean begins = claimed > 0 && !paced;
    if (begins) {
      paced = true;
      received = 0;
      excused = false;
    }
    return begins;
  }

  /// The bytes that the pace of a sender allows.
  enum Pace {
    /// It is checked again after the same time.
    GOOD,
    /// The frame is whole, and nothing is held.
    OVER,
    /// The connection is closed.
    TOO_SLOW
  }

  /// Checks the pace of the time since the last check.
  Pace pace() {
    if (claimed == 0) {
      paced = false;
      return Pace.OVER;
    }
    boolean slow = !excused && received < receiver.intake().limits().paceBytes();
    received = 0;
    excused = false;
    return slow ? Pace.TOO_SLOW : Pace.GOOD;
  }
}
