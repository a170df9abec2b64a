package io.widerow.query.logql.line;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.HeldMemory;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.line.Line.Category;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what a stage makes of a line was reserved before, and the next line gives it back. Method:
/// each kind of stage on long lines, with the texts that it makes; the same with too little memory.
class PipelineMemoryTest {
  private static final int CHARS = 1 << 20;

  private static final Map<String, String> LINES =
      Map.of(
          "object",
              "{\"a\":\"" + "x".repeat(CHARS) + "\",\"b\":{\"c\":\"" + "\\n".repeat(CHARS) + "\"}}",
          "members", "{" + "\"k\":1,".repeat(1) + members(CHARS / 16) + "\"z\":1}",
          "array", "[" + "1,".repeat(CHARS) + "1]",
          "packed", "{\"a\":\"b\",\"_entry\":\"" + "y".repeat(CHARS) + "\"}",
          "pairs", "a=" + "x".repeat(CHARS) + " b=\"" + "\\\\".repeat(CHARS) + "\"",
          "colors", "\u001b[31m" + "r".repeat(CHARS) + "\u001b[0m");

  private static String members(int count) {
    StringBuilder members = new StringBuilder();
    for (int i = 0; i < count; i++) {
      members.append("\"m").append(i).append("\":\"v\",");
    }
    return members.toString();
  }

  private static List<Stage> stages(String stages) {
    return ((LogQuery) LogqlParser.parse("{} " + stages)).stages();
  }

  private static Line line(LineMemory memory, String text) {
    Line line = new Line(memory);
    line.begin(
        0,
        new Line.EventText() {
          @Override
          public String text() {
            return text;
          }

          @Override
          public int bytes() {
            return text.length();
          }

          @Override
          public boolean isBody() {
            return true;
          }
        });
    return line;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "| json",
        "| json x=\"b.c\", y=\"a\"",
        "| json x=\"b\"",
        "| logfmt",
        "| unpack",
        "| decolorize",
        "| regexp `(?P<x>.*)`",
        "| pattern `<x>`",
        "| line_format `{{__line__}}{{__line__}}`",
        "| label_format x=`{{__line__}}{{__line__}}`",
        "| label_format y=x | keep y",
        "| json | line_format `{{.a}}{{.z}}`",
        "| json | drop a | label_format q=`{{.b_c}}`"
      })
  void everyStageReservesWhatItMakes(String stages) {
    LINES.forEach((name, text) -> {
      QueryMemory all = new QueryMemory(1L << 40);
      try (HeldMemory held = new HeldMemory(all)) {
        LineMemory memory = new LineMemory(Long.MAX_VALUE, held, () -> {});
        Line line = line(memory, text);
        for (Stage stage : stages(stages)) {
          boolean _ = Pipeline.run(stage, line);
        }
        long made = line.text().equals(text) ? 0 : line.text().length();
        for (Map.Entry<String, String> label : line.labels(Category.PARSED).entrySet()) {
          made += label.getKey().length() + label.getValue().length();
        }
        long reserved = held.bytes();
        long least = made;
        assertTrue(
            reserved >= least,
            () -> name + ": made " + least + " characters, reserved " + reserved);
        Line _ = line(memory, "next");
        assertTrue(held.bytes() <= 128 << 10, () -> name + ": the next line gives it back");
      }
      assertEquals(0, all.bytesUsed());
    });
  }

  @Test
  void growthIsRefusedBeforeItIsMade() {
    String twice = " | line_format `{{__line__}}{{__line__}}`";
    String ofLabel = " | label_format a=`{{.a}}{{.a}}`";
    for (String growth :
        List.of(
            twice.repeat(60),
            " | label_format a=`{{__line__}}`" + ofLabel.repeat(60),
            " | line_format `" + "{{__line__}}".repeat(5_000) + "`" + twice.repeat(60))) {
      QueryMemory all = new QueryMemory(16 << 20);
      try (HeldMemory held = new HeldMemory(all)) {
        Line line = line(new LineMemory(Long.MAX_VALUE, held, () -> {}), "x".repeat(200));
        List<Stage> stages = stages(growth);
        QueryException.OverBudget refused =
            assertThrows(
                QueryException.OverBudget.class,
                () -> stages.forEach(stage -> Pipeline.run(stage, line)));
        assertTrue(String.valueOf(refused.getMessage()).contains("bytes of memory"));
        assertTrue(line.text().length() < 16 << 20);
      }
      assertEquals(0, all.bytesUsed());
    }
  }

  @Test
  void aLongTextIsReadOnlyWhileItsQueryGoesOn() {
    int[] looks = {0};
    LineMemory memory =
        new LineMemory(
            Long.MAX_VALUE,
            _ -> {},
            () -> {
              if (++looks[0] == 3) {
                throw new QueryException.Stopped("over");
              }
            });
    Line line = line(memory, "x".repeat(CHARS));
    for (String stage : List.of("|~ `(x+)+y`", "| regexp `(?P<a>(x+)+y)`", "| decolorize")) {
      looks[0] = 0;
      List<Stage> stages = stages(stage);
      assertThrows(
          QueryException.Stopped.class,
          () -> stages.forEach(each -> Pipeline.run(each, line)),
          stage);
    }
  }
}
