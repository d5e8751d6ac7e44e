import { findMeans, type MeansName } from "../../src/supervise/means.ts";
import { spawnTree } from "../../src/supervise/spawn.ts";

/* A program for the tests: holds a tree by the means that is named, until it is killed or the tree is gone. */
const [name = "", script = ""] = process.argv.slice(2);
const path = process.env["MEANS_PATH"] ?? process.env["PATH"];
const means = await findMeans(name as MeansName, { ...process.env, PATH: path });
if (means === undefined) throw new Error(`${name} does not work here`);
let out = "";
const tree = spawnTree({
  file: "sh",
  args: ["-c", script],
  cwd: process.cwd(),
  env: process.env,
  stdin: "",
  means,
  onStdout: (chunk) => {
    out += chunk.toString();
    return undefined;
  },
  onStderr: () => {},
});
process.stdout.write(JSON.stringify({ ...(await tree.exited), out }));
