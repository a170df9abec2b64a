/// Events as lines of streams, and the stages of a pipeline on them.
///
/// ```
///   EventView --> EventLines --> Line: text, labels, metadata --> Pipeline --> Line, or none
/// ```
///
/// - Threads: one a line.
@NullMarked
package io.widerow.query.logql.line;

import org.jspecify.annotations.NullMarked;
