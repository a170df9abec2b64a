package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.event.NearestName;
import java.util.List;

/// The query parameters of endpoints that are our own. Clients of other servers' protocols send
/// parameters of those servers, which we need not know.
public final class Parameters {
  private static final int NAME_CHARS_MAX = 100;

  private Parameters() {}

  /// @param known the names that the endpoint takes
  /// @throws RequestRefused when there is another; it names it, the nearest, and all
  public static void requireKnown(QueryParams given, List<String> known) throws RequestRefused {
    for (String name : given.names()) {
      if (!known.contains(name)) {
        String shown = name.substring(0, Math.min(NAME_CHARS_MAX, name.length()));
        throw new RequestRefused(
            HttpStatus.BAD_REQUEST,
            "%s: no such parameter%s known: %s"
                .formatted(
                    shown, NearestName.question(name, known, ";"), String.join(", ", known)));
      }
    }
  }
}
