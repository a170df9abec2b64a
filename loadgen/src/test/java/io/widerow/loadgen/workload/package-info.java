@NullMarked
package io.widerow.loadgen.workload;

import org.jspecify.annotations.NullMarked;
