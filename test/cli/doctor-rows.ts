import { expect } from "vitest";
import type { Row } from "../../src/cli/doctor/row.ts";
import type { Place } from "./init-program.ts";

/** What `ralph doctor --json` said. */
export interface Examined {
  readonly ok: boolean;
  readonly code: number | null;
  /** The row of this id; fails when there is none. */
  readonly of: (id: string) => Row;
}

/** Runs `ralph doctor --json` in a place. */
export async function examine(place: Place, env?: Record<string, string>): Promise<Examined> {
  const { code, stdout, stderr } = await place.run(["doctor", "--json"], env);
  expect(stderr).toBe("");
  const result = JSON.parse(stdout) as { ok: boolean; rows: Row[] };
  expect(Object.keys(result)).toEqual(["ok", "rows"]);
  return {
    ok: result.ok,
    code,
    of(id) {
      const row = result.rows.find((one) => one.id === id);
      if (row === undefined)
        throw new Error(`no row ${id} among ${result.rows.map((one) => one.id).join(" ")}`);
      return row;
    },
  };
}
