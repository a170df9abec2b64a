package io.widerow.query.logql.run;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Addresses as `ip("...")` names them, and which of those in a text are among them.
///
/// @param has the test of one address
record PlainAddress(String text, Predicate<String> has) {
  static final List<PlainAddress> ALL =
      List.of(
          new PlainAddress("10.0.0.1", address -> address.equals("10.0.0.1")),
          new PlainAddress("10.0.0.0/24", address -> address.startsWith("10.0.0.")),
          new PlainAddress("10.0.0.0/15", address -> address.matches("10\\.[01]\\..*")),
          new PlainAddress(
              "192.168.1.15-192.168.1.30",
              address ->
                  address.startsWith("192.168.1.")
                      && Integer.parseInt(address.substring(10)) >= 15
                      && Integer.parseInt(address.substring(10)) <= 30),
          new PlainAddress("2001:db8::/32", address -> address.startsWith("2001:db8:")));

  private static final Pattern ADDRESSES =
      Pattern.compile("(?<![0-9.])\\d{1,3}(?:\\.\\d{1,3}){3}(?![0-9.])|2001:[0-9a-f:]+");

  boolean isIn(String line) {
    return ADDRESSES.matcher(line).results().map(MatchResult::group).anyMatch(has);
  }
}
