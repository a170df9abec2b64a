/// The file of transforms: which fields of which events are found in texts, set, renamed, dropped,
/// redacted or hashed, and which events are moved or dropped, between a decoder and the journal.
/// The language is in `docs/TRANSFORMS.md`.
///
/// - Threads: rules are immutable; a run belongs to one thread at a time.
@NullMarked
package io.widerow.ingest.transform;

import org.jspecify.annotations.NullMarked;
