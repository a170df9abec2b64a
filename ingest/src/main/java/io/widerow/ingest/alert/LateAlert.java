package io.widerow.ingest.alert;

/// An alert that fired and ended before the events arrived that show it. It is sent as firing for
/// one resend interval.
///
/// @param alert as it was when it ended
/// @param since when it was found, milliseconds since the Unix epoch
/// @param delivered whether all Alertmanagers have taken it
record LateAlert(ActiveAlert alert, long since, boolean delivered) {
  /// The same when it has been delivered or not.
  LateAlert withDelivered(boolean now) {
    return new LateAlert(alert, since, delivered || now);
  }
}
