/// The commands for backups: `widerow backup`. Internal.
@NullMarked
package io.widerow.cli.backup;

import org.jspecify.annotations.NullMarked;
