package io.widerow.query.result;

import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.Token;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The parameters of an endless tail: `type`, `where` and `fields` as in a query; `lag`; its start,
/// which is now unless one of these is given: `since`, `last`, or `after` with `arrived`.
///
/// @param plan the events to follow
/// @param after where it begins; null for now
/// @param arrived the position in the order of arrival that belongs to it; null for none
public record TailRequest(Tail.Plan plan, @Nullable Token after, @Nullable String arrived) {
  private static final List<String> NAMES =
      List.of("type", "where", "fields", "lag", "since", "last", "after", "arrived");
  private static final List<String> OF_QUERY = List.of("type", "where", "fields");
  private static final int LAST_MAX = 10_000;
  private static final String NO_LAG = "0s";

  /// @param resumed the position of a client that comes back, a token and a position of arrival
  ///   with a space between; it replaces the parameters; null for none
  /// @param nowNanos current time for relative times, in nanoseconds since the Unix epoch
  /// @throws QueryException.Refused when a name is unknown or a value makes no sense
  public static TailRequest parse(
      Map<String, List<String>> given, @Nullable String resumed, long nowNanos) {
    RequestParameters.requireKnown(given, NAMES);
    Map<String, List<String>> events = new HashMap<>(given);
    events.keySet().retainAll(OF_QUERY);
    QueryParameters _ = QueryParameters.parse(events, nowNanos); // may refuse
    String lag = RequestParameters.single(given, "lag");
    long lagNanos = lag == null || lag.equals(NO_LAG) ? 0 : TimeText.positive("lag", lag);
    if (resumed != null) {
      String[] position = resumed.split(" ", -1);
      return new TailRequest(
          new Tail.Plan(events, lagNanos, Long.MAX_VALUE),
          Token.parse(position[0]),
          position.length > 1 ? position[1] : null);
    }
    int last = RequestParameters.whole(given, "last", 0, LAST_MAX, 0);
    String since = RequestParameters.single(given, "since");
    String after = RequestParameters.single(given, "after");
    String arrived = RequestParameters.single(given, "arrived");
    if (after != null && (last > 0 || since != null)) {
      throw new QueryException.Refused("after", "not together with last or since");
    }
    if (arrived != null && after == null) {
      throw new QueryException.Refused("arrived", "requires after; pass both");
    }
    Token start = after == null ? null : Token.parse(after);
    if (since != null && last == 0) {
      start = Token.before(TimeText.parse("since", since, nowNanos));
    }
    return new TailRequest(
        new Tail.Plan(events, lagNanos, Long.MAX_VALUE, last, since), start, arrived);
  }
}
