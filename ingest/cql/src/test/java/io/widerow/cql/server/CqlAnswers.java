package io.widerow.cql.server;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.AlreadyExistsException;
import com.datastax.oss.driver.api.core.servererrors.FunctionFailureException;
import com.datastax.oss.driver.api.core.servererrors.InvalidConfigurationInQueryException;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.ServerError;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/// For tests: what a server answers, as text.
final class CqlAnswers {
  private CqlAnswers() {}

  /// A statement and the size of the pages of its answer; 0 for none.
  record Step(String statement, int page) {}

  /// What a server has answered.
  ///
  /// @param answer names and types of the columns, and all rows; or the code of an error
  /// @param told its sentence, when it has refused
  record Given(String answer, String told) {}

  /// The lines of a recording, each of several parts.
  static List<String[]> recorded(String file) throws IOException {
    InputStream packed = CqlAnswers.class.getResourceAsStream("/cql/" + file + ".txt.gz");
    try (InputStream text = new GZIPInputStream(Objects.requireNonNull(packed))) {
      String lines = new String(text.readAllBytes(), StandardCharsets.UTF_8);
      return lines.lines().map(line -> line.split("\t", -1)).toList();
    }
  }

  static Given of(CqlSession session, Step step) {
    try {
      SimpleStatement statement =
          SimpleStatement.newInstance(step.statement())
              .setExecutionProfile(
                  session
                      .getContext()
                      .getConfig()
                      .getDefaultProfile()
                      .withInt(DefaultDriverOption.REQUEST_PAGE_SIZE, step.page()));
      ResultSet rows = session.execute(statement);
      return new Given(shown(rows), "");
    } catch (DriverException refused) {
      return new Given("error " + code(refused), String.valueOf(refused.getMessage()));
    }
  }

  /// The names and types of the values that a statement takes, or why it is refused.
  static Given variables(CqlSession session, String statement) {
    try {
      StringBuilder text = new StringBuilder();
      for (ColumnDefinition variable : session.prepare(statement).getVariableDefinitions()) {
        text.append(variable.getName()).append(' ');
        text.append(variable.getType().asCql(true, true)).append("; ");
      }
      return new Given(text.toString(), "");
    } catch (DriverException refused) {
      return new Given("error " + code(refused), String.valueOf(refused.getMessage()));
    }
  }

  private static String code(DriverException refused) {
    return switch (refused) {
      case SyntaxError _ -> "2000";
      case AlreadyExistsException _ -> "2400";
      case InvalidConfigurationInQueryException _ -> "2300";
      case InvalidQueryException _ -> "2200";
      case FunctionFailureException _ -> "1400";
      case ServerError _ -> "0000";
      case AllNodesFailedException failed -> failed.getAllErrors().toString();
      default -> refused.toString();
    };
  }

  private static String shown(ResultSet rows) {
    StringBuilder text = new StringBuilder();
    ColumnDefinitions columns = rows.getColumnDefinitions();
    for (ColumnDefinition column : columns) {
      text.append(column.getName()).append(' ').append(column.getType().asCql(true, true));
      text.append("; ");
    }
    for (Row row : rows) {
      text.append(" | ");
      for (int i = 0; i < columns.size(); i++) {
        text.append(i == 0 ? "" : ", ");
        CodecRegistry codecs = row.codecRegistry();
        text.append(codecs.codecFor(columns.get(i).getType()).format(row.getObject(i)));
      }
    }
    return text.toString().replace("\n", "\\n").replace("\t", "\\t");
  }
}
