package io.widerow.cql.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.define.SchemaChange;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.plan.Prepared;
import io.widerow.cql.plan.QueryRows;
import io.widerow.cql.protocol.BodyReader;
import io.widerow.cql.protocol.FrameReader;
import io.widerow.cql.protocol.FrameWriter;
import io.widerow.cql.protocol.Opcode;
import io.widerow.cql.protocol.Reply;
import io.widerow.cql.protocol.Request;
import io.widerow.cql.schema.Trace;
import io.widerow.ingest.config.TokenFile;
import io.widerow.ingest.config.Tokens;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One connection of a driver: what it may ask now, and its requests that are not answered yet.
///
/// ```
///   NEW --STARTUP--> AUTHENTICATING --token--> READY --> QUERY, PREPARE, EXECUTE, ...
///     \--STARTUP, without tokens---------------^
/// ```
///
/// Responses may overtake each other. With [#REQUESTS_MAX] requests in progress the connection is
/// not read until the responses of half of them are sent.
///
/// - Threads: the event loop; executions run on other threads and return to it.
final class Connection extends SimpleChannelInboundHandler<Request> {
  private static final int REQUESTS_MAX = 256;
  private static final int BATCH_MAX = 16_384;
  private static final Set<String> EVENTS =
      Set.of("TOPOLOGY_CHANGE", "STATUS_CHANGE", "SCHEMA_CHANGE");

  private final CqlPort port;
  private final CqlService service;
  private final FrameReader reader;
  private final FrameWriter writer;
  private final Set<ExecutionHandle> running = new HashSet<>();
  private volatile State state = State.NEW;
  private volatile int version = FrameReader.VERSION_MAX; // of the first request, then of all
  private volatile @Nullable String keyspace; // written by the event loop, as the next ones
  private volatile Map<String, String> startup = Map.of(); // the options of STARTUP
  private final AtomicLong requests = new AtomicLong();
  private volatile Tokens.@Nullable Token token;
  private @Nullable Tokens seen; // of which the token is one
  private boolean registered; // for changes of the schema
  private int underWay;
  private boolean ended;

  /// The permissions of a connection.
  private enum State {
    NEW,
    AUTHENTICATING,
    READY
  }

  Connection(CqlPort port, CqlService service, FrameReader reader, FrameWriter writer) {
    this.port = port;
    this.service = service;
    this.reader = reader;
    this.writer = writer;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, Request request) {
    if (ended) {
      request.body().release();
      port.release(request.credit());
      return;
    }
    service.counted();
    long _ = requests.incrementAndGet();
    underWay++;
    if (underWay >= REQUESTS_MAX) {
      context.channel().config().setAutoRead(false);
    }
    try {
      answer(context, request);
    } catch (RuntimeException failure) {
      send(context, request, CqlResponses.error(request, CqlService.told(failure)), null);
    } finally {
      request.body().release();
    }
  }

  private void answer(ChannelHandlerContext context, Request request) {
    CqlException refused = request.refused();
    if (refused != null) {
      throw refused;
    }
    Opcode opcode = request.opcode();
    if (opcode == null) {
      throw CqlException.protocol("Unknown opcode");
    }
    if (state != State.NEW && request.version() != version) {
      throw CqlException.protocol(
          ("Invalid message version. Got %d/v%d but previous messages on this connection had"
                  + " version %d/v%d")
              .formatted(request.version(), request.version(), version, version));
    }
    BodyReader body = new BodyReader(request.body());
    if (opcode == Opcode.OPTIONS) {
      send(context, request, CqlResponses.supported(request), null);
      return;
    }
    switch (state) {
      case NEW -> {
        require(opcode, Opcode.STARTUP, "STARTUP or OPTIONS");
        begin(context, request, body.stringMap());
      }
      case AUTHENTICATING -> {
        require(opcode, Opcode.AUTH_RESPONSE, "AUTH_RESPONSE");
        authenticate(context, request, body.bytes());
      }
      case READY -> ask(context, request, opcode, body);
    }
  }

  private static void require(Opcode got, Opcode wanted, String expected) {
    if (got != wanted) {
      throw CqlException.protocol("Unexpected message %s, expecting %s".formatted(got, expected));
    }
  }

  private void begin(ChannelHandlerContext context, Request request, Map<String, String> options) {
    if (!options.containsKey("CQL_VERSION")) {
      throw CqlException.protocol("Missing value CQL_VERSION in STARTUP message");
    }
    String compression = options.getOrDefault("COMPRESSION", "");
    boolean lz4 = compression.equalsIgnoreCase("lz4");
    if (!lz4 && !compression.isEmpty()) {
      throw CqlException.protocol("Unknown compression algorithm: %s".formatted(compression));
    }
    version = request.version();
    startup = Map.copyOf(options);
    boolean open = service.tokens() == null;
    state = open ? State.READY : State.AUTHENTICATING;
    Reply reply =
        open ? CqlResponses.empty(request, Opcode.READY) : CqlResponses.authenticate(request);
    send(context, request, reply, null);
    if (version == FrameReader.VERSION_MAX) {
      reader.beginSegments(lz4);
      writer.beginSegments(lz4);
    } else if (lz4) {
      reader.beginCompression();
      writer.beginCompression();
    }
    if (open) {
      known(context);
    }
  }

