package io.widerow.cli.cql;

import io.widerow.cql.type.CqlType;
import io.widerow.query.QueryException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// A connection of the native protocol, version 4, without compression: one request at a time.
///
/// Source: `native_protocol_v4.spec` of Apache Cassandra.
///
/// - Threads: one. It waits for each result.
/// - Memory: one result.
final class CqlConnection implements AutoCloseable {
  private static final int VERSION = 4;
  private static final int ANSWER = 0x80;
  private static final int CONNECT_MILLIS = 10_000;

  /// The daemon responds to a statement within two minutes, if only with an error.
  private static final int ANSWER_MILLIS = 150_000;

  private static final int BODY_BYTES_MAX = 256 << 20;

  private static final int ERROR = 0x00;
  private static final int STARTUP = 0x01;
  private static final int READY = 0x02;
  private static final int AUTHENTICATE = 0x03;
  private static final int QUERY = 0x07;
  private static final int RESULT = 0x08;
  private static final int AUTH_RESPONSE = 0x0f;
  private static final int AUTH_SUCCESS = 0x10;

  private static final int CONSISTENCY_ONE = 1;
  private static final int PAGE_SIZE = 0x04;
  private static final int PAGING_STATE = 0x08;

  private final String where; // whom it asks, for messages
  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;

  /// A column of a result.
  record Column(String name, CqlType type) {}

  /// A row: a cell for each column, null for none.
  record Row(List<@Nullable ByteBuffer> cells) {}

  /// One page of rows.
  ///
  /// @param next the position of the next page; null when this is the last
  record Page(List<Column> columns, List<Row> rows, @Nullable ByteBuffer next) {}

  /// The result of a statement.
  ///
  /// @param page null when its result has no rows
  record Answer(List<String> warnings, @Nullable Page page) {}

  private record Frame(int opcode, CqlBody body) {}

  private CqlConnection(String where, Socket socket) throws IOException {
    this.where = where;
    this.socket = socket;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
    this.out = new DataOutputStream(socket.getOutputStream());
  }

  /// Connects, and authenticates with a token if the server requires it.
  ///
  /// @param tls null to speak without TLS
  /// @param token null for none
  /// @throws QueryException.Remote when no server responds there, or it refuses
  static CqlConnection open(
      InetSocketAddress address, @Nullable SSLContext tls, @Nullable String token) {
    String where = address.getHostString() + ":" + address.getPort();
    CqlConnection connection = null;
    try {
      connection = new CqlConnection(where, connected(address, tls));
      connection.start(token);
      return connection;
    } catch (IOException failed) {
      if (connection != null) {
        connection.close();
      }
      throw unreachable(where, tls != null, failed);
    } catch (QueryException.Remote refused) {
      if (connection != null) {
        connection.close();
      }
      throw refused;
    }
  }

  private static Socket connected(InetSocketAddress address, @Nullable SSLContext tls)
      throws IOException {
    Socket plain = new Socket();
    try {
      // A name is looked up here, so that a failure has it.
      plain.connect(
          new InetSocketAddress(address.getHostString(), address.getPort()), CONNECT_MILLIS);
      plain.setSoTimeout(ANSWER_MILLIS);
      plain.setTcpNoDelay(true);
      return tls == null
          ? plain
          : tls.getSocketFactory()
              .createSocket(plain, address.getHostString(), address.getPort(), true);
    } catch (IOException failed) {
      plain.close();
      throw failed;
    }
  }

  private static QueryException.Remote unreachable(String where, boolean tls, IOException failed) {
    String why =
        switch (failed) {
          case UnknownHostException _ -> "there is no host of " + where;
          case ConnectException _ ->
              "no daemon answers CQL at %s; start a daemon with widerow serve --cql HOST:PORT, or"
                      .formatted(where)
                  + " name another with --to";
          case SocketTimeoutException _ -> where + " does not answer";
          case SSLException _ -> "no TLS with %s: %s".formatted(where, failed.getMessage());
          case EOFException _ when !tls ->
              where + " ended the connection; if it speaks TLS, name its certificate with --cacert";
          case EOFException _ -> where + " ended the connection";
          default -> "cannot query %s: %s".formatted(where, failed);
        };
    return new QueryException.Remote(why);
  }

