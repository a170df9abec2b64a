/// Sends the events of a tail to another system, each at least once, and what is known of the
/// brokers of Kafka without a class of Kafka's client: addresses, whom to trust, credentials.
@NullMarked
package io.widerow.query.forward;

import org.jspecify.annotations.NullMarked;
