/// The characters under the parsers of the small languages.
@NullMarked
package io.widerow.query.text;

import org.jspecify.annotations.NullMarked;
