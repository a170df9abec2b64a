/// A query as its HTTP parameters say it, and its answer as bytes, whoever carries them: events,
/// figures, and the live tail. Opens no sockets.
///
/// - Threads: an answer belongs to one thread.
@NullMarked
package io.widerow.query.answer;

import org.jspecify.annotations.NullMarked;
