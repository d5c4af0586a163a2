"""Evolution on a task of coopsim: `python examples/learning/evolution.py target --generations 40`.

CMA-ES searches the weights of a small network, all candidates of a generation in one batch of worlds. Progress goes to
the terminal, the curve to NAME.csv, the best policy to NAME.onnx, and the search to NAME.pickle (`--resume` goes on).
"""

import argparse
import csv
import pickle
from pathlib import Path

from coopsim.features.learning.evolving import Evolution
from coopsim.features.learning.tasks import task_of

EVERY = 5  # generations between two checkpoints


def save(evolution: Evolution, out: Path) -> None:
    """Write the best policy, and the search beside it."""
    evolution.save(out.with_suffix(".onnx"))
    out.with_suffix(".pickle").write_bytes(pickle.dumps(evolution.state))


def main() -> None:
    """Search for a policy."""
    parser = argparse.ArgumentParser(description="Search a policy for a task of coopsim by evolution.")
    parser.add_argument("task", help="target, crossing, ..., or a scenario with a section [LEARNING]")
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--episodes", type=int, default=8, help="of each candidate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on from the files that are there")
    parser.add_argument("--out", type=Path, help="files without their endings; default: the name of the task")
    chosen = parser.parse_args()
    out: Path = chosen.out or Path(Path(chosen.task).stem)
    evolution = Evolution(task_of(chosen.task), episodes=chosen.episodes, seed=chosen.seed)
    if chosen.resume:
        # a file of your own: pickles of strangers can run anything
        evolution.state = pickle.loads(out.with_suffix(".pickle").read_bytes())
    with out.with_suffix(".csv").open("a" if chosen.resume else "w", newline="") as file:
        curve = csv.writer(file)
        for _ in range(chosen.generations):
            best, mean = evolution.advance()
            curve.writerow((evolution.generation, f"{best:.4f}", f"{mean:.4f}"))
            print(f"generation {evolution.generation}: best {best:.3f}, mean {mean:.3f}", flush=True)
            if evolution.generation % EVERY == 0:
                save(evolution, out)
    save(evolution, out)
    print(f"{out}.onnx: coopsim policy score {out}.onnx")


if __name__ == "__main__":
    main()
