/// Internal. Digests of sets of events. After a migration, a repartition or a deletion, the digest
/// of the written events is compared with the digest of their sources.
@NullMarked
package io.widerow.storage.digest;

import org.jspecify.annotations.NullMarked;
