/// The configuration: keys from flags, environment and file, checked once, printed at start; and
/// the token file.
///
/// - Threads: immutable after start, except the token file, which is read again when it changes.
@NullMarked
package io.widerow.ingest.config;

import org.jspecify.annotations.NullMarked;
