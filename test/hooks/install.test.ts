import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { presenceIn, unwire, wire } from "../../src/hooks/install.ts";
import { type Hook, hooksFor, isOurs, WIRINGS, type Wiring } from "../../src/hooks/wiring.ts";
import { PLUGIN } from "./support.ts";

const SCRIPT = "/opt/it's here/plugin/hooks/ralph.sh";
const KINDS = Object.entries(WIRINGS) as [string, Wiring][];
const CLAUDE = hooksFor(WIRINGS.claude as Wiring, SCRIPT);

function done(changed: ReturnType<typeof wire>): string {
  if ("fault" in changed) throw new Error(changed.fault);
  return changed.text;
}

type Settings = Record<string, unknown> & { hooks?: Record<string, unknown[]> };
const parse = (text: string) => JSON.parse(text) as Settings;

/** Settings of other people, with hooks of theirs. */
const foreignHook = fc.record({
  type: fc.constant("command"),
  command: fc.oneof(
    fc.string(),
    fc.constant("sh /x/plugin/hooks/ralph.sh Stop"),
    fc.constant("ralph status"),
  ),
});
const foreignGroup = fc.oneof(
  fc.record({ hooks: fc.array(foreignHook, { maxLength: 3 }) }),
  fc.record({ matcher: fc.string(), hooks: fc.array(foreignHook, { maxLength: 2 }) }),
  fc.jsonValue(),
);
const events = fc.constantFrom("Stop", "SessionStart", "AfterAgent", "PreToolUse", "disabled");
const plainKey = fc.string().filter((key) => key !== "hooks" && key !== "__proto__");
const settings = (minLength: number) =>
  fc
    .tuple(
      fc.dictionary(plainKey, fc.jsonValue(), { maxKeys: 4 }),
      fc.option(
        fc.dictionary(events, fc.array(foreignGroup, { minLength, maxLength: 3 }), { minKeys: minLength }),
        { nil: undefined },
      ),
      fc.boolean(),
    )
    .map(([rest, hooks, isFirst]): Settings => {
      if (hooks === undefined) return rest;
      return isFirst ? { hooks, ...rest } : { ...rest, hooks };
    });
const layout = fc.constantFrom<string | number>(0, 1, 2, 4, "\t");
const ending = fc.constantFrom("", "\n");
const written = (minLength: number) =>
  fc.tuple(settings(minLength), layout, ending, fc.boolean()).map(([value, indent, end, isCrlf]) => {
    const text = JSON.stringify(value, null, indent) + end;
    return isCrlf ? text.replaceAll("\n", "\r\n") : text;
  });
const kind = fc.constantFrom(...KINDS.map(([, wiring]) => wiring));

/** Empty lists of hooks say nothing, and may go. */
function withoutEmpties({ hooks, ...rest }: Settings): Settings {
  const full = Object.entries(hooks ?? {}).filter(([, list]) => list.length > 0);
  return full.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(full) };
}

describe("put in and taken out again", () => {
  test("every byte is as before", () => {
    fc.assert(
      fc.property(written(1), kind, (text, wiring) => {
        const wired = done(wire(text, hooksFor(wiring, SCRIPT)));
        expect(wired).not.toBe(text);
        expect(done(unwire(wired))).toBe(text);
      }),
    );
  });

  test("the settings say the same, whatever stood in them", () => {
    fc.assert(
      fc.property(written(0), kind, (text, wiring) => {
        const wired = done(wire(text, hooksFor(wiring, SCRIPT)));
        expect(withoutEmpties(parse(done(unwire(wired))))).toEqual(withoutEmpties(parse(text)));
      }),
    );
  });

  test("what others wrote stands in the same order before ours", () => {
    fc.assert(
      fc.property(written(0), kind, (text, wiring) => {
        const hooks = hooksFor(wiring, SCRIPT);
        const before = parse(text);
        const { hooks: after = {}, ...rest } = parse(done(wire(text, hooks)));
        const { hooks: theirs = {}, ...others } = before;
        expect(rest).toEqual(others);
        for (const { event, command, timeout } of hooks) {
          const own = { hooks: [{ type: "command", command, timeout }] };
          expect(after[event]).toEqual([...(theirs[event] ?? []), own]);
        }
        for (const [event, list] of Object.entries(theirs))
          expect(after[event]?.slice(0, list.length)).toEqual(list);
      }),
    );
  });

  test("twice is once", () => {
    fc.assert(
      fc.property(written(0), kind, (text, wiring) => {
        const hooks = hooksFor(wiring, SCRIPT);
        const once = done(wire(text, hooks));
        expect(done(wire(once, hooks))).toBe(once);
        expect(presenceIn(once, hooks)).toBe("in");
        const out = done(unwire(once));
        expect(done(unwire(out))).toBe(out);
        expect(presenceIn(out, hooks)).toBe("out");
      }),
    );
  });

  test("hooks of another copy of ralph are replaced", () => {
    fc.assert(
      fc.property(written(1), kind, (text, wiring) => {
        const old = done(wire(text, hooksFor(wiring, "/old/plugin/hooks/ralph.sh")));
        const hooks = hooksFor(wiring, SCRIPT);
        expect(presenceIn(old, hooks)).toBe("other");
        expect(done(wire(old, hooks))).toBe(done(wire(text, hooks)));
      }),
    );
  });
});

