/// The patterns of log lines: which kinds of lines there are, how many of each, and one of them.
/// The constant parts of a line are those that a segment's template has, see
/// `io.widerow.storage.text`.
///
/// - Threads: one for each question.
@NullMarked
package io.widerow.query.patterns;

import org.jspecify.annotations.NullMarked;
