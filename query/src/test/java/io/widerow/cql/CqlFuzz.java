package io.widerow.cql;

import io.widerow.cql.plan.Answer;
import io.widerow.cql.plan.Execution;
import io.widerow.cql.plan.Planner;
import io.widerow.cql.plan.Prepared;
import io.widerow.cql.schema.Asker;
import io.widerow.cql.system.ServerCatalog;
import io.widerow.cql.system.ServerIdentity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Fuzz target for statements: any text is answered or refused with a sentence. After the first
/// zero come the values of its variables, each up to the next zero.
public final class CqlFuzz {
  private static final Planner PLANNER =
      new Planner(new ServerCatalog(new ServerIdentity(new UUID(1, 2), 9042, "5.0.9"), List.of()));
  private static final Asker ASKER =
      new Asker(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9042), _ -> {}, _ -> {});

  private CqlFuzz() {}

  public static String[] seeds() {
    String columns = " FROM system_schema.columns WHERE keyspace_name = 'system' ";
    return new String[] {
      "SELECT JSON key, toJson(tokens) AS \"T\", {'a': [1, 2]}['a'] FROM system.local LIMIT 1;",
      "SELECT count(*), min(position), max(type), sum(position)"
          + columns
          + "GROUP BY keyspace_name",
      "SELECT *" + columns + "AND table_name > 'a' ORDER BY table_name DESC, column_name DESC",
      "SELECT * FROM system_schema.columns WHERE keyspace_name IN ? AND position = ? LIMIT ?"
          + " ALLOW FILTERING\0ab\0abcd\0abcd",
      "SELECT DISTINCT keyspace_name FROM system_schema.tables -- c\n PER PARTITION LIMIT 2",
      "SELECT cast(1.5e3 as text), blobAsInt(0x00000001), minTimeuuid('2015-07-14T00:00:00+01:00'),"
          + " abs(-7), (frozen<list<uuid>>) [], $$a$$, 00000001-0000-1100-8000-000000000001, -NaN"
          + " FROM system.local WHERE tokens CONTAINS '0' ALLOW FILTERING /* c */",
      "DESCRIBE TABLE system.local",
      "USE \"system\"",
      "INSERT INTO a.b (c) VALUES (1)"
    };
  }

  public static void ask(byte[] input) {
    String[] parts = new String(input, StandardCharsets.ISO_8859_1).split("\0", -1);
    try {
      byte[] text = parts[0].getBytes(StandardCharsets.ISO_8859_1);
      Prepared prepared = PLANNER.prepare(new String(text, StandardCharsets.UTF_8), null);
      List<@Nullable ByteBuffer> values = new ArrayList<>();
      for (int i = 0; i < prepared.variables().size(); i++) {
        values.add(
            i + 1 < parts.length
                ? ByteBuffer.wrap(parts[i + 1].getBytes(StandardCharsets.ISO_8859_1))
                : null);
      }
      Answer answer = prepared.execute(new Execution(values, 3, null, ASKER));
      if (answer instanceof Answer.Rows rows && Asking.texts(rows).size() > 3) {
        throw new AssertionError("more rows than a page has");
      }
    } catch (CqlException refused) {
      if (refused.sentence().length() < 5) {
        throw new AssertionError("a refusal that says nothing", refused);
      }
    }
  }
}
