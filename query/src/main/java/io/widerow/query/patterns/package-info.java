/// The patterns of log lines: the kinds of lines, the count of each kind, and one line as an
/// example. The constant parts of a line are the constant parts of a segment's template, see
/// `io.widerow.storage.text`.
///
/// - Threads: one for each query.
@NullMarked
package io.widerow.query.patterns;

import org.jspecify.annotations.NullMarked;
