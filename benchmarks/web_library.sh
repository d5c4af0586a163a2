#!/bin/sh
# Makes coopsim/features/web/page/three.js.gz from the npm packages `three` and `esbuild`: the parts that the page uses, in one file.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent three@0.187.0 esbuild@0.28.2
cat > entry.js << 'END'
export {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage,
  FrontSide, Group, HemisphereLight, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshLambertMaterial, MOUSE,
  OrthographicCamera, PerspectiveCamera, Plane, Quaternion, Raycaster, RepeatWrapping, SRGBColorSpace, Scene, Shape, ShapeGeometry,
  SphereGeometry, TextureLoader, TOUCH, Vector2, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
END
npx esbuild entry.js --bundle --minify --format=iife --global-name=THREE --outfile=bundle.js --legal-comments=none
{
    echo "/* three.js 0.187.0, the parts that the page uses."
    cat node_modules/three/LICENSE
    echo "*/"
    cat bundle.js
} | gzip -9n > "$root/coopsim/features/web/page/three.js.gz"
