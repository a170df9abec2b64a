/// The commands of the launcher as one list, and what is made of the list.
///
/// - Threads: the main thread.
@NullMarked
package io.widerow.ingest.cli;

import org.jspecify.annotations.NullMarked;
