/// The explorer page at `/ui/`: its files from the jar, and who asks. What it shows it asks of the
/// other endpoints, as everybody else does.
///
/// - Threads: event loops.
@NullMarked
package io.widerow.ingest.serve.page;

import org.jspecify.annotations.NullMarked;