  private void start(@Nullable String token) throws IOException {
    var options = new Body();
    options.out.writeShort(1);
    options.string("CQL_VERSION").string("3.0.0");
    Frame answer = exchange(STARTUP, options);
    if (answer.opcode == AUTHENTICATE) {
      if (token == null) {
        throw new QueryException.Remote(
            where + " requires a token: put one with the scope query into WIDEROW_TOKEN");
      }
      var proof = new Body();
      proof.longBytes(("\0widerow\0" + token).getBytes(StandardCharsets.UTF_8));
      require(exchange(AUTH_RESPONSE, proof), AUTH_SUCCESS);
    } else {
      require(answer, READY);
    }
  }

  private void require(Frame answer, int opcode) {
    if (answer.opcode != opcode) {
      throw new QueryException.Remote(
          "%s answered with opcode %d, which is not expected".formatted(where, answer.opcode));
    }
  }

  /// Has a statement executed.
  ///
  /// @param pageSize the most rows of the result
  /// @param after where the last page ended; null for the first
  /// @throws QueryException.Remote with the sentence of the result and its number, when that is an
  ///   error
  Answer ask(String statement, int pageSize, @Nullable ByteBuffer after) {
    try {
      var body = new Body();
      body.longBytes(statement.getBytes(StandardCharsets.UTF_8));
      body.out.writeShort(CONSISTENCY_ONE);
      body.out.writeByte(after == null ? PAGE_SIZE : PAGE_SIZE | PAGING_STATE);
      body.out.writeInt(pageSize);
      if (after != null) {
        byte[] position = new byte[after.remaining()];
        after.duplicate().get(position);
        body.longBytes(position);
      }
      Frame answer = exchange(QUERY, body);
      require(answer, RESULT);
      return new Answer(answer.body.warnings(), answer.body.result());
    } catch (IOException failed) {
      throw unreachable(where, true, failed);
    }
  }

  private Frame exchange(int opcode, Body body) throws IOException {
    byte[] bytes = body.bytes.toByteArray();
    out.write(frame(opcode, bytes));
    out.flush();
    int version = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int _ = in.readShort(); // the stream: there is one request at a time
    int answer = in.readUnsignedByte();
    int length = in.readInt();
    if (version != (ANSWER | VERSION) || length < 0 || length > BODY_BYTES_MAX) {
      throw new QueryException.Remote(
          "%s does not speak CQL: it answered with %02x %02x and %d bytes"
              .formatted(where, version, flags, length));
    }
    byte[] read = new byte[length];
    in.readFully(read);
    CqlBody told = CqlBody.of(ByteBuffer.wrap(read), flags);
    if (answer == ERROR) {
      throw told.error();
    }
    return new Frame(answer, told);
  }

  private static byte[] frame(int opcode, byte[] body) throws IOException {
    var frame = new ByteArrayOutputStream(body.length + 9);
    var out = new DataOutputStream(frame);
    out.writeByte(VERSION);
    out.writeByte(0);
    out.writeShort(0);
    out.writeByte(opcode);
    out.writeInt(body.length);
    out.write(body);
    return frame.toByteArray();
  }

  /// The body of a request.
  private static final class Body {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final DataOutputStream out = new DataOutputStream(bytes);

    Body string(String text) throws IOException {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      out.writeShort(utf8.length);
      out.write(utf8);
      return this;
    }

    Body longBytes(byte[] array) throws IOException {
      out.writeInt(array.length);
      out.write(array);
      return this;
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException closed) {
      // Nothing is lost: every result was read, or its failure reported.
    }
  }
}
