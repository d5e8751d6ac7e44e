import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../e2e/support.ts";
import { world } from "./support.ts";

const DONE = "<promise>DONE</promise>";

describe("checks before a promise is believed", () => {
  it("red sends the agent back with what failed, green ends the loop as verified, with a receipt", async () => {
    const at = world({ git: true });
    const session = at.session();
    const began = await session.type(
      '/ralph-loop "Write ok.txt" --gate "echo looking for ok.txt; test -f ok.txt" --gate "true"',
    );
    expect(began.hookSpecificOutput?.additionalContext).toContain("test -f ok.txt");
    await session.tool();
    // Without a promise nothing is run: a check costs its time.
    expect((await session.stop("not yet")).reason).toContain("did not output the completion promise");
    expect(at.journal().some(({ type }) => type === "gate.judged")).toBe(false);
    const red = await session.stop(DONE);
    expect(red.decision).toBe("block");
    expect(red.reason).toContain(
      'Guardrail "echo looking for ok.txt; test -f ok.txt" failed with exit code 1.',
    );
    expect(red.reason).toContain("looking for ok.txt");
    expect(red.reason).toContain("Original task: Write ok.txt");
    expect(red.systemMessage).toContain("checks failed");
    at.write("ok.txt", "ok\n");
    await session.tool();
    const green = await session.stop(DONE);
    expect(green.decision).toBeUndefined();
    expect(green.systemMessage).toContain("PROMISE_ACCEPTED: 2 gates passed");
    expect(at.journal().at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "verified" } });
    expect(existsSync(join(at.runFolder(), "receipt.json"))).toBe(true);
    const shown = await at.ralph(["receipt"]);
    expect(shown.code).toBe(0);
    const status = JSON.parse((await at.ralph(["status", "--json"])).stdout) as Record<string, unknown>;
    expect(status).toMatchObject({
      status: "success",
      sessionId: session.id,
      session: { id: session.id, agent: "claude", status: "PROMISE_ACCEPTED" },
    });
  });

  it("run nothing of what else the user typed", async () => {
    const at = world();
    const session = at.session();
    const trap = join(at.home, "trap");
    await session.type(
      `/ralph-loop "\`touch ${trap}\` $(touch ${trap}); touch ${trap}\n\\"; touch ${trap} #"`,
    );
    await session.tool();
    const said = await session.stop("not yet");
    expect(said.reason).toContain(
      `Original task: \`touch ${trap}\` $(touch ${trap}); touch ${trap}\n"; touch ${trap} #`,
    );
    expect(existsSync(trap)).toBe(false);
  });

  it("are the guardrails of the settings with --guardrails, once their user trusts them", async () => {
    const at = world();
    at.settings({ guardrails: [{ command: "test -f ok.txt", hint: "write it" }] });
    const start = '/ralph-loop "Write ok.txt" --guardrails';
    const refused = await at.session().type(start);
    expect(refused.hookSpecificOutput?.additionalContext).toContain("not trusted yet");
    expect(at.hasJournal()).toBe(false);
    const session = at.session({ env: { RALPH_TRUST_PROJECT: "1" } });
    await session.type(start);
    await session.tool();
    expect((await session.stop(DONE)).reason).toContain("Hint: write it");
    at.write("ok.txt", "");
    expect((await session.stop(DONE)).systemMessage).toContain("1 gate passed");
  });

  it("that are not there to be had start no loop", async () => {
    const at = world();
    const said = await at.session().type('/ralph-loop "x" --guardrails');
    expect(said.hookSpecificOutput?.additionalContext).toContain("there are no guardrails");
    const none = await at.session().type("/ralph start x --criteria test_pass");
    expect(none.hookSpecificOutput?.additionalContext).toContain("no command found");
    expect(at.hasJournal()).toBe(false);
  });

  it("of /ralph start --criteria need no promise: met is met", async () => {
    const at = world();
    at.write("package.json", JSON.stringify({ scripts: { test: "test -f ok.txt" } }));
    const session = at.session();
    await session.type('/ralph start "Make the tests pass" --criteria test_pass');
    expect((await session.stop("done")).reason).toContain("its checks do not pass yet");
    at.write("ok.txt", "");
    expect((await session.stop("done")).systemMessage).toContain("PROMISE_ACCEPTED: 1 gate passed");
  });

  it("that are cut short with the hook prove nothing, and trap nobody", async () => {
    const at = world();
    const session = at.session();
    const pid = join(at.home, "pid");
    await session.type(
      `/ralph-loop "x" --gate "test -f ${at.home}/quick || { echo $$ > ${pid}; sleep 1000; }"`,
    );
    await session.tool();
    const stopping = session.stop(DONE);
    await until("the check runs", () => existsSync(pid));
    await at.endHook();
    expect(await stopping).toEqual({ systemMessage: expect.stringContaining("ended by SIGTERM") as string });
    expect(at.log()).toContain("left to itself");
    at.write("../quick", "");
    expect((await session.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("do not bring back a loop that was cancelled while they ran", async () => {
    const at = world();
    const session = at.session();
    const flag = join(at.home, "flag");
    await session.type(
      `/ralph-loop "x" --gate "touch ${flag}; while [ -e ${flag} ]; do sleep 0.05; done; false"`,
    );
    await session.tool();
    const stopping = session.stop(DONE);
    await until("the check runs", () => existsSync(flag));
    expect((await session.type("/cancel-ralph")).systemMessage).toContain("cancelled");
    at.removeInHome("flag");
    expect((await stopping).decision).toBeUndefined();
    expect(await session.stop("x")).toEqual({});
  });
});
