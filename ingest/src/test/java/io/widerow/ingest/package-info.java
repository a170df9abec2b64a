/// Tests and benchmarks of the daemon.
@NullMarked
package io.widerow.ingest;

import org.jspecify.annotations.NullMarked;
