"""Many environments in step, as Gymnasium's vector environments have them: the observation is a batch of pictures."""
import sys

import numpy as np

import brokkr_render as brokkr
from shapes import box, grid, save, turn


class Reach:
    """N boxes on a plane; an action pushes each of them, and the reward is the distance moved towards the centre."""

    def __init__(self, count, seed=0):
        self.rng, self.count = np.random.default_rng(seed), count
        self.scene = brokkr.Scene([brokkr.Instance(box((-0.3, 0, -0.3), (0.3, 0.6, 0.3), (0.9, 0.3, 0.2))),
                                   brokkr.Instance(box((-3, -0.1, -3), (3, 0, 3), (0.3, 0.4, 0.35)))])
        self.at = np.zeros((count, 2))
        self.batch = brokkr.Renderer().prepare(self.scene, size=(64, 64), views=count, outputs=("color", "depth"),
                                               poses=self.poses())
        self.batch.set_cameras(brokkr.Camera((0, 5, 5), fov=50))
        self.out = {"color": np.empty((count, 64, 64, 4), np.uint8), "depth": np.empty((count, 64, 64), np.float32)}

    def poses(self):
        boxes = np.stack([turn(0, at=(x, 0, z)) for x, z in self.at])
        return np.stack([boxes, np.broadcast_to(np.eye(4), boxes.shape)], axis=1)

    def observation(self):
        self.batch.set_poses(self.poses())
        return self.batch.render(out=self.out)  # the same memory each time

    def reset(self):
        self.at = self.rng.uniform(-2.5, 2.5, (self.count, 2))
        return self.observation(), {}

    def step(self, action):
        before = np.linalg.norm(self.at, axis=1)
        self.at = np.clip(self.at + 0.3 * np.clip(action, -1, 1), -2.7, 2.7)
        reward = before - np.linalg.norm(self.at, axis=1)
        return self.observation(), reward, np.linalg.norm(self.at, axis=1) < 0.2, np.zeros(self.count, bool), {}


def main(out="observe.png"):
    environment = Reach(8)
    first = environment.reset()[0]["color"].copy()
    total = 0.0
    for _ in range(12):
        away = environment.at / np.maximum(np.linalg.norm(environment.at, axis=1, keepdims=True), 0.3)
        seen, reward, _, _, _ = environment.step(-away)
        total += reward.mean()
    print(f"mean reward {total:.2f}")
    sheet = np.concatenate([first, seen["color"]])
    sheet[..., 3] = 255
    save(out, grid(sheet, 8))
    return total


if __name__ == "__main__":
    main(*sys.argv[1:])
