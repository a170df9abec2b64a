package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.cql.plan.Prepared;
import io.widerow.cql.plan.QueryRows;
import io.widerow.cql.plan.StatementExecution;
import io.widerow.cql.plan.Variable;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.JsonValues;
import io.widerow.cql.type.Literals;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.Texts;
import io.widerow.cql.type.WireCodec;
import io.widerow.query.json.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the statements of five articles are answered as Cassandra answers them. Method: each file
/// of `cql/cases` runs over the model of the store of tables, and each answer is compared with that
/// of Cassandra 5.0.9 in `cql/golden`: columns, types, rows, sizes of pages, codes of errors. A
/// line `-- ! ours` gives the rows that are right too where Cassandra refuses.
class CassandraCasesTest {
  private static final RequestPrincipal ASKER =
      new RequestPrincipal(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 9042), _ -> {}, _ -> {});
  private static final Pattern VALUE = Pattern.compile("(?:Date\\()?'([^']*)'\\)?|(-?\\d+)");
  private static final int PAGE = 5000;

  private final TableServer server = new TableServer();
  private @Nullable String keyspace;

  @ParameterizedTest
  @ValueSource(
      strings = {"1-application-logs", "2-hotel", "3-keys", "4-posts-gyms-likes", "5-ebay"})
  void asCassandra(String file) throws IOException {
    List<?> steps = (List<?>) Objects.requireNonNull(tree(text("golden/" + file + ".json")));
    assertEquals(statements(file), steps.size(), "statements of " + file);
    List<String> differences = new ArrayList<>();
    for (Object step : steps) {
      Map<?, ?> all = (Map<?, ?>) step;
      String statement = (String) Objects.requireNonNull(all.get("statement"));
      Map<?, ?> marks = all.get("marks") instanceof Map<?, ?> given ? given : Map.of();
      Map<?, ?> wanted = (Map<?, ?>) Objects.requireNonNull(all.get("answer"));
      String difference = difference(statement, marks, wanted);
      if (difference != null) {
        differences.add(statement + "\n  " + difference);
      }
    }
    assertEquals("", String.join("\n", differences));
  }

  private static String text(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(CassandraCasesTest.class.getResourceAsStream("/cql/" + name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /// How many statements a file has.
  private static int statements(String file) throws IOException {
    int count = 0;
    StringBuilder statement = new StringBuilder();
    for (String line : text("cases/" + file + ".cql").split("\n", -1)) {
      if (statement.isEmpty() && (line.isBlank() || line.startsWith("--"))) {
        continue;
      }
      statement.append(line).append('\n');
      boolean batch = statement.toString().startsWith("BEGIN");
      if (line.endsWith(";") && (!batch || line.equals("APPLY BATCH;"))) {
        count++;
        statement.setLength(0);
      }
    }
    return count;
  }

  /// @return null when the answer is that of Cassandra
  private @Nullable String difference(String statement, Map<?, ?> marks, Map<?, ?> wanted) {
    if (marks.get("sleep") != null) {
      server.pass(Duration.ofMillis((long) (1_000 * number(marks, "sleep", 0))));
    }
    String shown;
    try {
      shown = answer(statement, marks);
    } catch (CqlException refused) {
      shown = "%04x".formatted(refused.code().number);
      if (!shown.equals(wanted.get("error"))) {
        return refused.sentence() + " instead of " + wanted;
      }
      return null;
    }
    Object ours = marks.get("ours");
    String right = ours == null ? wanted(wanted) : shown(tree((String) ours));
    boolean same = ours == null ? shown.equals(right) : shown.contains("rows=" + right);
    return same ? null : "gives " + shown + "\n  and not " + right;
  }

  private static double number(Map<?, ?> marks, String name, double standard) {
    Object text = marks.get(name);
    return text == null ? standard : Double.parseDouble((String) text);
  }

  private static String wanted(Map<?, ?> answer) {
    StringBuilder text = new StringBuilder();
    for (String part : List.of("void", "error", "bind", "routing", "columns", "pages", "rows")) {
      if (answer.containsKey(part)) {
        text.append(part).append('=').append(shown(answer.get(part))).append(' ');
      }
    }
    return text.toString();
  }

  private String answer(String statement, Map<?, ?> marks) {
    Prepared prepared = server.planner().prepare(statement, keyspace);
    StringBuilder text = new StringBuilder();
    if (marks.get("prepared") instanceof String values) {
      text.append("bind=").append(columns(prepared.variables()));
      text.append(" routing=").append(shown(prepared.partitionKey())).append(' ');
      return text + execute(prepared, bind(prepared, values), marks);
    }
    return text + execute(prepared, List.of(), marks);
  }

  private static List<@Nullable ByteBuffer> bind(Prepared prepared, String values) {
    List<@Nullable ByteBuffer> bound = new ArrayList<>();
    Matcher value = VALUE.matcher(values);
    for (Variable variable : prepared.variables()) {
      if (!value.find()) {
        throw new AssertionError("no value for " + variable);
      }
      NativeType type = (NativeType) variable.type();
      Object parsed =
          value.group(1) == null
              ? Literals.parse(Literals.Kind.INTEGER, value.group(2), type)
              : Literals.parse(Literals.Kind.STRING, value.group(1), type);
      bound.add(WireCodec.encode(type, parsed));
    }
    return bound;
  }

  private String execute(Prepared prepared, List<@Nullable ByteBuffer> values, Map<?, ?> marks) {
    int size = (int) number(marks, "page", PAGE);
    List<String> rows = new ArrayList<>();
    List<Integer> pages = new ArrayList<>();
    ByteBuffer position = null;
    do {
      switch (prepared.execute(new StatementExecution(values, size, position, ASKER))) {
        case QueryRows.Rows page -> {
          rows.addAll(rows(page, marks.containsKey("types")));
          pages.add(page.count());
          position = page.position();
          if (position == null) {
            String sizes = marks.containsKey("page") ? " pages=" + shown(pages) : "";
            return "columns=%s%s rows=[%s] "
                .formatted(columns(page.columns()), sizes, String.join(",", rows));
          }
        }
        case QueryRows.KeyspaceInUse(String name) -> keyspace = name;
        case QueryRows.Done(), QueryRows.SchemaChanged(_), QueryRows.Repeat(_) -> {}
      }
    } while (position != null);
    return "void=true ";
  }

  private static String columns(List<Variable> columns) {
    List<String> all =
        columns.stream()
            .map(each -> "[\"%s\",\"%s\"]".formatted(each.name(), driver(each.type())))
            .toList();
    return "[" + String.join(",", all) + "]";
  }

  /// The type as the Python driver names it.
  private static String driver(CqlType type) {
    return switch (type) {
      case NativeType simple -> simple == NativeType.TEXT ? "varchar" : simple.cql();
      case CqlType.ListOf list -> "list<" + driver(list.element()) + ">";
      case CqlType.SetOf set -> "set<" + driver(set.element()) + ">";
      case CqlType.MapOf map -> "map<" + driver(map.key()) + ", " + driver(map.value()) + ">";
      case CqlType.TupleOf tuple -> tuple.cql();
      case CqlType.VectorOf vector -> vector.cql();
      case CqlType.UserType user -> "frozen<" + user.name() + ">";
    };
  }

  private static List<String> rows(QueryRows.Rows page, boolean typesOnly) {
    return Asking.rows(
            page, (type, value) -> value != null && typesOnly ? "\"?\"" : plain(type, value))
        .stream()
        .map(values -> "[" + String.join(",", values) + "]")
        .toList();
  }

  /// A value as JSON that says its kind where JSON alone would not.
  private static String plain(CqlType type, @Nullable Object value) {
    if (value == null) {
      return "null";
    }
    return switch (type) {
      case NativeType simple -> plain(simple, value);
      case CqlType.ListOf list -> "[" + all(list.element(), (Iterable<?>) value) + "]";
      case CqlType.SetOf set -> "{\"set\":[" + all(set.element(), (Iterable<?>) value) + "]}";
      case CqlType.MapOf map -> {
        List<String> pairs = new ArrayList<>();
        ((Map<?, ?>) value)
            .forEach(
                (k, v) -> pairs.add("[" + plain(map.key(), k) + "," + plain(map.value(), v) + "]"));
        yield "{\"map\":[" + String.join(",", pairs) + "]}";
      }
      case CqlType.TupleOf _, CqlType.VectorOf _ ->
          throw new AssertionError("neither tuples nor vectors are in the cases");
      case CqlType.UserType user -> {
        List<String> fields = new ArrayList<>();
        for (int i = 0; i < user.fields().size(); i++) {
          CqlType.Field field = user.fields().get(i);
          String of = plain(field.type(), ((List<?>) value).get(i));
          fields.add("[\"" + field.name() + "\"," + of + "]");
        }
        yield "{\"udt\":[" + String.join(",", fields) + "]}";
      }
    };
  }

  private static String all(CqlType element, Iterable<?> values) {
    List<String> all = new ArrayList<>();
    values.forEach(value -> all.add(plain(element, value)));
    return String.join(",", all);
  }

  private static String plain(NativeType type, Object value) {
    String text = value.toString();
    return switch (type) {
      case TEXT, ASCII -> shown(text);
      case FLOAT, DOUBLE -> "{\"float\":" + shown(text) + "}";
      case DECIMAL -> "{\"decimal\":" + shown(text) + "}";
      case UUID, TIMEUUID -> "{\"uuid\":" + shown(((UUID) value).toString()) + "}";
      case DATE -> "{\"date\":" + shown(text) + "}";
      case TIMESTAMP -> {
        String iso = Texts.of(type, value);
        yield "{\"timestamp\":" + shown(iso.substring(0, iso.length() - 1)) + "}";
      }
      default -> text;
    };
  }

  private record Numeral(String text) {}

  private static @Nullable Object tree(String text) {
    return tree(JsonValues.parse(text));
  }

  private static @Nullable Object tree(JsonNode node) {
    if (node.members() != null) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      node.members().forEach((name, member) -> members.put(name, tree(member)));
      return members;
    }
    if (node.items() != null) {
      List<@Nullable Object> items = new ArrayList<>();
      node.items().forEach(item -> items.add(tree(item)));
      return items;
    }
    return node.isNull()
        ? null
        : node.isText()
            ? node.toString()
            : node.isBoolean() ? Boolean.valueOf(node.toString()) : new Numeral(node.toString());
  }

  /// JSON without blanks.
  private static String shown(@Nullable Object json) {
    return switch (json) {
      case null -> "null";
      case String text -> "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
      case Numeral(String number) -> number;
      case List<?> all ->
          "[" + String.join(",", all.stream().map(CassandraCasesTest::shown).toList()) + "]";
      case Map<?, ?> map -> {
        List<String> members = new ArrayList<>();
        map.forEach((name, value) -> members.add(shown(name) + ":" + shown(value)));
        yield "{" + String.join(",", members) + "}";
      }
      default -> json.toString();
    };
  }
}
