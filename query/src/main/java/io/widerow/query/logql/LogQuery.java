package io.widerow.query.logql;

import java.util.List;

/// Lines of streams: `{app="x"} |= "error" | json`.
///
/// @param matchers which streams, all of which must hold; empty for every stream
/// @param stages steps applied to each line, in order
public record LogQuery(List<Matcher> matchers, List<Stage> stages) implements Expr {
  public LogQuery {
    matchers = List.copyOf(matchers);
    stages = List.copyOf(stages);
  }
}
