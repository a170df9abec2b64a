/// Internal. Segments whose blocks are kept elsewhere, as objects of a place: the stub that stays
/// here, the file that reads the rest by range, and the pieces that it has read. Format:
/// `FORMAT-segment.md`.
///
/// - Threads: any, unless the comment of a class restricts them.
@NullMarked
package io.widerow.storage.cold;

import org.jspecify.annotations.NullMarked;
