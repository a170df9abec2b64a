/// Reads topics of Apache Kafka. The only package that imports Kafka's client.
@NullMarked
package io.widerow.ingest.kafka;

import org.jspecify.annotations.NullMarked;
