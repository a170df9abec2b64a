/// What a source that reads a log gets from the daemon, and gives it. The sources are modules of
/// their own.
@NullMarked
package io.widerow.ingest.source;

import org.jspecify.annotations.NullMarked;
