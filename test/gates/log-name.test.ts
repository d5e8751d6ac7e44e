import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logPaths, slugOf } from "../../src/gates/log-name.ts";
import type { GateSpec } from "../../src/spec.ts";

function gates(...commands: string[]): GateSpec[] {
  return commands.map((command) => {
    return { kind: "guardrail", name: command, command, failAction: "APPEND", timeoutMs: 1, flaky: false };
  });
}

describe("the slug of a command", () => {
  it.each([
    ["./mvnw clean install -T 2C", "mvnw_clean_install_T_2C"],
    ["npm test", "npm_test"],
    ["make", "make"],
    ["  make  ", "make"],
    ["a&&b||c", "a_b_c"],
    ["a_b__c", "a_b_c"],
    ["cd /tmp; ls", "cd_tmp_ls"],
    ["../../etc/passwd", "etc_passwd"],
    ["größe prüfen", "gr_e_pr_fen"],
    ["", "guardrail"],
    ["&&", "guardrail"],
    ["測試", "guardrail"],
    ["x".repeat(51), "x".repeat(50)],
    [`${"x".repeat(49)} yz`, "x".repeat(49)],
    [`${"x".repeat(48)} yz`, `${"x".repeat(48)}_y`],
    [`///${"x".repeat(60)}`, "x".repeat(50)],
  ])("%j is %j", (command, slug) => {
    expect(slugOf(command)).toBe(slug);
  });

  it("is a safe file name for any command", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
        (command) => {
          expect(slugOf(command)).toMatch(/^[A-Za-z0-9](?:[A-Za-z0-9_]{0,48}[A-Za-z0-9])?$/);
        },
      ),
    );
  });
});

describe("the logs of an iteration", () => {
  it("have three digits and the slug, in the order of the gates", () => {
    expect(logPaths(gates("npm test", "make lint"), 7)).toEqual([
      ".ralph/guardrail_007_npm_test.log",
      ".ralph/guardrail_007_make_lint.log",
    ]);
    expect(logPaths(gates("a"), 0)).toEqual([".ralph/guardrail_000_a.log"]);
    expect(logPaths(gates("a"), 1234)).toEqual([".ralph/guardrail_1234_a.log"]);
    expect(logPaths([], 1)).toEqual([]);
  });

  it("are told apart when the slugs are the same", () => {
    const same = logPaths(gates("npm test", "npm  test", "make", "npm-test"), 1);
    expect(same.map((path) => path.slice(".ralph/guardrail_001_".length))).toEqual([
      "npm_test.log",
      "npm_test_1.log",
      "make.log",
      "npm_test_2.log",
    ]);
  });

  it("are told apart also from a command that looks like a counted one", () => {
    const names = logPaths(gates("a", "a", "a 1", "a"), 1);
    expect(names.map((path) => path.slice(".ralph/guardrail_001_".length, -4))).toEqual([
      "a",
      "a_1",
      "a_1_1",
      "a_2",
    ]);
  });

  it("never share a name", () => {
    const anyCommand = fc.string({ unit: fc.constantFrom("a", "_", "1", " "), maxLength: 5 });
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 12 }), (commands) => {
        const paths = logPaths(gates(...commands), 1);
        expect(new Set(paths).size).toBe(commands.length);
      }),
    );
  });
});
