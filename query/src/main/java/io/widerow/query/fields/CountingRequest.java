package io.widerow.query.fields;

import io.widerow.query.QueryMemory;
import io.widerow.query.survey.Survey;
import io.widerow.query.survey.SurveyRequest;
import io.widerow.storage.StoreView;

/// A survey that counts fields, and can use earlier counts.
public sealed interface CountingRequest extends SurveyRequest permits FieldsRequest, DiffRequest {
  /// @param known the earlier counts
  Survey open(StoreView view, QueryMemory memory, KnownFields known);

  @Override
  default Survey open(StoreView view, QueryMemory memory) {
    return open(view, memory, new KnownFields());
  }

  /// The same survey with earlier counts.
  default SurveyRequest with(KnownFields known) {
    return (view, memory) -> open(view, memory, known);
  }
}
