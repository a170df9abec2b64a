package io.widerow.loadgen.peers;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/// Answers `GET /query?sql=...` from a database of DuckDB, as CSV with titles. DuckDB runs in this
/// process; the rows are read by its JDBC driver.
///
/// - Threads: one, besides those of DuckDB.
public final class DuckServer {
  private static final String PARAMETER = "sql=";
  private static final int BUFFER_CHARS = 1 << 16;

  private final Connection duck;

  private DuckServer(Connection duck) {
    this.duck = duck;
  }

  /// @param arguments the file of the database, and a port
  public static void main(String[] arguments) throws IOException, SQLException {
    Properties properties = new Properties();
    properties.setProperty("duckdb.read_only", "true");
    DuckServer answers =
        new DuckServer(DriverManager.getConnection("jdbc:duckdb:" + arguments[0], properties));
    int port = Integer.parseInt(arguments[1]);
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    HttpServer server = HttpServer.create(address, 0);
    server.createContext("/query", answers::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String query = exchange.getRequestURI().getRawQuery();
    String sql = URLDecoder.decode(query.substring(PARAMETER.length()), StandardCharsets.UTF_8);
    try (exchange;
        Statement statement = duck.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      exchange.sendResponseHeaders(200, 0);
      try (BufferedWriter out =
          new BufferedWriter(
              new OutputStreamWriter(exchange.getResponseBody(), StandardCharsets.UTF_8),
              BUFFER_CHARS)) {
        write(rows, out);
      }
    } catch (SQLException refused) {
      byte[] message = String.valueOf(refused.getMessage()).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(400, message.length);
      exchange.getResponseBody().write(message);
      exchange.close();
    }
  }

  private static void write(ResultSet rows, BufferedWriter out) throws IOException, SQLException {
    ResultSetMetaData columns = rows.getMetaData();
    int count = columns.getColumnCount();
    for (int column = 1; column <= count; column++) {
      out.append(column == 1 ? "" : ",").append(columns.getColumnLabel(column));
    }
    out.append('\n');
    while (rows.next()) {
      for (int column = 1; column <= count; column++) {
        String cell = rows.getString(column);
        out.append(column == 1 ? "" : ",");
        if (cell != null) {
          out.append('"').append(cell.replace("\"", "\"\"")).append('"');
        }
      }
      out.append('\n');
    }
  }
}
