import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { VERSION } from "../version.ts";

/*
 * Starts the guard. It is asked before every tool, and most of what that costs is Node's reading of its code: so the first
 * call keeps the code as Node has understood it, in ralph's state folder, for the others.
 * What goes wrong here ends this process with a fault, which its shell line turns into a no.
 */

declare const __dirname: string;

const guardFile = process.env["RALPH_GUARD"];
if (guardFile !== undefined && guardFile !== "") start(guardFile);

function start(path: string): void {
  const filename = join(__dirname, "guard-core.cjs");
  const cache = join(dirname(dirname(path)), `guard-${VERSION}.cache`);
  const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
  const source = readFileSync(filename, "latin1"); // a build holds nothing but ASCII
  const script = new Script(`(function(module, require) {${source}\n})`, { filename, cachedData });
  const module = { exports: {} as { answerFor(path: string): void } };
  const run = script.runInThisContext() as (own: typeof module, load: (id: string) => unknown) => void;
  run(module, (id) => process.getBuiltinModule(id));
  module.exports.answerFor(path);
  if (cachedData === undefined || script.cachedDataRejected === true) keep(cache, script.createCachedData());
}

/** Whole or not at all: two hooks may do it at once. */
function keep(cache: string, data: Buffer): void {
  try {
    writeFileSync(`${cache}.${process.pid}`, data, { mode: 0o600 });
    renameSync(`${cache}.${process.pid}`, cache);
  } catch {
    // The next one is only slower.
  }
}
