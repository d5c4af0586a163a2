"""PPO on a task of coopsim, in NumPy alone: `python examples/learning/ppo.py doorway --minutes 5`.

All robots share one network. Progress goes to the terminal, the curve to NAME.csv, the state of learning to NAME.npz
(`--resume` goes on from there), and the policy to NAME.onnx, for `coopsim policy score` and `coopsim policy run`.
"""

import argparse
import csv
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.evolving import facts_of
from coopsim.features.learning.policy_file import save_policy
from coopsim.features.learning.scoring import score
from coopsim.features.learning.tasks import task_of

Floats = NDArray[np.float32]
WORLDS, HORIZON, HIDDEN = 64, 64, 64
EPOCHS, PARTS = 4, 8  # passes over the samples of an update, and parts of each pass
DISCOUNT, TRACE = 0.99, 0.95  # of rewards to come; of errors to come (generalised advantages)
CLIP, RATE = 0.2, 1e-3  # how far a policy may move away in an update; first step of the optimiser
SLOWEST = 0.1  # part of that step at the end of the time
STDS = 0.5, 0.15  # spread of actions by chance, at the beginning and at the end
EVERY, SCORED = 20, 100  # updates between two scores and checkpoints; episodes of a score


class Network:
    """Dense layers with a hyperbolic tangent behind each; of a value, not behind the last one."""

    def __init__(self, sizes: tuple[int, ...], rng: np.random.Generator, *, is_value: bool) -> None:
        pairs = list(pairwise(sizes))
        self.parameters: list[Floats] = []
        for row, (given, out) in enumerate(pairs):
            scale = 0.01 if row == len(pairs) - 1 else 1.0
            self.parameters.append((scale * rng.normal(size=(given, out)) / np.sqrt(given)).astype(np.float32))
            self.parameters.append(np.zeros(out, np.float32))
        self._is_value = is_value
        self._seen: list[Floats] = []

    def __call__(self, inputs: Floats) -> Floats:
        """Return outputs, shape (n, out), and keep what `gradients` needs."""
        self._seen = [inputs]
        for row in range(0, len(self.parameters), 2):
            sums = self._seen[-1] @ self.parameters[row] + self.parameters[row + 1]
            is_plain = self._is_value and row == len(self.parameters) - 2
            self._seen.append(sums if is_plain else np.tanh(sums))
        return self._seen[-1]

    def gradients(self, slope: Floats) -> list[Floats]:
        """Return the slopes of a loss by all parameters, from that by the last outputs."""
        slopes: list[Floats] = []
        for row in reversed(range(0, len(self.parameters), 2)):
            out = self._seen[row // 2 + 1]
            is_plain = self._is_value and row == len(self.parameters) - 2
            sums = slope if is_plain else slope * (1.0 - out * out)
            slopes = [self._seen[row // 2].T @ sums, sums.sum(axis=0), *slopes]
            slope = sums @ self.parameters[row].T
        return slopes


class Adam:
    """Adam with slopes cut to a norm of 0.5, on arrays that it changes in place."""

    def __init__(self, parameters: list[Floats]) -> None:
        self.parameters, self.steps, self.rate = parameters, 0, RATE
        self.means, self.squares = ([np.zeros_like(array) for array in parameters] for _ in range(2))

    def step(self, slopes: list[Floats]) -> None:
        """Make one step against the slopes."""
        self.steps += 1
        norm = np.sqrt(sum(float((slope**2).sum()) for slope in slopes))
        rate = self.rate * np.sqrt(1.0 - 0.999**self.steps) / (1.0 - 0.9**self.steps)
        for array, slope, mean, square in zip(self.parameters, slopes, self.means, self.squares, strict=True):
            cut = slope * min(1.0, 0.5 / (norm + 1e-8))
            mean += 0.1 * (cut - mean)
            square += 0.001 * (cut * cut - square)
            array -= rate * mean / (np.sqrt(square) + 1e-8)


class Learner:
    """A policy, a value and what has been learnt so far."""

    def __init__(self, task: str, seed: int) -> None:
        self.task, self.rng = task_of(task), np.random.default_rng(seed)
        self.batch = LearningBatch(self.task, WORLDS, seed=seed * 1_000_000)
        width, actions = self.batch.width, self.batch.actions
        self.policy = Network((width, HIDDEN, HIDDEN, actions), self.rng, is_value=False)
        self.value = Network((width, HIDDEN, HIDDEN, 1), self.rng, is_value=True)
        # one each: what a value is wrong by would drown the slopes of a policy where both are cut to one norm
        self.adams = Adam(self.policy.parameters), Adam(self.value.parameters)
        self.observations, self.updates, self.std = self.batch.reset(), 0, STDS[0]

    def act(self, observations: Any) -> Any:
        """Return the actions that it holds for best, shape (..., robots, actions)."""
        flat = observations.reshape(-1, observations.shape[-1])
        return self.policy(flat).reshape(*observations.shape[:-1], -1)

    def update(self, spent: float = 0.0) -> float:
        """Gather steps of all worlds and learn from them; return the mean reward of a step.

        Args:
            spent: Part of the time that is over: steps become shorter and actions less by chance.
        """
        self.std = STDS[0] + spent * (STDS[1] - STDS[0])
        for adam in self.adams:
            adam.rate = RATE * (1.0 - spent * (1.0 - SLOWEST))
        samples, rewards = self._gathered()
        count = len(samples[0])
        for _ in range(EPOCHS):
            for part in np.array_split(self.rng.permutation(count), PARTS):
                self._learn(*(array[part] for array in samples))
        self.updates += 1
        return float(rewards.mean())

    def _gathered(self) -> tuple[tuple[Floats, ...], Floats]:
        """Return observations, actions, their log densities, advantages and returns of samples, and rewards."""
        rows: list[tuple[Any, ...]] = []
        for _ in range(HORIZON):
            seen = self.observations
            mean = self.act(seen)
            noise = self.rng.standard_normal(mean.shape, np.float32)
            actions = mean + np.float32(self.std) * noise
            step = self.batch.step(actions)
            ended = step.robots_terminated | step.truncated[:, np.newaxis]
            # what was cut off would have gone on: its value counts as a reward
            rewards = step.rewards + DISCOUNT * self._values(step.last) * (step.truncated[:, np.newaxis] & ~step.out)
            density = -0.5 * (noise**2).sum(axis=-1)
            rows.append((seen, actions, density, rewards, self._values(seen), ended, step.rewards))
            self.observations = step.observations
        seen, actions, density, rewards, values, ended, plain = map(np.array, zip(*rows, strict=True))
        advantages, after, following = np.zeros_like(values), self._values(self.observations), 0.0
        for row in reversed(range(HORIZON)):
            goes_on = ~ended[row]
            error = rewards[row] + DISCOUNT * after * goes_on - values[row]
            following = advantages[row] = error + DISCOUNT * TRACE * following * goes_on
            after = values[row]
        returns = advantages + values
        spread = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        arrays = (seen, actions, density[..., np.newaxis], spread[..., np.newaxis], returns[..., np.newaxis])
        return tuple(array.reshape(-1, array.shape[-1]).astype(np.float32) for array in arrays), plain

    def _values(self, observations: Any) -> Any:
        flat = observations.reshape(-1, observations.shape[-1])
        return self.value(flat).reshape(observations.shape[:-1])

    def _learn(self, seen: Floats, actions: Floats, density: Floats, advantages: Floats, returns: Floats) -> None:
        """Make one step of the clipped objective and of the error of the value."""
        mean, count = self.policy(seen), len(seen)
        away = (actions - mean) / np.float32(self.std)
        ratio = np.exp(-0.5 * (away**2).sum(axis=-1, keepdims=True) - density)
        # where the clipped term is the smaller one, it has no slope
        is_free = np.where(advantages > 0.0, ratio < 1.0 + CLIP, ratio > 1.0 - CLIP)
        weight = -advantages * ratio * is_free / count
        slope = (weight * away / self.std).astype(np.float32)
        self.adams[0].step(self.policy.gradients(slope))
        error = ((self.value(seen) - returns) / count).astype(np.float32)
        self.adams[1].step(self.value.gradients(error))

    def save(self, path: Path) -> None:
        """Write the policy as ONNX, and the state of learning beside it."""
        parameters = self.policy.parameters
        layers: Any = list(zip(parameters[0::2], parameters[1::2], strict=True))
        save_policy(path.with_suffix(".onnx"), facts_of(self.task, self.batch), layers)
        named = {f"array{row}": array for row, array in enumerate(self._arrays())}
        steps = self.adams[0].steps
        np.savez(path.with_suffix(".npz"), steps=steps, updates=self.updates, **named)  # type: ignore[arg-type]

    def load(self, path: Path) -> None:
        """Go on from a state of learning."""
        with np.load(path.with_suffix(".npz")) as state:
            for row, array in enumerate(self._arrays()):
                array[...] = state[f"array{row}"]
            self.updates = int(state["updates"])
            for adam in self.adams:
                adam.steps = int(state["steps"])

    def _arrays(self) -> list[Floats]:
        return [array for adam in self.adams for array in (*adam.parameters, *adam.means, *adam.squares)]


def main() -> None:
    """Learn a task."""
    parser = argparse.ArgumentParser(description="Learn a task of coopsim by PPO.")
    parser.add_argument("task", help="navigate, doorway, ..., or a scenario with a section [LEARNING]")
    parser.add_argument("--minutes", type=float, default=5.0, help="time of this program on the processor")
    parser.add_argument("--updates", type=int, default=1_000_000, help="updates at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on from the files that are there")
    parser.add_argument("--out", type=Path, help="files without their endings; default: the name of the task")
    chosen = parser.parse_args()
    out: Path = chosen.out or Path(Path(chosen.task).stem)
    learner = Learner(chosen.task, chosen.seed)
    if chosen.resume:
        learner.load(out)
    begun, last = time.process_time(), learner.updates + chosen.updates
    with out.with_suffix(".csv").open("a" if chosen.resume else "w", newline="") as file:
        curve = csv.writer(file)
        if not chosen.resume:
            curve.writerow(("update", "seconds", "reward", "reached", "return"))
        while learner.updates < last and time.process_time() - begun < 60.0 * chosen.minutes:
            by_time = (time.process_time() - begun) / (60.0 * chosen.minutes)
            reward = learner.update(min(max(by_time, 1.0 - (last - learner.updates) / chosen.updates), 1.0))
            if learner.updates % EVERY == 0 or learner.updates == last:
                # seeds that training never sees, and a task of its own: tasks may note things of their worlds
                reached, returned = score(task_of(chosen.task), learner.act, episodes=SCORED, seed=500_000_000)
                seconds = time.process_time() - begun
                curve.writerow((learner.updates, f"{seconds:.1f}", f"{reward:.4f}", reached, f"{returned:.3f}"))
                file.flush()
                learner.save(out)
                print(
                    f"update {learner.updates}, {seconds:.0f} s: reached {reached:.2f}, return {returned:.2f}",
                    flush=True,
                )
    learner.save(out)
    print(f"{out}.onnx: coopsim policy score {out}.onnx")


if __name__ == "__main__":
    main()
