/// Internal. Digests of sets of events, by which what was written is compared with what it was made
/// of: after a migration, a repartition, a deletion.
@NullMarked
package io.widerow.storage.digest;

import org.jspecify.annotations.NullMarked;
