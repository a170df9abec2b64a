/// Internal. Commands that ask a running daemon for its upkeep, or change it: senders, layout,
/// retention, plan, doctor, rules.
@NullMarked
package io.widerow.query.cli.daemon;

import org.jspecify.annotations.NullMarked;
