import type { Command } from "commander";

/** `ralph sandbox …`: what keeps agents in, here. */
export function addSandboxCommand(program: Command): void {
  const sandbox = program
    .command("sandbox")
    .description("what agents and checks may read, write and reach here");
  sandbox
    .command("explain", { isDefault: true })
    .description("the fence that a run in this folder would have (--try: and whether it holds)")
    .option("--sandbox [kind]", "another kind than the settings say")
    .option("--no-sandbox", "without a fence")
    .option("--agent <command>", "another agent than the settings say")
    .option("--try", "try every kind that this machine could have")
    .option("--json", "as JSON")
    .action(async (flags: Record<string, never>) => {
      const { explainSandbox } = await import("./sandbox-explain.ts");
      await explainSandbox(flags);
    });
}
