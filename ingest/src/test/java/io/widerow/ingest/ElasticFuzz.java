package io.widerow.ingest;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.receive.elastic.BulkDecoder;
import java.util.List;

/// Fuzz target of Elasticsearch's bulk. A request that is refused as a whole may have decoded some
/// of its events, which are dropped with their batch.
final class ElasticFuzz {
  private static final String ACTION = "{\"index\":{\"_index\":\"a-2026.11.25\"}}\n";

  private ElasticFuzz() {}

  static List<byte[]> seeds() {
    return DecoderFuzz.seeds(
        "malformed.bulk",
        ACTION + "{\"@timestamp\":\"2026-11-20T19:15:00.5+01:00\",\"message\":\"a\\u00e9\"}\n",
        "{\"create\":{\"_id\":\"\\n\",\"_index\":\"x\"}}\n{\"a\":{\"b\":[1,-2.5e3]},\"body\":1}",
        "{\"delete\":{\"_index\":\"x\",\"_id\":7}}\n{\"update\":{\"_index\":\"x\"}}\n{}\n",
        "\n{\"index\":{}}\r\n{\"@timestamp\":1700000000123.25,\"id\":1,\"_id\":null}\r\n");
  }

  static void bulk(byte[] input) {
    byte[] _ = DecoderFuzz.decode(input, ElasticFuzz::decode);
  }

  static void decode(byte[] body, int limit, IncomingBatch batch) {
    try {
      new BulkDecoder("x", null).decode(body, limit, batch);
    } catch (RequestRefused whole) {
      if (whole.status().code() != 400) {
        throw new AssertionError(whole);
      }
    }
  }
}
