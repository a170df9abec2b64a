package io.widerow.query.survey;

import io.widerow.query.QueryMemory;
import io.widerow.storage.StoreView;

/// The parameters of a survey.
public interface SurveyRequest {
  /// @param view remains the caller's
  /// @param memory that all queries share
  Survey open(StoreView view, QueryMemory memory);
}
