/// The explorer page at `/ui/`: its files from the jar, and the requester's scopes. It requests its
/// data from the other endpoints, as everybody else does.
///
/// - Threads: event loops.
@NullMarked
package io.widerow.ingest.serve.page;

import org.jspecify.annotations.NullMarked;
