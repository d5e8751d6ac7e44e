#!/usr/bin/env node
// A tiny sbx for tests. It writes down how it was called, and keeps its "machines" with bubblewrap: an own file system with nothing
// of this machine but programs and the folders that it was given, no network. With TINY_SBX_COPIES it copies files as Mutagen did: what
// is there once is not looked at again until a start, and what was written inside arrives outside a second later.
const fs = require("node:fs");
const path = require("node:path");
const { spawn, spawnSync } = require("node:child_process");

const home = path.join(__dirname, "tiny-sbx");
const words = process.argv.slice(2);
fs.mkdirSync(home, { recursive: true });
fs.appendFileSync(path.join(home, "calls.ndjson"), `${JSON.stringify(words)}\n`);

const HELP = {
  create:
    "Create a sandbox for an agent\n\nAvailable Commands:\n  claude      Create a sandbox for claude\n  codex       Create a sandbox for codex\n  shell       Create a sandbox for shell\n\nFlags:\n      --cpus int\n  -m, --memory string\n      --name string   Name for the sandbox (letters, numbers, hyphens, periods only)\n",
  "create claude": 'Append ":ro" to mount them read-only; a read-only argument may name a single file\n',
  "policy allow network": process.env.TINY_SBX_OLD
    ? "Usage:\n  sbx policy allow network RESOURCES [flags]\n"
    : "Usage:\n  sbx policy allow network [-g | SANDBOX] RESOURCES [flags]\n",
};

const folderOf = (name) => path.join(home, "machines", name);
const readJson = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
const say = (text) => fs.writeSync(1, text);

function fail(text) {
  fs.writeSync(2, `${text}\n`);
  process.exit(1);
}

const commands = {
  ls() {
    const names = fs.existsSync(path.join(home, "machines"))
      ? fs.readdirSync(path.join(home, "machines"))
      : [];
    say(`${["NAME   AGENT", ...names.map((name) => `${name}   claude`)].join("\n")}\n`);
  },
  create(args) {
    const rest = [];
    let name = "";
    for (let n = 0; n < args.length; n++) {
      if (args[n] === "--name") name = args[++n];
      else if (args[n].startsWith("--")) n++;
      else rest.push(args[n]);
    }
    if (!/^[A-Za-z0-9.+-]+$/.test(name)) fail(`invalid name ${name}`);
    fs.mkdirSync(folderOf(name), { recursive: true });
    const [agent, ...places] = rest;
    fs.writeFileSync(path.join(folderOf(name), "made.json"), JSON.stringify({ agent, places }));
  },
  rm: ([, name]) => {
    commands.stop([name]);
    fs.rmSync(folderOf(name), { recursive: true, force: true });
  },
  stop([name]) {
    if (!fs.existsSync(folderOf(name))) fail(`no sandbox ${name}`);
    for (const file of fs.readdirSync(folderOf(name)).filter((one) => /^\d+$/.test(one))) {
      try {
        process.kill(Number(file), "SIGKILL");
      } catch {}
      fs.rmSync(path.join(folderOf(name), file), { force: true });
    }
    fs.rmSync(path.join(folderOf(name), "copies"), { recursive: true, force: true });
  },
  policy() {},
  exec(args) {
    const env = { PATH: process.env.PATH, HOME: "/tmp" };
    let cwd = "/tmp";
    let n = 0;
    for (; args[n].startsWith("-"); n++) {
      if (args[n] === "-w") cwd = args[++n];
      else if (args[n] === "-e") {
        const [, key, , value] = /^([^=]+)(=([\s\S]*))?$/.exec(args[++n]);
        const given = value ?? (process.env.TINY_SBX_NAMELESS ? undefined : process.env[key]);
        if (given !== undefined) env[key] = given;
      } else if (args[n] === "--env-file") {
        for (const line of fs.readFileSync(args[++n], "utf8").split("\n")) {
          const at = line.indexOf("=");
          if (at > 0) env[line.slice(0, at)] = line.slice(at + 1);
        }
      }
    }
    const [name, ...command] = args.slice(n);
    const { places } = readJson(path.join(folderOf(name), "made.json"));
    const binds = places.map((place) => {
      const real = place.replace(/:ro$/, "");
      return { how: place === real ? "--bind" : "--ro-bind", from: copied(name, real), real };
    });
    const bwrap = [
      "--unshare-all",
      "--die-with-parent",
      "--cap-drop",
      "ALL",
      "--clearenv",
      ...["usr", "bin", "lib", "lib64", "etc"].flatMap((one) => ["--ro-bind-try", `/${one}`, `/${one}`]),
      "--dev",
      "/dev",
      "--proc",
      "/proc",
      "--tmpfs",
      "/tmp",
      ...binds.flatMap(({ how, from, real }) => [how, from, real]),
      ...Object.entries(env).flatMap(([key, value]) => ["--setenv", key, value]),
      "--chdir",
      cwd,
      "--",
      ...command,
    ];
    const child = spawn("bwrap", bwrap, { stdio: "inherit", detached: true });
    fs.writeFileSync(path.join(folderOf(name), String(child.pid)), "");
    child.on("exit", (code, signal) => {
      fs.rmSync(path.join(folderOf(name), String(child.pid)), { force: true });
      if (process.env.TINY_SBX_COPIES) copyBack(binds);
      process.exit(code ?? (signal === "SIGKILL" ? 137 : 143));
    });
  },
};

/** The copy of a folder that is seen inside, where files are copied: what is new comes in, what is there stays. */
function copied(name, real) {
  if (!process.env.TINY_SBX_COPIES) return real;
  const copy = path.join(folderOf(name), "copies", encodeURIComponent(real));
  if (fs.statSync(real).isDirectory()) {
    fs.mkdirSync(copy, { recursive: true });
    spawnSync("cp", ["-a", "--no-clobber", `${real}/.`, copy]);
  } else if (!fs.existsSync(copy)) {
    fs.mkdirSync(path.dirname(copy), { recursive: true });
    fs.copyFileSync(real, copy);
  }
  return copy;
}

function copyBack(binds) {
  const lines = binds.filter(({ how, from }) => how === "--bind" && fs.statSync(from).isDirectory());
  const script = 'sleep 1; while [ $# -gt 0 ]; do cp -a --update "$1/." "$2"; shift 2; done';
  const pairs = lines.flatMap(({ from, real }) => [from, real]);
  spawn("sh", ["-c", script, "sh", ...pairs], { stdio: "ignore", detached: true }).unref();
}

if (words.at(-1) === "--help") say(HELP[words.slice(0, -1).join(" ")] ?? "");
else if (commands[words[0]] === undefined) fail(`unknown command ${words[0]}`);
else commands[words[0]](words.slice(1));
