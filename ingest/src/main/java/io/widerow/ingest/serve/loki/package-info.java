/// The query API of Grafana Loki under `/loki/api/v1/`: Grafana's built-in data source works
/// against it.
///
/// - Threads: a virtual thread per query.
@NullMarked
package io.widerow.ingest.serve.loki;

import org.jspecify.annotations.NullMarked;
