package io.widerow.cql;

import io.widerow.cql.engine.TableFuzz;
import io.widerow.fuzz.FuzzReader;
import io.widerow.fuzz.FuzzTarget;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// The readers of statements, of frames of the native protocol, and of the files of tables. Any
/// input gives a value or a refusal.
@SuppressWarnings("ImmutableEnumChecker") // method references
public enum FuzzTargets implements FuzzTarget {
  CQL(FuzzTargets::statements, CqlFuzz::ask, 64L << 20),
  CQL_FRAMES(
      io.widerow.cql.protocol.CqlFuzz::seeds, io.widerow.cql.protocol.CqlFuzz::frames, 64L << 20),
  FRAGMENT(TableFuzz::fragments, TableFuzz::readFragment, 16L << 20),
  TABLE_FILE(TableFuzz::files, TableFuzz::readFile, 512L << 20);

  private final FuzzReader reader;

  FuzzTargets(Supplier<List<byte[]>> seeds, Consumer<byte[]> reader, long heapBytesMax) {
    this.reader = new FuzzReader(seeds, reader, heapBytesMax);
  }

  private static List<byte[]> statements() {
    return Stream.of(CqlFuzz.seeds()).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
  }

  @Override
  public FuzzReader reader() {
    return reader;
  }
}
