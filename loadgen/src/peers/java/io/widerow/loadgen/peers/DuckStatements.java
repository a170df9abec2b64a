package io.widerow.loadgen.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/// Runs the statements of a file in a DuckDB that lives in memory, one after the other.
public final class DuckStatements {
  private DuckStatements() {}

  public static void main(String[] arguments) throws IOException, SQLException {
    String statements = Files.readString(Path.of(arguments[0]));
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement()) {
      for (String sql : statements.split(";\n", -1)) {
        if (!sql.isBlank()) {
          statement.execute(sql);
        }
      }
    }
  }
}
