package io.widerow.cql.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.widerow.cql.CqlException;
import io.widerow.cql.define.SchemaChange;
import io.widerow.cql.plan.Prepared;
import io.widerow.cql.plan.QueryRows;
import io.widerow.cql.plan.Variable;
import io.widerow.cql.protocol.BodyWriter;
import io.widerow.cql.protocol.FrameReader;
import io.widerow.cql.protocol.Opcode;
import io.widerow.cql.protocol.Reply;
import io.widerow.cql.protocol.Request;
import io.widerow.cql.schema.RequestKey;
import io.widerow.cql.system.ServerIdentity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The responses to requests.
final class CqlResponses {
  private static final int UNPREPARED = 0x2500;
  private static final int VOID = 1;
  private static final int ROWS = 2;
  private static final int KEYSPACE_IN_USE = 3;
  private static final int PREPARED = 4;
  private static final int SCHEMA_CHANGE = 5;
  private static final int MORE_PAGES = 0x02;
  private static final int NO_METADATA = 0x04;
  private static final int METADATA_CHANGED = 0x08;
  private static final String AUTHENTICATOR = "org.apache.cassandra.auth.PasswordAuthenticator";

  private CqlResponses() {}

  private static Reply reply(Request to, Opcode opcode, ByteBuf body) {
    return new Reply(to.version(), to.stream(), opcode, body);
  }

  static Reply empty(Request to, Opcode opcode) {
    return reply(to, opcode, Unpooled.EMPTY_BUFFER);
  }

  static Reply error(Request to, CqlException why) {
    return error(to.version(), to.stream(), why);
  }

  static Reply error(int version, short stream, CqlException why) {
    BodyWriter body = new BodyWriter().integer(why.code().number).string(why.sentence());
    if (why.code() == CqlException.Code.ALREADY_EXISTS) {
      body.string(why.keyspace()).string(why.name());
    }
    if (why.code() == CqlException.Code.FUNCTION) {
      body.string(why.keyspace()).string(why.name()).strings(why.arguments());
    }
    return new Reply(version, stream, Opcode.ERROR, body.body());
  }

  static Reply unprepared(Request to, StatementId id) {
    String sentence = "Prepared query with ID %s not found".formatted(id.hex());
    return reply(
        to,
        Opcode.ERROR,
        new BodyWriter().integer(UNPREPARED).string(sentence).shortBytes(id.bytes()).body());
  }

  static Reply authenticate(Request to) {
    return reply(to, Opcode.AUTHENTICATE, new BodyWriter().string(AUTHENTICATOR).body());
  }

  static Reply authenticated(Request to) {
    return reply(to, Opcode.AUTH_SUCCESS, new BodyWriter().integer(-1).body());
  }

  static Reply supported(Request to) {
    BodyWriter body = new BodyWriter().unsignedShort(3);
    body.string("CQL_VERSION").strings(List.of(ServerIdentity.CQL_VERSION));
    body.string("COMPRESSION").strings(List.of("lz4"));
    body.string("PROTOCOL_VERSIONS").strings(List.of("3/v3", "4/v4", "5/v5"));
    return reply(to, Opcode.SUPPORTED, body.body());
  }

  /// The outcome of an execution.
  ///
  /// @param known the metadata that the client has, and wants no more; null when it wants it
  /// @param sealed the position of the next page, sealed; null when there is none
  static Reply result(Request to, QueryRows answer, Metadata known, @Nullable ByteBuffer sealed) {
    return switch (answer) {
      case QueryRows.KeyspaceInUse(String keyspace) ->
          reply(
              to, Opcode.RESULT, new BodyWriter().integer(KEYSPACE_IN_USE).string(keyspace).body());
      case QueryRows.Rows rows -> rows(to, rows, known, sealed);
      case QueryRows.Done() -> reply(to, Opcode.RESULT, new BodyWriter().integer(VOID).body());
      case QueryRows.Repeat(QueryRows first) -> result(to, first, known, sealed);
      case QueryRows.SchemaChanged(SchemaChange change) ->
          reply(to, Opcode.RESULT, change(new BodyWriter().integer(SCHEMA_CHANGE), change).body());
    };
  }

