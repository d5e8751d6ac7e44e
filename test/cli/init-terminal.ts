import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { which } from "../../src/supervise/which.ts";
import { DEADLINE_MS } from "../deadline.ts";
import { type Place, RALPH } from "./init-program.ts";

/** `script` of util-linux, which gives a program a terminal of its own; every Debian has it. */
export const SCRIPT = which("script", { cwd: "/", path: process.env["PATH"] });

export const ENTER = "\r";
export const DOWN = "\u001b[B";
export const SPACE = " ";
export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

/** A program on a terminal, and somebody at the keys. */
export interface Terminal {
  /** Resolves when the text is on the screen, below what was waited for before. */
  shows(text: string): Promise<void>;
  /** Waits until a question is open, then presses the keys. */
  answer(question: string, keys: string): Promise<void>;
  press(keys: string): void;
  /** Sends a signal to ralph itself. */
  signal(name: NodeJS.Signals): void;
  /** Closes the keyboard. */
  hangUp(): void;
  /** The exit code, and all that was on the screen. */
  ended: Promise<{ readonly code: number | null; readonly screen: string }>;
  kill(): void;
}

/** Starts ralph on a terminal. `columns` is how wide it says it is. */
export function openTerminal(place: Place, args: readonly string[], columns = 100): Terminal {
  const words = [process.execPath, RALPH, ...args].map((word) => `'${word}'`).join(" ");
  const stty = which("stty", { cwd: "/", path: process.env["PATH"] }) ?? "stty";
  const child = spawn(
    SCRIPT ?? "script",
    ["-qec", `${stty} cols ${columns} rows 50; exec ${words}`, "/dev/null"],
    {
      cwd: place.project,
      env: { ...place.env, SHELL: "/bin/sh" },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  let raw = "";
  let seen = 0;
  const waiting: (() => void)[] = [];
  const wake = () => {
    for (const one of waiting.splice(0)) one();
  };
  const screen = () => stripVTControlCharacters(raw).replaceAll("\r", "");
  child.stdin.on("error", () => {}); // keys for a program that has ended
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    raw += text;
    wake();
  });
  let isOver = false;
  const ended = new Promise<{ code: number | null; screen: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      isOver = true;
      wake();
      resolve({ code, screen: screen() });
    });
  });

  const terminal: Terminal = {
    async shows(text) {
      const deadline = Date.now() + DEADLINE_MS;
      for (;;) {
        const at = screen().indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          return;
        }
        if (isOver || Date.now() > deadline)
          throw new Error(`never showed ${JSON.stringify(text)}:\n${screen()}`);
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          setTimeout(resolve, 500).unref();
        });
      }
    },
    async answer(question, keys) {
      // A filled diamond is an open question; an answered one is drawn again with a hollow one.
      await terminal.shows(`◆  ${question}`);
      terminal.press(keys);
    },
    press: (keys) => child.stdin.write(keys),
    signal(name) {
      const [pid] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
      process.kill(Number(pid), name);
    },
    hangUp: () => child.stdin.end(),
    ended,
    kill: () => child.kill("SIGKILL"),
  };
  return terminal;
}
