package io.widerow.query.parse;

import io.widerow.event.AttributeName;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A record of PostgreSQL's `csvlog`, of versions 9 to 18: 23 to 26 columns, with the names that
/// the manual gives them; `error_severity` is `severity`, in which the level of an event is looked
/// for.
record CsvLogFormat() implements TextFormat {
  private static final String NUMBERS =
      " process_id session_line_num transaction_id internal_query_pos query_pos leader_pid query_id"
          + " ";
  private static final AttributeName[] COLUMNS =
      names(
          "log_time user_name database_name process_id connection_from session_id session_line_num"
              + " command_tag session_start_time virtual_transaction_id transaction_id severity"
              + " sql_state_code message detail hint internal_query internal_query_pos context"
              + " query query_pos location application_name backend_type leader_pid query_id");
  private static final int COLUMNS_MIN = 23;
  private static final boolean[] IS_NUMBER = numbers();

  private static AttributeName[] names(String list) {
    return Arrays.stream(list.split(" ", -1)).map(AttributeName::of).toArray(AttributeName[]::new);
  }

  private static boolean[] numbers() {
    boolean[] numbers = new boolean[COLUMNS.length];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = NUMBERS.contains(" " + COLUMNS[i] + " ");
    }
    return numbers;
  }

  @Override
  public boolean parse(ParsedText text) {
    if (!text.areDigits(0, 4) || !text.isAt("-", 4)) {
      return false;
    }
    int column = 0;
    text.at = 0;
    while (true) {
      @Nullable AttributeName name = column < COLUMNS.length ? COLUMNS[column] : null;
      if (!value(text, name, name != null && IS_NUMBER[column])) {
        return false;
      }
      column++;
      if (!text.take(',')) {
        return text.at == text.length() && column >= COLUMNS_MIN;
      }
    }
  }

  /// Reads a value up to the comma after it. False when its quote is not closed.
  private static boolean value(ParsedText text, @Nullable AttributeName name, boolean isNumber) {
    int from = text.at;
    if (!text.take('"')) {
      int comma = text.indexOf(',', from);
      int until = comma < 0 ? text.length() : comma;
      put(text, name, isNumber, from, until);
      text.at = until;
      return true;
    }
    from++;
    int until = text.indexOf('"', from);
    boolean doubled = false;
    while (until >= 0 && text.isAt("\"", until + 1)) {
      doubled = true;
      until = text.indexOf('"', until + 2);
    }
    if (until < 0) {
      return false;
    }
    text.at = until + 1;
    if (!doubled) {
      put(text, name, isNumber, from, until);
      return true;
    }
    int made = text.made();
    for (int i = from; i < until; i++) {
      byte here = text.bytes()[i];
      text.make(here);
      i += here == '"' ? 1 : 0;
    }
    put(text, name, isNumber, made, text.made());
    return true;
  }

  private static void put(
      ParsedText text, @Nullable AttributeName name, boolean isNumber, int from, int until) {
    if (name != null && until > from && isNumber) {
      text.put(name, from, until);
    } else if (name != null && until > from) {
      text.putText(name, from, until);
    }
  }

  @Override
  public boolean isVerbatim() {
    return false;
  }

  @Override
  public String toString() {
    return "postgres csv";
  }
}
