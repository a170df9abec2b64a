package io.widerow.loadgen;

import org.jspecify.annotations.Nullable;

/// What the target said to one batch.
///
/// @param accepted events that it took in
/// @param failure why not all of them, or null
/// @param body the answer's text when it says more than success
record Reply(int accepted, @Nullable Failure failure, String body) {
  static Reply accepted(int events) {
    return new Reply(events, null, "");
  }

  static Reply failed(Failure failure, String body) {
    return new Reply(0, failure, body);
  }

  /// Reads the answer to a write of `events` events, whatever the protocol.
  static Reply of(int status, String body, int events) {
    if (status == 200 || status == 204) {
      int accepted = body.isEmpty() ? events : number(body, "\"accepted\":", events);
      accepted += number(body, "\"duplicate\":", 0); // a repeat is stored as well
      return new Reply(accepted, accepted < events ? Failure.REJECTED : null, body);
    }
    if (status == 400 && body.contains("partial write")) {
      return new Reply(
          Math.max(0, events - number(body, "dropped=", events)), Failure.REJECTED, body);
    }
    return failed(Failure.ofStatus(status), body);
  }

  /// The whole number behind `name`, or `otherwise`.
  private static int number(String body, String name, int otherwise) {
    int found = body.indexOf(name);
    if (found < 0) {
      return otherwise;
    }
    int number = 0;
    for (int i = found + name.length(); i < body.length(); i++) {
      char c = body.charAt(i);
      if (c < '0' || c > '9') {
        break;
      }
      number = number * 10 + (c - '0');
    }
    return number;
  }
}
