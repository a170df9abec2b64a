/// Internal. The few file operations that the store needs (the seam to the operating system): real
/// ones here, a simulated disk with power cuts in tests. Also file descriptors kept within a limit,
/// leases (reference counts) on open files, the lock of the directory and the quarantine of damaged
/// files.
///
/// - Threads: any, unless the comment of a class restricts them.
@NullMarked
package io.widerow.storage.disk;

import org.jspecify.annotations.NullMarked;
