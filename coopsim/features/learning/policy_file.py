"""Policy files: a network as ONNX that says which task it learnt, what it sees and what it does."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.errors import BadFile, EngineCannot, NoSuchFile
from coopsim.features.learning.encoding import Acting, Observations, Observed
from coopsim.features.learning.out_rules import OutRule
from coopsim.geometry import Floats
from coopsim.interpreter import extra_command

VERSION = 1
"""Of what a file says of itself."""
_KEY = "coopsim.policy"
_LARGEST = 1 << 28  # bytes of a file
_MISSING = "policies are run by the package onnxruntime, and written by onnx"
_OPSET, _IR = 17, 8  # versions of ONNX that each runtime of the last years reads


@dataclass(frozen=True)
class PolicyFacts:
    """Facts that a policy file states about itself.

    Attributes:
        task: Name of the task that was learnt.
        observed: What it sees.
        acting: What it does.
        period: Simulated time of an action [s].
        width: How many numbers it sees of each robot.
        outs: When a robot is out, as far as it can tell by its readings.
    """

    task: str
    observed: tuple[Observed, ...]
    acting: Acting
    period: float
    width: int
    outs: tuple[OutRule, ...] = ()

    def to_json(self) -> str:
        """Return them as they stand in a file."""
        facts = asdict(self)
        if not self.acting.parameters:
            del facts["acting"]["parameters"]  # programs that know no parameters read the file, too
        if not self.acting.messages:
            del facts["acting"]["messages"]  # the same
        if not self.outs:
            del facts["outs"]  # the same
        return json.dumps({"version": VERSION, **facts})


class Policy:
    """A policy read from a file.

    Args:
        path: Of the file.

    Attributes:
        facts: What it says of itself.

    Raises:
        NoSuchFile: There is no such file.
        BadFile: It is no policy, or one of a version that is not known.
        EngineCannot: The package that runs it is missing.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise EngineCannot(_MISSING).advise(extra_command("learning")) from None
        file = Path(path)
        if not file.is_file():
            raise NoSuchFile(f"{file}: no such policy").advise(
                "Give the path of a file .onnx; `coopsim policy train` makes one."
            )
        if file.stat().st_size > _LARGEST:
            raise BadFile(f"{file}: a policy has at most {_LARGEST >> 20} MiB")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # small networks; and the same sums each time
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(file.read_bytes(), options, providers=["CPUExecutionProvider"])
            metadata = session.get_modelmeta().custom_metadata_map
        except Exception as problem:  # onnxruntime raises a class for each of its codes, all without a base of its own
            first = (str(problem).splitlines() or [""])[0]
            raise BadFile(f"{file}: expected a network as ONNX; {first}") from None
        self.facts = _facts(file, metadata.get(_KEY, ""))
        (given,), (_,) = session.get_inputs()[:1], session.get_outputs()[:1]
        if given.shape[-1] != self.facts.width:
            raise BadFile(f"{file}: the network takes {given.shape} and its task gives {self.facts.width} numbers")
        self._session, self._input = session, given.name

    def __call__(self, observations: Observations) -> Floats:
        """Return actions of robots, shape (..., robots, actions)."""
        flat = np.ascontiguousarray(observations, np.float32).reshape(-1, observations.shape[-1])
        (actions,) = self._session.run(None, {self._input: flat})
        given: Floats = np.asarray(actions, np.float64).reshape(*observations.shape[:-1], -1)
        return given


def _facts(file: Path, text: str) -> PolicyFacts:
    if not text:
        raise BadFile(f"{file}: this network does not say which task it learnt; write it by save_policy")
    try:
        facts: dict[str, Any] = json.loads(text)
        if facts["version"] != VERSION:
            raise BadFile(f"{file}: expected version {VERSION} of policies, got {facts['version']}")
        observed = tuple(Observed(**{**fields, "columns": tuple(fields["columns"])}) for fields in facts["observed"])
        acting: Any = {
            key: tuple(value) if isinstance(value, list) else value for key, value in facts["acting"].items()
        }
        outs = tuple(OutRule(**{**rule, "columns": tuple(rule["columns"])}) for rule in facts.get("outs", ()))
        period, width = float(facts["period"]), int(facts["width"])
        return PolicyFacts(str(facts["task"]), observed, Acting(**acting), period, width, outs)
    except (ValueError, KeyError, TypeError) as problem:
        raise BadFile(f"{file}: what it says of its task is damaged: {problem!r}") from None


def save_policy(path: str | Path, facts: PolicyFacts, layers: Sequence[tuple[Floats, Floats]]) -> None:
    """Write a network of dense layers as ONNX; the hyperbolic tangent is behind each layer.

    Args:
        path: Of the new file.
        facts: What it says of itself.
        layers: Weights, shape (in, out), and biases, shape (out,), first to last.

    Raises:
        EngineCannot: The package that writes it is missing.
    """
    try:
        import onnx
    except ImportError:
        raise EngineCannot(_MISSING).advise(extra_command("learning")) from None
    helper, number = onnx.helper, onnx.TensorProto.FLOAT
    nodes, constants, last = [], [], "observations"
    for k, (weights, biases) in enumerate(layers):
        for name, values in ((f"w{k}", weights), (f"b{k}", biases)):
            constants.append(onnx.numpy_helper.from_array(np.asarray(values, np.float32), name))
        end = "actions" if k == len(layers) - 1 else f"h{k}"
        nodes.append(helper.make_node("Gemm", [last, f"w{k}", f"b{k}"], [f"s{k}"]))
        nodes.append(helper.make_node("Tanh", [f"s{k}"], [end]))
        last = end
    ends = [
        helper.make_tensor_value_info(name, number, ["robots", width])
        for name, width in (("observations", facts.width), ("actions", len(layers[-1][1])))
    ]
    graph = helper.make_graph(nodes, "policy", ends[:1], ends[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
    helper.set_model_props(model, {_KEY: facts.to_json()})
    onnx.save(model, str(path))