describe("the text", () => {
  test.each(["", " \n", "{}", "{}\n"])("of new settings %j is short and indented", (text) => {
    const [first] = CLAUDE;
    const wired = done(wire(text, [first as Hook]));
    expect(wired.trimEnd()).toBe(
      `{\n  "hooks": {\n    "SessionStart": [\n      ${JSON.stringify({ hooks: [{ type: "command", command: first?.command, timeout: 30 }] })}\n    ]\n  }\n}`,
    );
    expect(done(unwire(wired)).trim()).toBe("{}");
  });

  test("is indented as the rest, with the same line ends", () => {
    const text = '{\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{}\r\n\t\t]\r\n\t}\r\n}';
    const hook = (event: string) => ({ event, command: "x", timeout: 1 });
    const group = '{"hooks":[{"type":"command","command":"x","timeout":1}]}';
    expect(done(wire(text, [hook("Stop"), hook("SessionEnd")]))).toBe(
      `{\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{},\r\n\t\t\t${group}\r\n\t\t],\r\n\t\t"SessionEnd": [\r\n\t\t\t${group}\r\n\t\t]\r\n\t}\r\n}`,
    );
  });

  test("keeps comments and the layout of others", () => {
    const text = `{\n\t// mine\n\t"model": "x", /* and */ "hooks": { "Stop": [ {"hooks": [{"command": "beep"}]} ] } // end\n}\n`;
    const wired = done(wire(text, CLAUDE));
    expect(wired).toContain(`{"hooks": [{"command": "beep"}]}, {"hooks":[{"type":"command"`);
    expect(done(unwire(wired))).toBe(text);
  });

  test("of a hook that somebody moved into a group of theirs loses ours alone", () => {
    const [ours] = CLAUDE;
    const theirs = { type: "command", command: "beep" };
    const text = JSON.stringify({
      hooks: { Stop: [{ matcher: "x", hooks: [theirs, { ...ours }, theirs] }] },
    });
    expect(parse(done(unwire(text)))).toEqual({
      hooks: { Stop: [{ matcher: "x", hooks: [theirs, theirs] }] },
    });
  });

  test.each([
    ["{", /not JSON/],
    ['{"a": 1,}', /not JSON/],
    ['{"a": 1} x', /not JSON/],
    ["[]", /not a JSON object/],
    ['"x"', /not a JSON object/],
    ['{"hooks": []}', /not an object/],
    ['{"hooks": {"Stop": {}}}', /"Stop" in its "hooks" is not a list/],
    ['{"hooks": {}, "hooks": {}}', /twice/],
    ['{"hooks": {"Stop": [], "Stop": []}}', /"Stop" stands twice/],
    ["[".repeat(200_000), /deep|not JSON/],
  ])("%.40s is refused", (text, why) => {
    const changed = wire(text, CLAUDE);
    expect("fault" in changed && changed.fault).toMatch(why);
  });
});

describe("the commands", () => {
  test.each(KINDS)(
    "of %s hold nothing that settings would put a variable into, and are known as ours",
    (_, wiring) => {
      for (const { command } of hooksFor(wiring, SCRIPT)) {
        expect(command).not.toContain("$");
        expect(isOurs(command)).toBe(true);
      }
    },
  );

  test.each([
    "sh '/x/plugin/hooks/ralph.sh' Stop",
    "test -f '/a/plugin/hooks/ralph.sh' || exit 0; set -- '/b/plugin/hooks/ralph.sh' Stop; . '/b/plugin/hooks/ralph.sh'",
    "test -f '/a/plugin/hooks/ralph.sh' || exit 0; set -- '/a/plugin/hooks/ralph.sh' Stop; . '/a/plugin/hooks/ralph.sh'; beep",
    "ralph status",
    42,
    undefined,
  ])("%j is somebody else's", (command) => {
    expect(isOurs(command)).toBe(false);
  });

  test("may take as long as the plugin's", () => {
    const table = JSON.parse(readFileSync(join(PLUGIN, "hooks/hooks.json"), "utf8")) as {
      hooks: Record<string, [{ hooks: [{ timeout: number }] }]>;
    };
    const theirs = Object.entries(table.hooks).map(([event, [{ hooks }]]) => [event, hooks[0].timeout]);
    const ours = CLAUDE.map(({ event, timeout }) => [event, timeout]);
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs));
    const gemini = hooksFor(WIRINGS.gemini as Wiring, SCRIPT);
    expect(gemini.find(({ event }) => event === "AfterAgent")?.timeout).toBe(7_200_000);
  });
});
