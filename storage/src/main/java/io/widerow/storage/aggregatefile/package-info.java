/// Internal. Files of aggregates that are kept when the events that they count are gone
/// (downsampling): the cells of segments, without their blocks.
///
/// - Threads: a writer has one.
@NullMarked
package io.widerow.storage.aggregatefile;

import org.jspecify.annotations.NullMarked;
