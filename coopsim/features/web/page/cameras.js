// Cameras: orbit, from above, behind a robot, with its eyes.
"use strict";

(() => {
  const FAR = 20, NEAR = 8; // m; who follows from farther away comes near: a robot among thousands is a dot there
  const VIEWS = ["orbit", "top", "follow", "first"];

  class Cameras {
    constructor(canvas) {
      this.perspective = new THREE.PerspectiveCamera(50, 1, 0.02, 2000);
      this.flat = new THREE.OrthographicCamera(-1, 1, 1, -1, -500, 500);
      for (const camera of [this.perspective, this.flat]) camera.up.set(0, 0, 1);
      this.flat.up.set(0, 1, 0);
      this.orbit = new THREE.OrbitControls(this.perspective, canvas);
      this.orbit.maxPolarAngle = 0.495 * Math.PI; // not below the floor
      this.pan = new THREE.OrbitControls(this.flat, canvas);
      this.pan.enableRotate = false;
      this.pan.mouseButtons = { LEFT: THREE.MOUSE.PAN, MIDDLE: THREE.MOUSE.DOLLY, RIGHT: THREE.MOUSE.PAN };
      this.pan.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
      this.use("orbit");
    }

    get camera() { return this.view === "top" ? this.flat : this.perspective; }
    get isDragging() { return this.controls.state !== -1; }
    get controls() { return this.view === "top" ? this.pan : this.orbit; }

    use(view) {
      const before = this.view;
      this.view = VIEWS.includes(view) ? view : "orbit";
      if (this.view !== before) this.comesNear = this.view === "follow";
      this.orbit.enabled = this.view === "orbit" || this.view === "follow";
      this.pan.enabled = this.view === "top";
    }

    /** Look at a whole scene. */
    frame({ x, y, half }) {
      const away = Math.min(half, 40) * 1.5;
      this.orbit.target.set(x, y, 0);
      this.perspective.position.set(x - away * 0.15, y - away * 1.05, away * 0.85);
      this.pan.target.set(x, y, 0);
      this.flat.position.set(x, y, 100);
      this.half = half * 1.08;
      this.flat.zoom = 1;
      this.orbit.update();
      this.pan.update();
    }

    /** Put the camera where its view wants it; `pose` is that of the robot that it follows, null = of none. */
    move(aspect, pose) {
      this.perspective.aspect = aspect;
      if (pose && this.view === "follow") {
        const shift = new THREE.Vector3(pose[0], pose[1], pose[2]).sub(this.orbit.target);
        this.orbit.target.add(shift);
        this.perspective.position.add(shift);
        if (this.comesNear) this.comeNear();
      }
      if (pose && this.view === "first") {
        const turn = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
        const eye = new THREE.Vector3(0.05, 0, 0.45).applyQuaternion(turn), ahead = new THREE.Vector3(3, 0, 0.25).applyQuaternion(turn);
        this.perspective.position.set(pose[0] + eye.x, pose[1] + eye.y, pose[2] + eye.z);
        this.perspective.lookAt(pose[0] + ahead.x, pose[1] + ahead.y, pose[2] + ahead.z);
      } else this.controls.update();
      const half = this.half || 10;
      Object.assign(this.flat, { left: -half * Math.max(1, aspect), right: half * Math.max(1, aspect),
        top: half / Math.min(1, aspect), bottom: -half / Math.min(1, aspect) });
      this.perspective.updateProjectionMatrix();
      this.flat.updateProjectionMatrix();
      return this.camera;
    }

    comeNear() {
      const { position } = this.perspective, { target } = this.orbit;
      if (position.distanceTo(target) > FAR) position.sub(target).setLength(NEAR).add(target);
      this.comesNear = false;
    }

    /** The place as numbers that a link can hold, and back. */
    get words() {
      const { position } = this.camera, { target } = this.controls;
      return [...position.toArray(), ...target.toArray(), this.flat.zoom].map((number) => number.toFixed(2)).join(",");
    }

    set words(text) {
      const numbers = text.split(",").map(Number);
      if (numbers.length !== 7 || !numbers.every(Number.isFinite)) return;
      this.camera.position.fromArray(numbers);
      this.controls.target.fromArray(numbers, 3);
      this.flat.zoom = numbers[6];
      this.comesNear = false;
      this.controls.update();
    }
  }

  Object.assign(coopsim, { Cameras });
})();