  /// The same, with a payload that marks the response to a retry.
  static Reply repeat(Reply reply) {
    ByteBuffer told = StandardCharsets.UTF_8.encode("repeat");
    return reply.with(
        Reply.CUSTOM_PAYLOAD,
        new BodyWriter().unsignedShort(1).string(RequestKey.NAME).bytes(told));
  }

  /// The same with warnings, which version 3 does not have.
  static Reply warned(Reply reply, List<String> warnings) {
    if (warnings.isEmpty() || reply.version() == FrameReader.VERSION_MIN) {
      return reply;
    }
    return reply.with(Reply.WARNING, new BodyWriter().strings(warnings));
  }

  /// The same with the id of its trace.
  static Reply traced(Reply reply, UUID id) {
    return reply.with(Reply.TRACING, new BodyWriter().uuid(id));
  }

  private static BodyWriter change(BodyWriter body, SchemaChange change) {
    body.string(change.how().name()).string(change.target().name()).string(change.keyspace());
    return change.name() == null ? body : body.string(change.name());
  }

  /// The event that the schema has changed.
  static Reply event(int version, SchemaChange change) {
    BodyWriter body = change(new BodyWriter().string("SCHEMA_CHANGE"), change);
    return new Reply(version, (short) -1, Opcode.EVENT, body.body());
  }

  /// The client's knowledge of the columns of a response.
  ///
  /// @param skip whether it asks for rows alone
  /// @param id of what it knows; null where versions have none
  record Metadata(boolean skip, @Nullable StatementId id) {
    static final Metadata NONE = new Metadata(false, null);
  }

  private static Reply rows(
      Request to, QueryRows.Rows rows, Metadata known, @Nullable ByteBuffer sealed) {
    List<Variable> columns = rows.columns();
    StatementId id = StatementId.of(columns);
    boolean changed = known.id() != null && !id.equals(known.id());
    boolean skip = known.skip() && !changed;
    BodyWriter body = new BodyWriter().integer(ROWS);
    body.integer(
        (sealed == null ? 0 : MORE_PAGES)
            | (skip ? NO_METADATA : BodyWriter.tableFlag(columns))
            | (changed ? METADATA_CHANGED : 0));
    body.integer(columns.size());
    if (sealed != null) {
      body.bytes(sealed);
    }
    if (changed) {
      body.shortBytes(id.bytes());
    }
    if (!skip) {
      body.columns(columns, to.version());
    }
    body.integer(rows.count());
    ByteBuf cells = Unpooled.wrappedBuffer(rows.cells().bytes(), 0, rows.cells().length());
    return reply(to, Opcode.RESULT, Unpooled.wrappedBuffer(body.body(), cells));
  }

  static Reply prepared(Request to, StatementId id, Prepared prepared) {
    List<Variable> variables = prepared.variables();
    BodyWriter body = new BodyWriter().integer(PREPARED).shortBytes(id.bytes());
    if (to.version() == FrameReader.VERSION_MAX) {
      body.shortBytes(StatementId.of(prepared.columns()).bytes());
    }
    body.integer(BodyWriter.tableFlag(variables)).integer(variables.size());
    if (to.version() > FrameReader.VERSION_MIN) {
      body.integer(prepared.partitionKey().size());
      prepared.partitionKey().forEach(body::unsignedShort);
    }
    body.columns(variables, to.version());
    List<Variable> columns = prepared.columns();
    body.integer(columns.isEmpty() ? NO_METADATA : BodyWriter.tableFlag(columns));
    body.integer(columns.size()).columns(columns, to.version());
    return reply(to, Opcode.RESULT, body.body());
  }

  /// The password in a response of SASL PLAIN: authorization id, authentication id and password,
  /// with zeros between them.
  ///
  /// @throws CqlException when it is something else
  static String password(ByteBuffer response) {
    String[] parts = StandardCharsets.UTF_8.decode(response).toString().split("\0", -1);
    if (parts.length != 3) {
      throw CqlException.protocol("the response is none of SASL PLAIN");
    }
    return parts[2];
  }
}
