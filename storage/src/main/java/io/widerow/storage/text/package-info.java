/// Internal. Log text in few bytes: lines become templates and variables, columns that repeat
/// another column are derived from it, numbers in text become numbers. Predicates on text
/// (`contains`, words) run on the encoded form.
///
/// ```
///   TextEncoder --> pieces                 short or random text, numbers in text
///              \-> templates + variables   log lines: LineTree finds the template of each
/// ```
///
/// - Threads: an encoder, decoder or search belongs to one thread.
@NullMarked
package io.widerow.storage.text;

import org.jspecify.annotations.NullMarked;
