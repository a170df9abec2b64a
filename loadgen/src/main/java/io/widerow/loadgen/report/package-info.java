/// Reports: the table of a run, its folder and plots, and the results page.
///
/// - Threads: one, the caller's.
@NullMarked
package io.widerow.loadgen.report;

import org.jspecify.annotations.NullMarked;