  /// This connection as a row of `system_views.clients`.
  Map<String, Object> client(Channel channel) {
    InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    Map<String, String> options = startup;
    Map<String, Object> row = new HashMap<>();
    row.put("address", remote.getAddress());
    row.put("port", remote.getPort());
    row.put("client_options", options);
    row.put("connection_stage", state.name().toLowerCase(Locale.ROOT));
    row.put("driver_name", options.getOrDefault("DRIVER_NAME", "undefined"));
    row.put("driver_version", options.getOrDefault("DRIVER_VERSION", "undefined"));
    row.put("hostname", remote.getAddress().getHostAddress());
    row.put("protocol_version", version);
    row.put("request_count", requests.get());
    row.put("ssl_enabled", tls != null);
    if (tls != null) {
      row.put("ssl_cipher_suite", tls.engine().getSession().getCipherSuite());
      row.put("ssl_protocol", tls.engine().getSession().getProtocol());
    }
    Tokens.Token own = token;
    row.put("username", own == null ? "anonymous" : own.name());
    String in = keyspace;
    if (in != null) {
      row.put("keyspace_name", in);
    }
    return row;
  }

  /// The client is known: it may send long requests, and take its time between them.
  private void known(ChannelHandlerContext context) {
    reader.allow(port.bodyBytesMax());
    port.known(context.channel());
  }

  private void authenticate(
      ChannelHandlerContext context, Request request, @Nullable ByteBuffer response) {
    TokenFile file = service.tokens();
    Tokens tokens = file == null ? null : file.tokens();
    String password = response == null ? "" : CqlResponses.password(response);
    Tokens.Token found = tokens == null ? null : tokens.find(password);
    if (found == null) {
      throw new CqlException(
          Code.BAD_CREDENTIALS, "Provided username and/or password are incorrect");
    }
    token = found;
    seen = tokens;
    state = State.READY;
    send(context, request, CqlResponses.authenticated(request), null);
    known(context);
  }

  private void ask(ChannelHandlerContext context, Request request, Opcode opcode, BodyReader body) {
    requireToken();
    switch (opcode) {
      case REGISTER -> {
        int count = body.unsignedShort();
        for (int i = 0; i < count; i++) {
          String event = body.string();
          if (!EVENTS.contains(event)) {
            throw CqlException.protocol("Invalid value '%s' for Type".formatted(event));
          }
          registered |= event.equals("SCHEMA_CHANGE"); // the others never happen
        }
        send(context, request, CqlResponses.empty(request, Opcode.READY), null);
      }
      case QUERY -> {
        String statement = body.longString();
        QueryOptions options = QueryOptions.read(body, version);
        String in = options.keyspace() == null ? keyspace : options.keyspace();
        execute(
            context,
            request,
            new Asked(
                StatementId.of(statement, in),
                options,
                CqlResponses.Metadata.NONE,
                trace(context, request, "Execute CQL3 query", statement)),
            () -> service.prepare(statement, in));
      }
      case PREPARE -> prepare(context, request, body);
      case EXECUTE -> execute(context, request, body);
      case BATCH -> batch(context, request, body);
      default ->
          throw CqlException.protocol(
              "Unexpected message %s on a connection that is ready".formatted(opcode));
    }
  }

  /// A token that was taken out of its file ends its connections.
  private void requireToken() {
    TokenFile file = service.tokens();
    if (file == null) {
      return;
    }
    Tokens now = file.tokens();
    Tokens.Token own = token;
    if (own == null || (now != seen && !now.contains(own))) {
      throw new CqlException(Code.BAD_CREDENTIALS, "the token is not valid any more");
    }
    seen = now;
  }

  /// @throws CqlException when the token does not allow what a statement does
  private static Prepared allowed(Prepared prepared, Tokens.@Nullable Token token) {
    Set<Tokens.Scope> needed =
        switch (prepared.need()) {
          case NOTHING -> Set.of();
          case READ -> Set.of(Tokens.Scope.QUERY);
          case WRITE -> Set.of(Tokens.Scope.INGEST);
          case READ_AND_WRITE -> Set.of(Tokens.Scope.QUERY, Tokens.Scope.INGEST);
          case SCHEMA -> Set.of(Tokens.Scope.ADMIN);
        };
    for (Tokens.Scope scope : needed) {
      if (token != null && !token.scopes().contains(scope)) {
        throw new CqlException(
            Code.UNAUTHORIZED,
            "the token has no scope %s".formatted(scope.name().toLowerCase(Locale.ROOT)));
      }
    }
    return prepared;
  }

