#!/bin/sh
# Makes coopsim/features/web/page/three.js.gz of npm packages: the parts of three.js that the page uses.
# Shaders of materials that it does not have, and of reflections, are a fifth of all, so they are empty.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent three@0.187.0 esbuild@0.28.2 terser@5.51.4
cat > entry.js << 'END'
export {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DataTexture, DirectionalLight, DoubleSide,
  DynamicDrawUsage, FloatType, FrontSide, Group, HemisphereLight, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshLambertMaterial, MOUSE,
  OrthographicCamera, PerspectiveCamera, Plane, Quaternion, Raycaster, RepeatWrapping, SRGBColorSpace, Scene, Shape, ShapeGeometry,
  SphereGeometry, TextureLoader, TOUCH, Vector2, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
END
cat > build.mjs << 'END'
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const SHADERS = "node_modules/three/src/renderers/shaders";
const PROGRAMS = ["meshlambert", "meshbasic", "background"];  // of lights, of lines, of a picture behind all
const EMPTY = 'export default ""; export const vertex = "", fragment = "";';
const STUBS = {
  "DFGLUTData.js": "export function getDFGLUT() { return null; }",
  "PMREMGenerator.js": "export class PMREMGenerator {}",
};

/* The names of the chunks that a shader includes, directly or by others. */
function addChunks(text, chunks) {
  for (const [, name] of text.matchAll(/#include <(\w+)>/g)) {
    if (chunks.has(name)) continue;
    chunks.add(name);
    addChunks(readFileSync(`${SHADERS}/ShaderChunk/${name}.glsl.js`, "utf8"), chunks);
  }
}

/* A shader without comments and indentation, which a minifier of JavaScript leaves in its text. */
function shortened(text) {
  const bare = text.replace(/\/\*[^]*?\*\//g, "").replace(/\/\/.*$/gm, "").replace(/^\s+/gm, "");
  const isKept = (line) => line.startsWith("#") || line.startsWith("export");
  const packed = (line) => line.replace(/\s*([=(){},;*])\s*/g, "$1");
  return bare.split("\n").map((line) => (isKept(line) ? line : packed(line))).join("\n");
}

// the renderer itself puts these before each program
const chunks = new Set(["tonemapping_pars_fragment", "colorspace_pars_fragment"]);
for (const name of PROGRAMS) addChunks(readFileSync(`${SHADERS}/ShaderLib/${name}.glsl.js`, "utf8"), chunks);
const parts = {
  name: "parts",
  setup(bundle) {
    const path = `${process.cwd()}/node_modules/three/src/Three.js`;
    bundle.onResolve({ filter: /^three$/ }, () => ({ path, sideEffects: false }));
    bundle.onLoad({ filter: /\.glsl\.js$/ }, ({ path: file }) => {
      const [, folder, name] = file.match(/(\w+)\/(\w+)\.glsl\.js$/);
      const isUsed = folder === "ShaderLib" ? PROGRAMS.includes(name) : chunks.has(name);
      return { contents: isUsed ? shortened(readFileSync(file, "utf8")) : EMPTY };
    });
    bundle.onLoad({ filter: /(DFGLUTData|PMREMGenerator)\.js$/ }, ({ path: file }) => ({
      contents: STUBS[file.split("/").pop()],
    }));
  },
};
await build({
  entryPoints: ["entry.js"], outfile: "bundle.js", bundle: true, minify: true, plugins: [parts],
  format: "iife", globalName: "THREE", legalComments: "none",
});
END
node build.mjs
npx terser bundle.js --compress passes=3 --mangle --ecma 2020 --output small.js
{
    echo "/* three.js 0.187.0, the parts that the page uses."
    cat node_modules/three/LICENSE
    echo "*/"
    cat small.js
} | gzip -9n > "$root/coopsim/features/web/page/three.js.gz"
