/// The attributes of the events of a range and their values: facets, and the differences of some of
/// the events. Imports the parameters and the parser of queries, opens no socket.
///
/// - Threads: one for each query.
@NullMarked
package io.widerow.query.fields;

import org.jspecify.annotations.NullMarked;
