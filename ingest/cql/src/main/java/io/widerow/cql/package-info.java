/// CQL: the language, its types, the schema and the plans of statements. Knows no socket.
///
/// ```
///   text --parse--> statement --plan--> prepared statement --execute--> rows, as on the wire
/// ```
@NullMarked
package io.widerow.cql;

import org.jspecify.annotations.NullMarked;
