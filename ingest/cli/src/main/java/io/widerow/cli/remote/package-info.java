/// Internal. Commands that ask a running daemon for its upkeep, or change it: senders, layout,
/// retention, plan, doctor, rules.
@NullMarked
package io.widerow.cli.remote;

import org.jspecify.annotations.NullMarked;
