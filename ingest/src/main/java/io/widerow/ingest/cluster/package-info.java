/// The commands for a store on a cluster: `widerow migrate` and `widerow cluster`. Internal.
@NullMarked
package io.widerow.ingest.cluster;

import org.jspecify.annotations.NullMarked;
