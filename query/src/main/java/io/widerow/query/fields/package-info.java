/// Which attributes the events of a range have, and their values: facets, and what is different
/// about some of the events. Imports the parameters and the parser of queries, opens no socket.
///
/// - Threads: one for each question.
@NullMarked
package io.widerow.query.fields;

import org.jspecify.annotations.NullMarked;
