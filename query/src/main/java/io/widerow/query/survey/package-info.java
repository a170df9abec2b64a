/// Reading as much of a range as a budget of time allows, evenly, for results that may be
/// estimates.
///
/// - Threads: one for each query; any may cancel it.
@NullMarked
package io.widerow.query.survey;

import org.jspecify.annotations.NullMarked;
