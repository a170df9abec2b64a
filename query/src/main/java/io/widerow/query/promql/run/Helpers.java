package io.widerow.query.promql.run;

import java.util.function.IntConsumer;

/// Other threads that share the work of a query.
@FunctionalInterface
public interface Helpers {
  /// None: the thread of the query does all.
  Helpers NONE =
      (count, piece) -> {
        for (int i = 0; i < count; i++) {
          piece.accept(i);
        }
      };

  /// Does independent pieces of work.
  ///
  /// @param piece does the piece of a number below `count`
  void share(int count, IntConsumer piece);
}
