import type { Check } from "./check.ts";
import { hasFile, readManifest } from "./look.ts";

/** The checks of a Rust project. Clippy is taken where the project has rules for it: it is not part of every Rust. */
export function fromCargo(project: string): Check[] {
  const from = "Cargo.toml";
  const text = readManifest(project, from);
  if (text === undefined) return [];
  const usesClippy =
    ["clippy.toml", ".clippy.toml"].some((name) => hasFile(project, name)) ||
    /^[ \t]*\[(?:workspace\.)?lints(?:\.|\])/m.test(text);
  return [
    { kind: "test", command: "cargo test", from },
    ...(usesClippy ? [{ kind: "lint", command: "cargo clippy -- -D warnings", from } as const] : []),
    { kind: "build", command: "cargo build", from },
  ];
}

/** The checks of a Go module: its tools come with the language. */
export function fromGoModule(project: string): Check[] {
  const from = "go.mod";
  if (readManifest(project, from) === undefined) return [];
  return [
    { kind: "test", command: "go test ./...", from },
    { kind: "lint", command: "go vet ./...", from },
    { kind: "build", command: "go build ./...", from },
  ];
}
