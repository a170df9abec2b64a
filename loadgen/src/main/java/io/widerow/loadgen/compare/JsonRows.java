package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.run.WrongAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the rows of a response in JSON as it arrives, and hands them to a check.
///
/// ```
/// Widerow   {"id":"..","ts":"..","type":"..","body":".."}\n ... {"token":".."}\n
/// QuestDB   {"query":"..","columns":[{"name":"timestamp",..},..],..,"dataset":[["..",".."],..],..}
/// ```
///
/// - Threads: one.
/// - Memory: one row.
final class JsonRows {
  /// Where pieces for [#arrays] end.
  static final char ARRAY_END = ']';

  private static final String DATASET = "\"dataset\":[";
  private static final Pattern COLUMN = Pattern.compile("\\{\"name\":\"([^\"]*)\"");

  private final AnswerCheck check;
  private final StringBuilder text = new StringBuilder(); // since the last whole row
  private List<String> titles = List.of();
  private boolean begun; // the rows
  private boolean ended;

  JsonRows(AnswerCheck check) {
    this.check = check;
  }

  /// The next line of Widerow.
  void object(String line) throws WrongAnswer, IOException {
    Map<String, String> members = FlatJson.parse(line);
    if (ended || members.containsKey("error")) {
      throw check.wrong((ended ? "goes on after its token: " : "ends with ") + line);
    }
    if (members.containsKey("token")) {
      ended = true;
      return;
    }
    if (check.isAboutFields()) {
      check.object(members);
      return;
    }
    if (titles.isEmpty()) {
      titles = List.copyOf(members.keySet());
      check.titles(titles);
    }
    check.row(titles.stream().map(title -> members.getOrDefault(title, "")).toList());
  }

  /// The next piece of QuestDB, up to an [#ARRAY_END], which may be one in a text.
  void arrays(String piece) throws WrongAnswer, IOException {
    if (ended) {
      return;
    }
    text.append(piece).append(ARRAY_END);
    if (!begun) {
      begin();
    }
    if (begun && !isInText()) {
      int from = text.charAt(0) == ',' ? 1 : 0;
      ended = text.charAt(from) == ARRAY_END; // that of the dataset
      if (!ended) {
        check.row(FlatJson.array(text.substring(from)));
      }
      text.setLength(0);
    }
  }

  private void begin() throws WrongAnswer {
    int rows = text.indexOf(DATASET);
    if (rows < 0) {
      return;
    }
    List<String> names = new ArrayList<>();
    for (Matcher column = COLUMN.matcher(text.substring(0, rows)); column.find(); ) {
      names.add(column.group(1));
    }
    check.titles(names);
    text.delete(0, rows + DATASET.length());
    begun = true;
  }

  /// Whether the text so far ends within a string.
  private boolean isInText() {
    boolean inside = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && inside) {
        i++;
      } else if (c == '"') {
        inside = !inside;
      }
    }
    return inside;
  }
}
