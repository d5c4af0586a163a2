# Packs the crate, unpacks it into a folder, and builds and runs a program of another crate with it: packaged.sh FOLDER.
set -e
cargo package --quiet --allow-dirty --no-verify --locked --target-dir "$1/target" >&2
tar xzf "$1"/target/package/coopsim-*.crate -C "$1"
mkdir -p "$1/user/src"
cp src/bin/08_typed.rs "$1/user/src/main.rs"
cp Cargo.lock "$1/user"
cat > "$1/user/Cargo.toml" << END
[package]
name = "user"
version = "0.1.0"
edition = "2021"

[dependencies]
coopsim = { path = "$(echo "$1"/coopsim-*)" }
END
# what the crate needs is compiled there already
CARGO_TARGET_DIR="$PWD/target" cargo run --quiet --release --manifest-path "$1/user/Cargo.toml"
