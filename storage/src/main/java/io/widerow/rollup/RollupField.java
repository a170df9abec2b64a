package io.widerow.rollup;

import io.widerow.event.AttributeName;

/// An attribute of which a rollup keeps aggregates, or a query asks for them.
///
/// @param figures bits of [RollupFigure], at least one
public record RollupField(AttributeName name, int figures) {
  public RollupField {
    if (figures < 1 || figures > RollupFigure.ASKED) {
      throw new IllegalArgumentException("figures of %s: %d".formatted(name, figures));
    }
  }

  /// True when it keeps this aggregate.
  public boolean has(RollupFigure figure) {
    return (figures & figure.bit) != 0;
  }
}