  /// Notifies the client of a change of the schema, if it registered.
  void tell(ChannelHandlerContext context, SchemaChange change) {
    if (registered && !ended) {
      var _ = context.writeAndFlush(CqlResponses.event(version, change));
    }
  }

  private void prepare(ChannelHandlerContext context, Request request, BodyReader body) {
    String statement = body.longString();
    boolean named = version == FrameReader.VERSION_MAX && (body.integer() & 1) != 0;
    String in = named ? body.string() : keyspace;
    StatementId id = StatementId.of(statement, in);
    Tokens.Token own = token;
    start(
        context,
        request,
        new ExecutionHandle(),
        trace(context, request, "Preparing CQL3 query", statement),
        () -> {
          long schema = service.statements().schema();
          Prepared prepared = allowed(service.prepare(statement, in), own);
          service.statements().put(id, prepared, statement, schema);
          return CqlResponses.prepared(request, id, prepared);
        });
  }

  private void execute(ChannelHandlerContext context, Request request, BodyReader body) {
    StatementId id = StatementId.of(body.shortBytes());
    StatementId known =
        version == FrameReader.VERSION_MAX ? StatementId.of(body.shortBytes()) : null;
    QueryOptions options = QueryOptions.read(body, version);
    PreparedStatements.Entry prepared = service.statements().find(id);
    if (prepared == null) {
      send(context, request, CqlResponses.unprepared(request, id), null);
      return;
    }
    CqlResponses.Metadata metadata = new CqlResponses.Metadata(options.skipMetadata(), known);
    Trace trace = trace(context, request, "Execute CQL3 prepared query", prepared.text());
    execute(context, request, new Asked(id, options, metadata, trace), prepared::prepared);
  }

  /// A statement of a batch: its text, or its id.
  private record Part(@Nullable String text, @Nullable StatementId id) {}

