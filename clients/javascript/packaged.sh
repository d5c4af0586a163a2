# Packs the package, installs it into a folder from the file, and runs a program with what is there: packaged.sh FOLDER.
set -e
mkdir "$1/source" "$1/user"
cp *.js *.d.ts *.json README.md "$1/source"
ln -s "$PWD/node_modules" "$1/source/node_modules" # TypeScript is in there
(cd "$1/source" && npm pack --silent --pack-destination "$1" > /dev/null)
sed 's#"./coopsim.js"#"coopsim-client"#' 08_typed.js > "$1/user/typed.mjs"
cat > "$1/user/typed.ts" << 'END'
import { connect, Sonars, type Value } from "coopsim-client";
import type { Readings } from "coopsim-client/modules.js";
export const nearest = async () => Math.min(...(await new Sonars(await connect(), "/robot1/sonars").ranges()).ranges);
export const speed = (seen: Readings): Value => seen.differentialDrive("robot1").v;
END
cd "$1/user"
npm install --silent --no-audit --no-fund --prefer-offline "$1"/coopsim-client-*.tgz > /dev/null
"$1/source/node_modules/.bin/tsc" --strict --noEmit --module nodenext --target es2022 typed.ts >&2
node typed.mjs
