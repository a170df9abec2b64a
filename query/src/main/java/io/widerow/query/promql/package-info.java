/// The text of PromQL: tokens, expressions, their types, and their canonical form.
///
/// - Threads: any; expressions are immutable.
@NullMarked
package io.widerow.query.promql;

import org.jspecify.annotations.NullMarked;
