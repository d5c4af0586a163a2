// Packs: thousands of equal shapes as one large geometry. A machine without a graphics card draws each instance of a mesh
// by itself: ten thousand take seconds of the processor, one geometry of as many corners takes tenths.
"use strict";

(() => {
  const FEWEST = 500; // instances; fewer are drawn as fast either way
  const MOST_CORNERS = 2e6; // of a geometry, 24 bytes each
  const WIDTH = 256; // instances in a row of a texture

  const HEAD = "uniform highp sampler2D places, colors;\nuniform int corners;\n";
  const INSTANCE = `
    int number = gl_VertexID / corners;
    ivec2 spot = ivec2(number % ${WIDTH}, number / ${WIDTH}), column = ivec2(4 * spot.x, spot.y);
    mat4 place = mat4(texelFetch(places, column, 0), texelFetch(places, column + ivec2(1, 0), 0),
      texelFetch(places, column + ivec2(2, 0), 0), texelFetch(places, column + ivec2(3, 0), 0));
    vColor.rgb *= texelFetch(colors, spot, 0).rgb;`;
  // as the library turns normals of instances, whose lengths along their axes differ
  const NORMAL = `
    objectNormal = mat3(place) * (objectNormal / vec3(dot(place[0].xyz, place[0].xyz), dot(place[1].xyz, place[1].xyz), dot(place[2].xyz, place[2].xyz)));`;
  const CORNER = `
    transformed = (place * vec4(transformed, 1.0)).xyz;`;

  /** Return whether so many instances of a shape are better drawn as one geometry. */
  function isPacked(shape, geometry, count) {
    // meshes come later than their places, and pictures lie on shapes by themselves
    return !shape.mesh && !shape.texture && count >= FEWEST && count * geometry.getAttribute("position").count <= MOST_CORNERS;
  }

  /** The instances of a mesh as one geometry; their places and colours stay those of the mesh, which is not drawn itself. */
  class Pack {
    constructor(mesh) {
      this.mesh = mesh;
      this.version = {};
      const { count, geometry, material } = mesh;
      this.places = texture(4 * WIDTH, count);
      this.colors = texture(WIDTH, count);
      mesh.visible = false;
      this.places.image.data.set(mesh.instanceMatrix.array);
      mesh.instanceMatrix.array = this.places.image.data; // written once for both
      material.onBeforeCompile = (shader) => edit(shader, {
        places: this.places, colors: this.colors, corners: geometry.getAttribute("position").count,
      });
      this.object = new THREE.InstancedMesh(repeated(geometry, count), material, 1);
      this.object.setMatrixAt(0, new THREE.Matrix4());
      this.object.setColorAt(0, new THREE.Color(1, 1, 1));
      this.object.frustumCulled = false;
    }

    /** Take over what changed since the last picture. */
    renew() {
      const { instanceMatrix, instanceColor, count } = this.mesh;
      if (this.version.places !== instanceMatrix.version) this.places.needsUpdate = true;
      if (this.version.colors !== instanceColor.version) {
        const { data } = this.colors.image;
        for (let i = 0; i < count; i++) for (let k = 0; k < 3; k++) data[4 * i + k] = instanceColor.array[3 * i + k];
        this.colors.needsUpdate = true;
      }
      this.version = { places: instanceMatrix.version, colors: instanceColor.version };
    }

    dispose() {
      this.object.geometry.dispose();
      this.object.dispose();
      for (const part of [this.places, this.colors]) part.dispose();
    }
  }

  /** Return a texture with four numbers in each pixel and room for all instances. */
  function texture(width, count) {
    const rows = Math.ceil(count / WIDTH), data = new Float32Array(4 * width * rows);
    return new THREE.DataTexture(data, width, rows, undefined, THREE.FloatType);
  }

  function edit(shader, values) {
    for (const [name, value] of Object.entries(values)) shader.uniforms[name] = { value };
    const longer = (text, chunk, more) => text.replace(`#include <${chunk}>`, `#include <${chunk}>${more}`);
    let text = longer(shader.vertexShader, "color_vertex", INSTANCE);
    text = longer(text, "beginnormal_vertex", NORMAL);
    shader.vertexShader = HEAD + longer(text, "begin_vertex", CORNER);
  }

  /** Return a geometry that has another one many times, each time in the same place. */
  function repeated(geometry, count) {
    const whole = new THREE.BufferGeometry(), corners = geometry.getAttribute("position").count;
    for (const name of ["position", "normal"]) {
      const { array } = geometry.getAttribute(name), all = new Float32Array(count * array.length);
      for (let i = 0; i < count; i++) all.set(array, i * array.length);
      whole.setAttribute(name, new THREE.BufferAttribute(all, 3));
    }
    const order = geometry.index ? geometry.index.array : [...Array(corners).keys()], all = new Uint32Array(count * order.length);
    for (let i = 0, at = 0; i < count; i++) for (let k = 0; k < order.length; k++) all[at++] = order[k] + i * corners;
    whole.setIndex(new THREE.BufferAttribute(all, 1));
    return whole;
  }

  Object.assign(coopsim, { Pack, isPacked });
})();
