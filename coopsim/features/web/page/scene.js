// Scene: everything that is drawn in space; thousands of equal shapes are one call of the graphics card.
"use strict";

(() => {
  const PATTERNS = new Set(["bricks", "checkerboard", "concrete", "dots", "stripes", "wood"]);
  const MOST_FINE = 150; // of the same shape that the processor draws with all their corners
  const unit = new THREE.Vector3(1, 1, 1);

  class SceneView {
    /** `isByProcessor` says that there is no graphics card: then what costs and is hardly seen is left out. */
    constructor(canvas, isByProcessor) {
      this.canvas = canvas;
      this.isByProcessor = isByProcessor;
      this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !isByProcessor });
      this.renderer.sortObjects = false; // it would look for the middle of all instances
      this.renderer.debug.checkShaderErrors = false; // to ask is to wait for what is compiled beside
      this.sharpness = new coopsim.Sharpness(isByProcessor);
      this.scene = new THREE.Scene();
      this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8d8d99, 2.1));
      const sun = new THREE.DirectionalLight(0xffffff, 1.6);
      sun.position.set(-3, -5, 8);
      this.scene.add(sun);
      this.entities = [];
      this.byName = new Map();
      this.groups = [];
      this.hidden = new Set(); // kinds
      this.unseen = new Set(); // names, in a match with fog
      // apart, since a click looks for single instances; first, since the floor that they cover need not be drawn then
      this.packed = new THREE.Group();
      this.scene.add(this.packed);
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
      this.packed.clear();
      for (const { mesh, pack } of this.groups) {
        mesh.dispose();
        if (pack) pack.dispose();
      }
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
      const isCoarse = this.isByProcessor && instances.length > MOST_FINE;
      const geometry = coopsim.geometryOf(shape.mesh ? { ...shape, shape: "box" } : shape, isCoarse);
      // what is closed has one side, so that most scenes take one program of the graphics card
      const isOpen = shape.mesh || shape.shape === "polygon";
      const material = new THREE.MeshLambertMaterial({ side: isOpen ? THREE.DoubleSide : THREE.FrontSide });
      if (shape.texture) this.cover(material, shape, isFloor, source);
      group.mesh = new THREE.InstancedMesh(geometry, material, instances.length);
      group.mesh.frustumCulled = false; // it would be judged by the place of the first
      geometry.computeBoundingSphere();
      group.mesh.boundingSphere = geometry.boundingSphere.clone();
      group.mesh.boundingSphere.radius = Infinity; // its instances move all the time
      group.rows = Int32Array.from(instances, ({ shape: own }) => own.row);
      group.stills = instances.map(({ entity }) => entity.pose);
      group.locals = new Float32Array(instances.flatMap(({ shape: own }) => local(own)));
      this.markHidden(group);
      const color = new THREE.Color();
      instances.forEach(({ shape: own }, i) => group.mesh.setColorAt(i, color.setRGB(...own.color, THREE.SRGBColorSpace)));
      group.colored = new Map();
      instances.forEach(({ entity }, i) => group.colored.set(entity.name, [...(group.colored.get(entity.name) || []), i]));
      group.isStill = instances.every(({ shape: own }) => own.row < 0);
      group.mesh.userData.group = group;
      this.content.add(group.mesh);
      if (this.isByProcessor && coopsim.isPacked(shape, geometry, instances.length)) {
        group.pack = new coopsim.Pack(group.mesh, shape, group.locals);
        this.packed.add(group.pack.object);
      }
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
        const { array } = group.mesh.instanceMatrix, { rows, stills, locals } = group;
        for (let i = 0; i < rows.length; i++) {
          if (group.hidden[i]) array.fill(0, 16 * i, 16 * i + 16);
          else if (rows[i] < 0) place(stills[i], 0, locals, 12 * i, array, 16 * i);
          else place(poses, 7 * rows[i], locals, 12 * i, array, 16 * i);
        }
        group.mesh.instanceMatrix.needsUpdate = true;
        group.isNew = false;
      }
    }

    /** Give lamps the colours of their light; frames hold brightness, red, green and blue of each before all else. */
    shine(ranges) {
      const color = new THREE.Color(), { sensors, style } = this.facts;
      let at = 0;
      for (const { kind, robots } of sensors) {
        if (kind !== "lights" || at >= ranges.length) return;
        for (const name of robots) {
          const share = style.unlit + (1 - style.unlit) * ranges[at];
          color.setRGB(...[1, 2, 3].map((k) => share * ranges[at + k]), THREE.SRGBColorSpace);
          for (const group of this.groups) for (const i of group.colored.get(name) || []) paintInstance(group.mesh, i, color);
          at += 4;
        }
      }
    }

    /** Hide all entities of a kind, or show them again. */
    hide(kind, isHidden) {
      if (isHidden) this.hidden.add(kind); else this.hidden.delete(kind);
      for (const group of this.groups) this.markHidden(group);
    }

    /** Let entities of these names vanish, and the others come back. */
    hideNames(names) {
      if (names.size === this.unseen.size && [...names].every((name) => this.unseen.has(name))) return;
      this.unseen = names;
      for (const group of this.groups) this.markHidden(group);
    }

    markHidden(group) {
      group.hidden = group.instances.map(({ entity }) => this.hidden.has(entity.kind) || this.unseen.has(entity.name));
      group.isNew = true;
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
      const hit = caster.intersectObjects(this.content.children).find(({ object, instanceId }) =>
        object.userData.group.instances[instanceId].entity.kind !== "floor");
      const floor = caster.ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), 0), new THREE.Vector3());
      return { entity: hit ? hit.object.userData.group.instances[hit.instanceId].entity : null, floor };
    }

    resize() {
      const { clientWidth: width, clientHeight: height } = this.canvas;
      const size = this.renderer.getSize(new THREE.Vector2());
      const ratio = this.sharpness.ratio(); // finer than 2 nobody sees, and it costs
      if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
      if (size.x !== width || size.y !== height) this.renderer.setSize(width, height, false);
      return width / Math.max(1, height);
    }

    draw(camera) {
      const size = this.renderer.getDrawingBufferSize(new THREE.Vector2()), sight = new coopsim.Sight(camera, size.y);
      for (const { pack } of this.groups) if (pack) pack.renew(sight, size);
      this.renderer.render(this.scene, camera);
    }
  }

  /** Give one of many equal shapes another colour, where it has not this one already. */
  function paintInstance(mesh, i, { r, g, b }) {
    const { array } = mesh.instanceColor, rgb = [r, g, b];
    if (rgb.every((channel, k) => Math.abs(array[3 * i + k] - channel) < 1e-6)) return;
    array.set(rgb, 3 * i);
    mesh.instanceColor.needsUpdate = true;
  }

  /** Return the matrix of a shape relative to its body: 12 numbers, column by column. */
  function local({ shape, size, pose, points }) {
    const scale = coopsim.isSized({ shape, points }) ? unit : new THREE.Vector3(...size.map((length) => length || 1e-4));
    const turn = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
    const { elements } = new THREE.Matrix4().compose(new THREE.Vector3(pose[0], pose[1], pose[2]), turn, scale);
    return [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14].map((k) => elements[k]);
  }

  /** Write the matrix of a shape whose body has a pose, x y z and quaternion w x y z at `p`; no object is made for it. */
  function place(poses, p, locals, l, out, o) {
    const w = poses[p + 3], x = poses[p + 4], y = poses[p + 5], z = poses[p + 6];
    const xx = 1 - 2 * (y * y + z * z), xy = 2 * (x * y - w * z), xz = 2 * (x * z + w * y);
    const yx = 2 * (x * y + w * z), yy = 1 - 2 * (x * x + z * z), yz = 2 * (y * z - w * x);
    const zx = 2 * (x * z - w * y), zy = 2 * (y * z + w * x), zz = 1 - 2 * (x * x + y * y);
    for (let column = 0; column < 4; column++) {
      const a = locals[l + 3 * column], b = locals[l + 3 * column + 1], c = locals[l + 3 * column + 2], at = o + 4 * column;
      out[at] = xx * a + xy * b + xz * c;
      out[at + 1] = yx * a + yy * b + yz * c;
      out[at + 2] = zx * a + zy * b + zz * c;
      out[at + 3] = 0;
    }
    out[o + 12] += poses[p];
    out[o + 13] += poses[p + 1];
    out[o + 14] += poses[p + 2];
    out[o + 15] = 1;
  }

  /** Return half the length of the scene's floor, and its middle. */
  function floorBox(entities) {
    const floor = entities.find(({ kind }) => kind === "floor");
    return floor ? { x: floor.pose[0], y: floor.pose[1], half: Math.max(floor.size[0], floor.size[1]) / 2,
      length: floor.size[0], width: floor.size[1] } : { x: 0, y: 0, half: 10, length: 20, width: 20 };
  }

  Object.assign(coopsim, { SceneView });
})();
