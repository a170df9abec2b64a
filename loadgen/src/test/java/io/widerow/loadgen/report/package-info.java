@NullMarked
package io.widerow.loadgen.report;

import org.jspecify.annotations.NullMarked;
