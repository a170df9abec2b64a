package io.widerow.cql.server;

import io.widerow.cql.protocol.BodyReader;
import io.widerow.cql.protocol.Opcode;
import java.nio.ByteBuffer;
import java.util.List;

/// Reads the bodies of requests for fuzz targets, as a connection reads them.
public final class QueryOptionsFuzz {
  private QueryOptionsFuzz() {}

  public static void read(Opcode opcode, BodyReader body, int version) {
    switch (opcode) {
      case STARTUP -> body.stringMap();
      case QUERY, PREPARE -> {
        body.longString();
        QueryOptions options = QueryOptions.read(body, version);
        if (options.valuesOf(List.of()).size() != options.values().size()
            && options.names().isEmpty()) {
          throw new AssertionError("values are lost");
        }
      }
      case EXECUTE -> {
        body.shortBytes();
        QueryOptions.read(body, version);
      }
      case AUTH_RESPONSE -> {
        ByteBuffer response = body.bytes();
        if (response != null) {
          CqlResponses.password(response);
        }
      }
      default -> body.value(version);
    }
  }
}
