package io.widerow.ingest.receive.fluent;

import static io.widerow.ingest.receive.fluent.FluentMessages.gzip;
import static io.widerow.ingest.receive.fluent.FluentMessages.join;
import static io.widerow.ingest.receive.fluent.FluentMessages.pack;

import io.widerow.ingest.receive.fluent.FluentMessages.Time;
import java.util.List;
import java.util.Map;

/// Seeds of the fuzz target of Fluent Forward.
public final class FluentFuzz {
  private FluentFuzz() {}

  public static List<byte[]> seeds() {
    List<Object> entry =
        List.of(
            new Time(1_700_000_000, 5),
            Map.of("message", "a", "n", List.of(1, Map.of("k", 0.5f)), "u", Map.of("id", -7)));
    byte[] packed = join(pack(entry), pack(entry));
    return List.of(
        pack(List.of("t", 1, Map.of("log", "x", "b", new byte[] {1, -1}), Map.of("chunk", "c"))),
        pack(List.of("t", List.of(entry, entry), Map.of("size", 2, "chunk", "x=="))),
        pack(List.of("t", packed, Map.of("chunk", "y"))),
        pack(List.of("t", gzip(packed, packed), Map.of("compressed", "gzip"))),
        pack(List.of("PING", "me", "salt", "digest", "", "")));
  }
}
