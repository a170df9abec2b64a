/// A query in the form of its HTTP parameters, and its result as bytes, independent of transport:
/// events, aggregates, and the live tail. Opens no sockets.
///
/// - Threads: a result belongs to one thread.
@NullMarked
package io.widerow.query.result;

import org.jspecify.annotations.NullMarked;
