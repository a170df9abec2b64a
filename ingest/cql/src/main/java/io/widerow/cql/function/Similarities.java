package io.widerow.cql.function;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How alike two vectors of floats are: greater is more alike.
final class Similarities {
  private Similarities() {}

  /// The similarity of two vectors of one length.
  @FunctionalInterface
  private interface Measure {
    double of(float[] one, float[] other);
  }

  static List<FunctionFactory> all() {
    return List.of(
        factory("similarity_cosine", Similarities::cosine),
        factory("similarity_euclidean", Similarities::euclidean),
        factory("similarity_dot_product", (one, other) -> (1 + dot(one, other)) / 2));
  }

  private static FunctionFactory factory(String name, Measure measure) {
    return new FunctionFactory(
        name,
        List.of(Parameter.FLOAT_VECTOR, Parameter.FLOAT_VECTOR),
        types -> function(name, types, measure));
  }

  private static NativeFunction function(String name, List<CqlType> types, Measure measure) {
    if (!types.getFirst().equals(types.getLast())) {
      throw CqlException.invalid("All arguments must have the same vector dimensions");
    }
    return new NativeFunction(
        name,
        types,
        NativeType.FLOAT,
        false,
        (values, _) -> (float) measure.of(floats(values[0]), floats(values[1])));
  }

  private static float[] floats(@Nullable Object vector) {
    List<?> elements = (List<?>) Objects.requireNonNull(vector);
    float[] floats = new float[elements.size()];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = (Float) elements.get(i);
    }
    return floats;
  }

  private static double dot(float[] one, float[] other) {
    double sum = 0;
    for (int i = 0; i < one.length; i++) {
      sum += (double) one[i] * other[i];
    }
    return sum;
  }

  private static double cosine(float[] one, float[] other) {
    double lengths = dot(one, one) * dot(other, other);
    if (lengths == 0) {
      throw CqlException.invalid(
          "Function system.similarity_cosine doesn't support all-zero vectors.");
    }
    return (1 + dot(one, other) / Math.sqrt(lengths)) / 2;
  }

  private static double euclidean(float[] one, float[] other) {
    double sum = 0;
    for (int i = 0; i < one.length; i++) {
      double difference = (double) one[i] - other[i];
      sum += difference * difference;
    }
    return 1 / (1 + sum);
  }
}
