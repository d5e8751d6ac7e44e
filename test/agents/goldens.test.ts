import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KNOWN_AGENTS } from "../../src/agents/registry.ts";
import { captures, eventsOf } from "./support.ts";

const update = process.env["UPDATE_GOLDENS"] === "1";

describe("recorded streams mean the events beside them", () => {
  it.each(captures(".ndjson").map((capture) => [capture.name, capture] as const))("%s", (_, capture) => {
    const golden = capture.path.replace(/\.ndjson$/, ".events.json");
    const events = eventsOf(capture);
    // One event a line: a change shows in a diff as the lines that it touches.
    if (update) writeFileSync(golden, `[\n${events.map((event) => JSON.stringify(event)).join(",\n")}\n]\n`);
    expect(existsSync(golden), "no golden: run with UPDATE_GOLDENS=1 and read what it writes").toBe(true);
    expect(events).toEqual(JSON.parse(readFileSync(golden, "utf8")));
  });

  it("finds the captures at all", () => {
    const agents = new Set(captures(".ndjson").map((capture) => capture.adapter.kind));
    expect(agents).toEqual(new Set(KNOWN_AGENTS.map((adapter) => adapter.kind)));
  });

  it.each(captures(".ndjson").map((capture) => [capture.name, capture] as const))(
    "%s holds no line that is not understood",
    (_, capture) => {
      expect(eventsOf(capture).filter((event) => event.type === "unrecognised")).toEqual([]);
    },
  );
});
