/// Internal. The manifest: the log of edits that lists the live segments, and the only truth about
/// it after a crash; and FORMAT, the version and feature bits of a store. Format: `FORMAT.md`.
///
/// - Threads: one at a time, under the lock of the store's contents.
@NullMarked
package io.widerow.storage.manifest;

import org.jspecify.annotations.NullMarked;
