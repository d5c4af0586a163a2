// Scene: everything that is drawn in space; thousands of equal shapes are one call of the graphics card.
"use strict";

(() => {
  const PATTERNS = new Set(["bricks", "checkerboard", "concrete", "dots", "stripes", "wood"]);
  const scaled = new THREE.Matrix4(), body = new THREE.Matrix4();
  const place = new THREE.Vector3(), turn = new THREE.Quaternion(), unit = new THREE.Vector3(1, 1, 1);

  class SceneView {
    constructor(canvas) {
      this.canvas = canvas;
      this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !isDrawnByProcessor() });
      this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2)); // finer than that nobody sees, and it costs
      this.scene = new THREE.Scene();
      this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8d8d99, 2.1));
      const sun = new THREE.DirectionalLight(0xffffff, 1.6);
      sun.position.set(-3, -5, 8);
      this.scene.add(sun);
      this.entities = [];
      this.byName = new Map();
      this.groups = [];
      this.content = new THREE.Group();
      this.scene.add(this.content);
      this.paint();
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
    }

    paint() {
      const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
      this.scene.background = new THREE.Color(isDark ? 0x171c24 : 0xe9edf2);
    }

    /** Take over the facts of a layout; the source has the meshes and the pictures. */
    build(facts, source) {
      this.content.clear();
      for (const { mesh } of this.groups) mesh.dispose();
      this.facts = facts;
      this.entities = facts.entities;
      this.byName = new Map(facts.entities.map((entity) => [entity.name, entity]));
      this.groups = this.grouped();
      for (const group of this.groups) this.makeGroup(group, source);
      this.box = floorBox(facts.entities);
    }

    grouped() {
      const groups = new Map();
      this.entities.forEach((entity, number) => {
        for (const shape of entity.shapes) {
          const key = shape.mesh ? `mesh ${shape.mesh}` : `${coopsim.keyOf(shape)} ${shape.texture || ""}`;
          if (!groups.has(key)) groups.set(key, { shape, instances: [] });
          groups.get(key).instances.push({ shape, number, entity });
        }
      });
      return [...groups.values()];
    }

    makeGroup(group, source) {
      const { shape, instances } = group, isFloor = instances[0].entity.kind === "floor";
      const geometry = shape.mesh ? coopsim.geometryOf({ shape: "box" }) : coopsim.geometryOf(shape);
      const material = new THREE.MeshLambertMaterial({ side: shape.shape === "box" ? THREE.FrontSide : THREE.DoubleSide });
      if (shape.texture) this.cover(material, shape, isFloor, source);
      group.mesh = new THREE.InstancedMesh(geometry, material, instances.length);
      group.mesh.frustumCulled = false; // it would be judged by the place of the first
      group.locals = instances.map(({ shape: own }) => local(own));
      const color = new THREE.Color();
      instances.forEach(({ shape: own }, i) => group.mesh.setColorAt(i, color.setRGB(...own.color, THREE.SRGBColorSpace)));
      group.isStill = instances.every(({ shape: own }) => own.row < 0);
      group.isNew = true;
      group.mesh.userData.group = group;
      this.content.add(group.mesh);
      const hash = shape.mesh && this.facts.meshes[shape.mesh];
      if (hash) source.mesh(hash).then((corners) => { group.mesh.geometry = coopsim.meshGeometry(corners); }, () => {});
    }

    cover(material, shape, isFloor, source) {
      const name = shape.texture;
      if (!PATTERNS.has(name)) return; // pictures of files stay with the machine that has them
      const texture = new THREE.TextureLoader().load(source.picture(name));
      texture.colorSpace = THREE.SRGBColorSpace;
      texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
      if (isFloor) texture.repeat.set(shape.size[0] / 2, shape.size[1] / 2);
      material.map = texture;
    }

    /** Move everything to where the poses say, 7 numbers for each body. */
    move(poses) {
      for (const group of this.groups) {
        if (group.isStill && !group.isNew) continue;
        group.instances.forEach(({ shape, entity }, i) => {
          poseOf(shape.row < 0 ? null : poses, shape.row < 0 ? entity.pose : shape.row, body);
          group.mesh.setMatrixAt(i, scaled.multiplyMatrices(body, group.locals[i]));
        });
        group.mesh.instanceMatrix.needsUpdate = true;
        group.isNew = false;
      }
    }

    /** Return where an entity is now: x y z and quaternion w x y z. */
    pose(entity, poses) {
      return entity.row < 0 || !poses ? entity.pose : poses.subarray(7 * entity.row, 7 * entity.row + 7);
    }

    /** Return the entity under a point of the canvas, but for the floor; and where the floor is met. */
    pick(x, y, camera) {
      const box = this.canvas.getBoundingClientRect();
      const point = new THREE.Vector2(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height);
      const caster = new THREE.Raycaster();
      caster.setFromCamera(point, camera);
      for (const { mesh } of this.groups) mesh.boundingSphere = null; // its instances have moved
      const hit = caster.intersectObjects(this.content.children).find(({ object, instanceId }) =>
        object.userData.group.instances[instanceId].entity.kind !== "floor");
      const floor = caster.ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), 0), new THREE.Vector3());
      return { entity: hit ? hit.object.userData.group.instances[hit.instanceId].entity : null, floor };
    }

    resize() {
      const { clientWidth: width, clientHeight: height } = this.canvas;
      const size = this.renderer.getSize(new THREE.Vector2());
      if (size.x !== width || size.y !== height) this.renderer.setSize(width, height, false);
      return width / Math.max(1, height);
    }

    draw(camera) { this.renderer.render(this.scene, camera); }
  }

  /** Return whether there is no graphics card: smooth edges take half of the time then. */
  function isDrawnByProcessor() {
    const pen = document.createElement("canvas").getContext("webgl2");
    const facts = pen && pen.getExtension("WEBGL_debug_renderer_info");
    const name = facts ? pen.getParameter(facts.UNMASKED_RENDERER_WEBGL) : "";
    if (pen) pen.getExtension("WEBGL_lose_context").loseContext();
    return /swiftshader|llvmpipe|software/i.test(name);
  }

  /** Return the matrix of a shape relative to its body. */
  function local({ shape, size, pose, points }) {
    const isSized = coopsim.isSized({ shape, points });
    const scale = isSized ? unit : new THREE.Vector3(...size.map((length) => length || 1e-4));
    return new THREE.Matrix4().compose(place.set(...pose.slice(0, 3)), quaternion(pose, 3), scale);
  }

  const quaternion = (numbers, at) => turn.set(numbers[at + 1], numbers[at + 2], numbers[at + 3], numbers[at]);

  /** Write the matrix of a body: of a row of `poses`, or of a pose alone. */
  function poseOf(poses, row, out) {
    const numbers = poses || row, at = poses ? 7 * row : 0;
    place.set(numbers[at], numbers[at + 1], numbers[at + 2]);
    return out.compose(place, quaternion(numbers, at + 3), unit);
  }

  /** Return half the length of the scene's floor, and its middle. */
  function floorBox(entities) {
    const floor = entities.find(({ kind }) => kind === "floor");
    return floor ? { x: floor.pose[0], y: floor.pose[1], half: Math.max(floor.size[0], floor.size[1]) / 2,
      length: floor.size[0], width: floor.size[1] } : { x: 0, y: 0, half: 10, length: 20, width: 20 };
  }

  Object.assign(coopsim, { SceneView });
})();
