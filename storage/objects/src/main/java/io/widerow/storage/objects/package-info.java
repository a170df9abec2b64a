/// Backup of a store to an object store, and restore from it. [Backup] ships a store as it grows,
/// [Restore] makes a directory of what was shipped; [ObjectStore] is the place.
///
/// - Threads: none of its own.
@NullMarked
package io.widerow.storage.objects;

import org.jspecify.annotations.NullMarked;
