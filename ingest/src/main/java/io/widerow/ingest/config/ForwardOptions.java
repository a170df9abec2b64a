package io.widerow.ingest.config;

import io.widerow.query.QueryException;
import io.widerow.query.forward.KafkaAddress;
import io.widerow.query.result.TailRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Where the daemon sends its events, and which: the address of `widerow tail --to`, with those of
/// `GET /v1/tail` as further parameters.
///
/// @param tail the parameters of the tail; several types are separated by commas
public record ForwardOptions(KafkaAddress to, Map<String, List<String>> tail) {
  private static final Set<String> NAMES = Set.of("type", "where", "fields", "lag", "since");
  private static final String LAG = "2s";

  public ForwardOptions {
    tail = Map.copyOf(tail);
  }

  /// Reads the value of a key.
  ///
  /// @throws IllegalArgumentException with the key and the bad part in it
  static ForwardOptions parse(String key, String text) {
    KafkaAddress to = KafkaAddress.parse(key, text, NAMES);
    Map<String, List<String>> tail = new HashMap<>();
    to.others()
        .forEach((name, value) ->
            tail.put(name, name.equals("type") ? List.of(value.split(",", -1)) : List.of(value)));
    tail.putIfAbsent("lag", List.of(LAG));
    ForwardOptions options = new ForwardOptions(to, tail);
    try {
      var _ = options.request(null, 0);
    } catch (QueryException.Refused wrong) {
      throw new IllegalArgumentException(key + ": " + wrong.getMessage(), wrong);
    }
    return options;
  }

  /// The tail from a position on.
  ///
  /// @param resumed the token and the position in the order of arrival; null for the start
  public TailRequest request(@Nullable String resumed, long nowNanos) {
    return TailRequest.parse(tail, resumed, nowNanos);
  }
}
