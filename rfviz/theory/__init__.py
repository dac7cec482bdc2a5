"""Learning curves of random features, predicted from the exact kernel alone, before a feature is drawn."""

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked

if TYPE_CHECKING:
    from rfviz.theory.learning_curve import PredictedError, best_penalty, features_needed, predicted_error
    from rfviz.theory.leave_one_out import LeaveOneOutCurve, leave_one_out_curve
    from rfviz.theory.sampled import SampledCurve, SampledError, sampled_curve
    from rfviz.theory.spectrum import KernelSpectrum, kernel_spectrum

__all__ = [
    "KernelSpectrum",
    "LeaveOneOutCurve",
    "PredictedError",
    "SampledCurve",
    "SampledError",
    "best_penalty",
    "features_needed",
    "kernel_spectrum",
    "leave_one_out_curve",
    "predicted_error",
    "sampled_curve",
]

import_when_asked(__name__)
