/// Findings for an operator: facts about the daemon and its store, checked every few seconds, and
/// the findings that follow from them.
///
/// - Threads: the daemon's maintenance looks; any thread reads.
@NullMarked
package io.widerow.ingest.doctor;

import org.jspecify.annotations.NullMarked;
