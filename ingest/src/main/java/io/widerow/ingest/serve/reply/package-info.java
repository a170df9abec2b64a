/// Answers that are made on threads of their own and sent in pieces under back pressure: how many
/// there are at a time, and what a reader that is slow or gone means.
///
/// - Threads: a virtual thread per answer.
@NullMarked
package io.widerow.ingest.serve.reply;

import org.jspecify.annotations.NullMarked;
