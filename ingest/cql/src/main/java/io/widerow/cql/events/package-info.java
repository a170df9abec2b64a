/// The table `widerow.events`: all events of the store in one order, newest or oldest first.
///
/// ```
///   conditions --Pushdown--> RangeQuery --> RangeReader --> EventRow
///                   \--what it cannot say, tried on each row---^
/// ```
@NullMarked
package io.widerow.cql.events;

import org.jspecify.annotations.NullMarked;
