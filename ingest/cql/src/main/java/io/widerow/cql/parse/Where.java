package io.widerow.cql.parse;

import java.util.List;
import java.util.function.UnaryOperator;

/// One condition of WHERE. A closed set.
public sealed interface Where permits Relation, KeyRelation {
  /// The names of the columns that it is about.
  List<String> columns();

  /// The same about columns with other names.
  Where renamed(UnaryOperator<String> names);

  /// The same with all names in quotes that need them: its text is CQL.
  Where quoted();
}
