package io.widerow.cli.ship;

import io.widerow.query.json.JsonException;
import io.widerow.query.json.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The daemon's response to an accepted batch: `{"accepted":n,"duplicate":n,"rejected":[..]}`.
/// Members are found by their names; a newer daemon may send more of them.
///
/// @param accepted events stored now
/// @param repeated events stored by an earlier request with the same key
/// @param refused events that it refused
/// @param reasons of the refused events that it lists
record BatchResponse(long accepted, long repeated, long refused, List<Refusal> reasons) {
  private static final String ACCEPTED = "accepted";

  /// An event that was refused.
  ///
  /// @param index of it in the batch, from 0
  record Refusal(int index, String reason) {}

  /// The response in a body, whatever its status; null for any other body.
  static @Nullable BatchResponse of(String body) {
    try {
      Map<String, JsonNode> members =
          JsonNode.parse(body.strip(), JsonNode.DEPTH_MAX, _ -> {}).members();
      return members == null || !members.containsKey(ACCEPTED) ? null : of(members);
    } catch (JsonException | NumberFormatException notOurs) {
      return null; // shown as it is, with its status
    }
  }

  private static BatchResponse of(Map<String, JsonNode> members) {
    List<Refusal> reasons = new ArrayList<>();
    JsonNode rejected = members.get("rejected");
    List<JsonNode> listed = rejected == null ? null : rejected.items();
    for (JsonNode one : listed == null ? List.<JsonNode>of() : listed) {
      Map<String, JsonNode> refusal = one.members();
      if (refusal != null && refusal.containsKey("index")) {
        JsonNode reason = refusal.get("reason");
        reasons.add(
            new Refusal((int) number(refusal, "index"), reason == null ? "" : reason.toString()));
      }
    }
    return new BatchResponse(
        number(members, ACCEPTED),
        number(members, "duplicate"),
        reasons.size() + number(members, "rejectedNotListed"),
        reasons);
  }

  private static long number(Map<String, JsonNode> members, String name) {
    JsonNode value = members.get(name);
    return value == null ? 0 : Long.parseLong(value.toString());
  }
}
