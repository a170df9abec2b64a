/// The commands for a store on a cluster: `widerow cluster migrate` and `widerow cluster`.
/// Internal.
@NullMarked
package io.widerow.cli.cluster;

import org.jspecify.annotations.NullMarked;
