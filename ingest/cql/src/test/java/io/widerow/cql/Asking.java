package io.widerow.cql;

import io.widerow.cql.plan.Planner;
import io.widerow.cql.plan.Prepared;
import io.widerow.cql.plan.QueryRows;
import io.widerow.cql.plan.StatementExecution;
import io.widerow.cql.plan.Variable;
import io.widerow.cql.schema.CqlCatalog;
import io.widerow.cql.schema.RequestKey;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.WireCodec;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// For tests: executes statements on a catalog and reads the cells of the results.
public final class Asking {
  private static final InetSocketAddress LOCAL =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 9042);

  private final Supplier<Planner> planner;
  private final @Nullable String keyspace;

  public Asking(CqlCatalog catalog) {
    Planner only = new Planner(catalog);
    this.planner = () -> only;
    this.keyspace = null;
  }

  /// @param keyspace in use
  public Asking(Supplier<Planner> planner, String keyspace) {
    this.planner = planner;
    this.keyspace = keyspace;
  }

  public Prepared prepare(String statement) {
    return planner.get().prepare(statement, keyspace);
  }

  /// Executes a statement that returns no rows.
  public void run(String statement) {
    RequestPrincipal asker = new RequestPrincipal(LOCAL, _ -> {}, _ -> {});
    QueryRows answer =
        prepare(statement).execute(new StatementExecution(List.of(), 0, null, asker));
    if (answer instanceof QueryRows.Rows rows) {
      throw new AssertionError("rows: " + texts(rows));
    }
  }

  /// Executes a change, whether its condition is met or not.
  void change(String statement) {
    RequestPrincipal asker = new RequestPrincipal(LOCAL, _ -> {}, _ -> {});
    prepare(statement).execute(new StatementExecution(List.of(), 0, null, asker));
  }

  /// Executes a change with a key, and returns its response.
  ///
  /// @return `done`, or the rows; `repeat` before it when it had been done before
  String once(String statement, String key) {
    RequestPrincipal asker = new RequestPrincipal(LOCAL, _ -> {}, _ -> {});
    byte[] own = statement.getBytes(StandardCharsets.UTF_8);
    try {
      RequestKey request = RequestKey.of("", key.getBytes(StandardCharsets.UTF_8), own);
      return text(
          prepare(statement)
              .execute(new StatementExecution(List.of(), 0, null, asker, null, request)));
    } catch (CqlException refused) {
      return "%04x %s".formatted(refused.code().number, refused.sentence());
    }
  }

  private static String text(QueryRows answer) {
    return switch (answer) {
      case QueryRows.Rows rows -> texts(rows).toString();
      case QueryRows.Repeat(QueryRows first) -> "repeat " + text(first);
      default -> "done";
    };
  }

  /// All rows, as texts of their values.
  public List<String> rows(String statement) {
    return rows(statement, 0);
  }

  /// All rows, read page by page, each of which must be full but the last.
  ///
  /// @param pageSize 0 for no pages
  public List<String> rows(String statement, int pageSize) {
    Prepared prepared = prepare(statement);
    List<String> rows = new ArrayList<>();
    ByteBuffer position = null;
    do {
      QueryRows.Rows page = execute(prepared, List.of(), pageSize, position);
      rows.addAll(texts(page));
      position = page.position();
      if (position != null && page.count() != pageSize) {
        throw new AssertionError("a page of %d rows, not %d".formatted(page.count(), pageSize));
      }
    } while (position != null);
    return rows;
  }

  /// All rows, a text for each cell.
  List<List<String>> cells(String statement) {
    return rows(
        execute(prepare(statement), List.of(), 0, null), (_, value) -> String.valueOf(value));
  }

  public static QueryRows.Rows execute(
      Prepared prepared,
      List<@Nullable ByteBuffer> values,
      int pageSize,
      @Nullable ByteBuffer position) {
    RequestPrincipal asker = new RequestPrincipal(LOCAL, _ -> {}, _ -> {});
    return (QueryRows.Rows)
        prepared.execute(new StatementExecution(values, pageSize, position, asker));
  }

  /// The rows of a page, each as the text of the list of its values.
  public static List<String> texts(QueryRows.Rows page) {
    return rows(page, (_, value) -> String.valueOf(value)).stream().map(List::toString).toList();
  }

  /// The rows of a page: a text for each cell of each row.
  ///
  /// @param text of a value, null for none, of a type
  static List<List<String>> rows(
      QueryRows.Rows page, BiFunction<CqlType, @Nullable Object, String> text) {
    ByteBuffer cells = ByteBuffer.wrap(page.cells().bytes(), 0, page.cells().length());
    List<List<String>> rows = new ArrayList<>();
    for (int row = 0; row < page.count(); row++) {
      List<String> values = new ArrayList<>();
      for (Variable column : page.columns()) {
        int length = cells.getInt();
        Object value = null;
        if (length >= 0) {
          value = WireCodec.decode(column.type(), cells.slice(cells.position(), length));
          cells.position(cells.position() + length);
        }
        values.add(text.apply(column.type(), value));
      }
      rows.add(values);
    }
    if (cells.hasRemaining()) {
      throw new AssertionError(cells.remaining() + " bytes after the last cell");
    }
    return rows;
  }

  /// The sentence with which a statement is refused.
  public String refusal(String statement) {
    try {
      RequestPrincipal asker = new RequestPrincipal(LOCAL, _ -> {}, _ -> {});
      QueryRows answer =
          prepare(statement).execute(new StatementExecution(List.of(), 0, null, asker));
      throw new AssertionError("answered: " + answer);
    } catch (CqlException refused) {
      return "%04x %s".formatted(refused.code().number, refused.sentence());
    }
  }
}
