"""What `explorer.record()` gives: a recording that can also say its gradients and show its picture.

The recorder itself stands in `runtime`, which knows neither `autograd` nor `drawing`.
"""

from explorer.autograd import selected_backward, tensor_gradient
from explorer.picture import picture
from explorer.runtime.record import Recording
from explorer.trace import Value


class Recorded(Recording):
    """A recording; when its `with` has ended it stands for its Trace."""

    def gradient(self, name: str) -> Value | None:
        """The gradient of the tensor that `name` was bound to last, None where the last backward did not reach it.

        Raises KeyError for an unknown name.
        """
        trace = self._finished()
        tensor = trace.bound(name)
        if tensor is None:
            raise KeyError(name)
        value, _ = tensor_gradient(trace, tensor, selected_backward(trace))
        return trace.value(value)

    def _repr_html_(self) -> str:
        return picture(self._finished())._repr_html_()
