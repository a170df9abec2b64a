/// JSON off the hot path: a strict reader on Jackson's streaming parser, shared by all languages.
@NullMarked
package io.widerow.query.json;

import org.jspecify.annotations.NullMarked;
