package io.widerow.cli.ship;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The daemon's response to an accepted batch: `{"accepted":n,"duplicate":n,"rejected":[..]}`.
///
/// @param accepted events stored now
/// @param repeated events stored by an earlier request with the same key
/// @param refused events that it refused
/// @param reasons of the refused events that it lists
record BatchResponse(long accepted, long repeated, long refused, List<Refusal> reasons) {
  private static final Pattern ACCEPTED = Pattern.compile("^\\{\"accepted\":(\\d{1,18})");
  private static final Pattern REPEATED = Pattern.compile("^,\"duplicate\":(\\d{1,18})");
  private static final Pattern REASON =
      Pattern.compile("\\{\"index\":(\\d{1,9}),\"reason\":\"((?:[^\"\\\\]|\\\\.)*+)\"}");
  private static final Pattern NOT_LISTED = Pattern.compile("\"rejectedNotListed\":(\\d{1,18})}");

  /// An event that was refused.
  ///
  /// @param index of it in the batch, from 0
  record Refusal(int index, String reason) {}

  /// True when a body is such a response, whatever its status.
  static boolean is(String body) {
    return ACCEPTED.matcher(body).find();
  }

  static BatchResponse parse(String body) {
    Matcher accepted = ACCEPTED.matcher(body);
    if (!accepted.find()) {
      throw new IllegalArgumentException("no response: " + body);
    }
    Matcher repeated = REPEATED.matcher(body).region(accepted.end(), body.length());
    List<Refusal> reasons = new ArrayList<>();
    Matcher reason = REASON.matcher(body);
    while (reason.find()) {
      reasons.add(
          new Refusal(
              Integer.parseInt(reason.group(1)), reason.group(2).replaceAll("\\\\(.)", "$1")));
    }
    Matcher notListed = NOT_LISTED.matcher(body);
    long more = notListed.find() ? Long.parseLong(notListed.group(1)) : 0;
    return new BatchResponse(
        Long.parseLong(accepted.group(1)),
        repeated.find() ? Long.parseLong(repeated.group(1)) : 0,
        reasons.size() + more,
        reasons);
  }
}
