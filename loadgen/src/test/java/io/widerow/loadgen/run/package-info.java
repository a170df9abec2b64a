@NullMarked
package io.widerow.loadgen.run;

import org.jspecify.annotations.NullMarked;
