package io.widerow.ingest.serve.prometheus;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.widerow.event.Utf8;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.decode.ProtobufReader.Bad;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.RegexBudget;
import io.widerow.query.logql.Matcher;
import io.widerow.query.series.SeriesScan.Range;
import io.widerow.query.series.SeriesSelector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A request of remote read.
///
/// ```
///   ReadRequest  1 query { 1 start (ms), 2 end (ms)
///                          3 matcher { 1 type: 0 =, 1 !=, 2 =~, 3 !~;  2 name, 3 value }
///                          4 hints { 2 func, 3 start (ms), 4 end (ms), others } }
///                2 accepted type of answer: 0 samples, 1 streamed chunks
/// ```
///
/// Source: prometheus/prometheus `prompb/remote.proto`, `prompb/types.proto`.
///
/// @param chunked whether chunks are wanted, not samples
/// @param takesSamples whether samples are taken too
record ReadRequest(List<Query> queries, boolean chunked, boolean takesSamples) {
  static final int QUERIES_MAX = 100;
  static final int MATCHERS_MAX = 1_000; // of all queries
  private static final String LABELS_ONLY = "series"; // in place of a function
  private static final int SAMPLES = 0;
  private static final int STREAMED_XOR_CHUNKS = 1;
  private static final Matcher.Kind[] KINDS = {
    Matcher.Kind.EQUAL, Matcher.Kind.NOT_EQUAL, Matcher.Kind.MATCHES, Matcher.Kind.NOT_MATCHES
  };

  ReadRequest {
    queries = List.copyOf(queries);
  }

  /// One query.
  ///
  /// @param range narrowed to the reader's hints
  /// @param samples false when it looks at labels only
  record Query(Range range, SeriesSelector selector, boolean samples) {}

  /// Decodes the message in `[0, limit)`.
  ///
  /// @throws RequestRefused when it is no such message, or asks for what there is not
  static ReadRequest decode(byte[] body, int limit) throws RequestRefused {
    try {
      return new Decoder().decode(body, limit);
    } catch (Bad bad) {
      throw refused("the body is no prometheus.ReadRequest: " + bad.reason());
    }
  }

  private static RequestRefused refused(String why) {
    return RequestRefused.bad(why);
  }

  private static final class Decoder {
    private final ProtobufReader reader = new ProtobufReader();
    private final List<Query> queries = new ArrayList<>();
    private final List<Long> accepted = new ArrayList<>();
    private int matchers;
    private final RegexBudget regexes = new RegexBudget(); // of all queries
    private boolean samples; // of the query
    private final List<String> grouping = new ArrayList<>(); // labels, of the query

    ReadRequest decode(byte[] body, int limit) throws Bad, RequestRefused {
      reader.begin(body, 0, limit);
      while (reader.next()) {
        switch (reader.field()) {
          case 1 -> query();
          case 2 -> accepted();
          default -> reader.skip();
        }
      }
      if (queries.isEmpty()) {
        throw refused("the request has no query");
      }
      boolean takesSamples = accepted.isEmpty() || accepted.contains((long) SAMPLES);
      return new ReadRequest(queries, chunked(), takesSamples);
    }

    private void accepted() throws Bad {
      if (reader.wireType() != ProtobufReader.LENGTH) {
        accepted.add(reader.varint());
        return;
      }
      int outer = reader.enter();
      while (reader.hasMore()) {
        accepted.add(reader.packedVarint());
      }
      reader.leave(outer);
    }

    /// The first type that is known; samples when none is asked for.
    private boolean chunked() throws RequestRefused {
      for (long type : accepted) {
        if (type == SAMPLES || type == STREAMED_XOR_CHUNKS) {
          return type == STREAMED_XOR_CHUNKS;
        }
      }
      if (accepted.isEmpty()) {
        return false;
      }
      throw refused(
          "accepted_response_types: only SAMPLES (0) and STREAMED_XOR_CHUNKS (1) are known, got "
              + accepted.getFirst());
    }

    private void query() throws Bad, RequestRefused {
      if (queries.size() == QUERIES_MAX) {
        throw refused("more than %d queries in one request".formatted(QUERIES_MAX));
      }
      long start = 0;
      long end = 0;
      Range looked = new Range(Long.MIN_VALUE, Long.MAX_VALUE);
      samples = true;
      grouping.clear();
      List<Matcher> all = new ArrayList<>();
      int outer = reader.enter();
      while (reader.next()) {
        switch (reader.field()) {
          case 1 -> start = reader.varint();
          case 2 -> end = reader.varint();
          case 3 -> all.add(matcher());
          case 4 -> looked = hints();
          default -> reader.skip();
        }
      }
      reader.leave(outer);
      if (end < start) {
        throw refused("a query ends before it starts: start %d, end %d".formatted(start, end));
      }
      SeriesSelector selector = new SeriesSelector(all, SeriesSelector.attributes(grouping));
      queries.add(new Query(new Range(start, end).and(looked), selector, samples));
    }

    /// What the reader will look at. Only a range is taken from it, and that it asks for labels: a
    /// step or another function must not leave out samples, since only the reader knows which it
    /// needs.
    private Range hints() throws Bad {
      long start = 0;
      long end = 0;
      int outer = reader.enter();
      while (reader.next()) {
        switch (reader.field()) {
          case 2 -> samples = !text().equals(LABELS_ONLY);
          case 3 -> start = reader.varint();
          case 4 -> end = reader.varint();
          case 5 -> grouping.add(text());
          default -> reader.skip();
        }
      }
      reader.leave(outer);
      boolean given = end > 0 && start <= end;
      return given ? new Range(start, end) : new Range(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private Matcher matcher() throws Bad, RequestRefused {
      if (++matchers > MATCHERS_MAX) {
        throw refused("more than %d matchers in one request".formatted(MATCHERS_MAX));
      }
      long type = 0;
      String name = "";
      String value = "";
      int outer = reader.enter();
      while (reader.next()) {
        switch (reader.field()) {
          case 1 -> type = reader.varint();
          case 2 -> name = text();
          case 3 -> value = text();
          default -> reader.skip();
        }
      }
      reader.leave(outer);
      if (type < 0 || type >= KINDS.length) {
        throw refused("label %s: matchers are of the types 0 to 3, got %d".formatted(name, type));
      }
      Matcher.Kind kind = KINDS[(int) type];
      boolean plain = kind == Matcher.Kind.EQUAL || kind == Matcher.Kind.NOT_EQUAL;
      return new Matcher(name, kind, value, plain ? null : regex(name, value));
    }

    private Pattern regex(String name, String source) throws RequestRefused {
      String exceeded = regexes.exceeded(source);
      if (exceeded != null) {
        throw refused("label %s: %s in one request".formatted(name, exceeded));
      }
      try {
        return Pattern.compile(source, Pattern.DOTALL);
      } catch (PatternSyntaxException bad) {
        throw refused("label %s: %s: `%s`".formatted(name, bad.getDescription(), source));
      }
    }

    private String text() throws Bad {
      reader.text();
      if (!Utf8.isValid(reader.bytes(), reader.offset(), reader.length())) {
        throw reader.bad("a text is not valid UTF-8");
      }
      return new String(reader.bytes(), reader.offset(), reader.length(), StandardCharsets.UTF_8);
    }
  }
}
