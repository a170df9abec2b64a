/// The store on this machine, one directory: opening, the public face, views, lanes and snapshots.
/// [EmbeddedStore] is exported; the rest is internal.
///
/// - Threads: none of its own; see [EmbeddedStore].
@NullMarked
package io.widerow.storage.embedded;

import org.jspecify.annotations.NullMarked;
