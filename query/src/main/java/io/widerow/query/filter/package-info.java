/// The filter language (the predicate of a query): lexer, parser, and regular expressions that run
/// in linear time. Compiles to [io.widerow.storage.Filter], which the store pushes down.
///
/// - Threads: a parser belongs to one thread; the filter that it makes is immutable.
@NullMarked
package io.widerow.query.filter;

import org.jspecify.annotations.NullMarked;