  private void batch(ChannelHandlerContext context, Request request, BodyReader body) {
    int type = body.unsignedByte();
    Statement.Batch.Kind kind =
        switch (type) {
          case 0 -> Statement.Batch.Kind.LOGGED;
          case 1 -> Statement.Batch.Kind.UNLOGGED;
          case 2 -> Statement.Batch.Kind.COUNTER;
          default -> throw CqlException.protocol("Invalid batch type %d".formatted(type));
        };
    int count = body.unsignedShort();
    if (count > BATCH_MAX) {
      throw CqlException.invalid(
          "a batch has at most %d statements, got %d; send several batches"
              .formatted(BATCH_MAX, count));
    }
    List<Part> parts = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    List<@Nullable ByteBuffer> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean prepared = body.unsignedByte() != 0;
      parts.add(
          prepared
              ? new Part(null, StatementId.of(body.shortBytes()))
              : new Part(body.longString(), null));
      int size = body.unsignedShort();
      sizes.add(size);
      for (int j = 0; j < size; j++) {
        values.add(body.value(version));
      }
    }
    QueryOptions options = QueryOptions.readBatch(body, version, values);
    String in = options.keyspace() == null ? keyspace : options.keyspace();
    List<Prepared> known = new ArrayList<>();
    for (Part part : parts) {
      PreparedStatements.Entry prepared =
          part.id == null ? null : service.statements().find(part.id);
      if (part.id != null && prepared == null) {
        send(context, request, CqlResponses.unprepared(request, part.id), null);
        return;
      }
      if (prepared != null) {
        known.add(prepared.prepared());
      }
    }
    Trace trace = trace(context, request, "Execute batch of CQL3 queries", "");
    Asked asked = new Asked(id(kind, parts, in), options, CqlResponses.Metadata.NONE, trace);
    execute(context, request, asked, () -> prepared(kind, parts, sizes, known, in));
  }

  private static StatementId id(Statement.Batch.Kind kind, List<Part> parts, @Nullable String in) {
    List<StatementId> ids =
        parts.stream()
            .map(part -> part.id == null ? StatementId.of(String.valueOf(part.text), in) : part.id)
            .toList();
    return StatementId.ofBatch(kind.name(), ids);
  }

  private Prepared prepared(
      Statement.Batch.Kind kind,
      List<Part> parts,
      List<Integer> sizes,
      List<Prepared> known,
      @Nullable String in) {
    Iterator<Prepared> next = known.iterator();
    List<Prepared> statements = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      String text = parts.get(i).text;
      Prepared statement = text == null ? next.next() : service.prepare(text, in);
      if (statement.variables().size() != sizes.get(i)) {
        throw CqlException.invalid(
            "There were %d markers(?) in CQL but %d bound variables"
                .formatted(statement.variables().size(), sizes.get(i)));
      }
      statements.add(statement);
    }
    return service.batch(kind, statements);
  }

  /// A statement with all that came with it.
  private record Asked(
      StatementId id, QueryOptions options, CqlResponses.Metadata known, @Nullable Trace trace) {}

  /// A trace when the client asks for one.
  ///
  /// @param kind as Cassandra names it
  /// @param statement empty for a batch
  private static @Nullable Trace trace(
      ChannelHandlerContext context, Request request, String kind, String statement) {
    if (!request.traced()) {
      return null;
    }
    InetSocketAddress local = (InetSocketAddress) context.channel().localAddress();
    InetSocketAddress remote = (InetSocketAddress) context.channel().remoteAddress();
    Map<String, String> parameters =
        statement.isEmpty() ? Map.of() : Map.of("query", Trace.cut(statement));
    return new Trace(new Trace.Source(local, remote.getAddress(), kind, parameters));
  }

  /// @param statement gives it on the thread that executes it
  private void execute(
      ChannelHandlerContext context, Request request, Asked asked, Supplier<Prepared> statement) {
    Tokens.Token own = token;
    InetSocketAddress remote = (InetSocketAddress) context.channel().remoteAddress();
    CqlService.Client client =
        new CqlService.Client(
            (InetSocketAddress) context.channel().localAddress(),
            remote.getAddress().getHostAddress(),
            own == null ? "" : own.name(),
            request.key());
    ExecutionHandle execution = new ExecutionHandle();
    start(
        context,
        request,
        execution,
        asked.trace,
        () -> {
          Prepared prepared = allowed(statement.get(), own);
          asked.options.consistency().require(prepared.need());
          Trace.add(asked.trace, () -> "The statement is parsed and planned");
          CqlService.Page page =
              service.execute(asked.id, prepared, asked.options, client, execution, asked.trace);
          if (page.answer() instanceof QueryRows.KeyspaceInUse(String name)) {
            context.executor().execute(() -> keyspace = name); // before the response is sent
          }
          Reply reply = CqlResponses.result(request, page.answer(), asked.known, page.sealed());
          Reply marked = page.repeats() ? CqlResponses.repeat(reply) : reply;
          return CqlResponses.warned(marked, prepared.warnings());
        });
  }

  /// Answers a request on a thread of its own.
  ///
  /// @param trace is kept before the response is sent, so that the client finds it
  private void start(
      ChannelHandlerContext context,
      Request request,
      ExecutionHandle execution,
      @Nullable Trace trace,
      Supplier<Reply> answer) {
    if (port.isStopping()) {
      throw new CqlException(Code.OVERLOADED, "the server stops");
    }
    running.add(execution);
    service.start(() -> {
      Reply reply;
      try {
        reply = answer.get();
      } catch (Throwable failure) { // else the client would wait indefinitely
        CqlException why = CqlService.told(failure);
        Trace.add(trace, () -> "The statement fails: " + why.sentence());
        reply = CqlResponses.error(request, why);
      }
      if (trace != null) {
        service.traces().add(trace);
        reply = CqlResponses.traced(reply, trace.id());
      }
      Reply made = reply;
      context.executor().execute(() -> send(context, request, made, execution));
    });
  }

  /// Sends a response, and gives back what its request held when it is in the socket.
  private void send(
      ChannelHandlerContext context,
      Request request,
      Reply reply,
      @Nullable ExecutionHandle execution) {
    var _ =
        context
            .writeAndFlush(reply)
            .addListener(_ -> {
              if (execution != null) {
                running.remove(execution);
                service.release(execution);
              }
              port.release(request.credit());
              underWay--;
              if (underWay <= REQUESTS_MAX / 2 && !ended) {
                context.channel().config().setAutoRead(true);
              }
            });
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    ended = true;
    running.forEach(ExecutionHandle::cancel);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    int room = context.channel().config().getWriteBufferHighWaterMark();
    if (event instanceof IdleStateEvent && context.channel().bytesBeforeUnwritable() < room) {
      port.stalled();
      var _ = context.close();
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  /// An invalid frame ends the connection, after a response with the reason.
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    Throwable cause = failure instanceof DecoderException ? failure.getCause() : failure;
    if (ended) {
      return;
    }
    ended = true;
    context.channel().config().setAutoRead(false);
    if (cause instanceof CqlException broken) {
      var _ =
          context
              .writeAndFlush(CqlResponses.error(version, (short) 0, broken))
              .addListener(ChannelFutureListener.CLOSE);
    } else {
      var _ = context.close();
    }
  }
}
