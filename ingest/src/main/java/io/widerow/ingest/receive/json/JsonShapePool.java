package io.widerow.ingest.receive.json;

import java.util.concurrent.ConcurrentLinkedDeque;

/// A pool of shapes, which outlive the decoders: there is one of those for each request.
///
/// - Threads: any.
/// - Memory: keeps those of as many decoders as can be at work, the ones used last.
final class JsonShapePool {
  private final ConcurrentLinkedDeque<JsonShapes> idle = new ConcurrentLinkedDeque<>();
  private final int most;

  /// @param most to keep
  JsonShapePool(int most) {
    this.most = most;
  }

  /// Shapes of lines whose members have these names. Give them back with [#give].
  JsonShapes take(JsonNames names) {
    for (JsonShapes shapes : idle) {
      if (shapes.names().isSame(names) && idle.remove(shapes)) {
        return shapes;
      }
    }
    return new JsonShapes(names);
  }

  void give(JsonShapes shapes) {
    idle.addFirst(shapes);
    if (idle.size() > most) {
      idle.pollLast();
    }
  }
}
