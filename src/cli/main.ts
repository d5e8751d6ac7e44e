import { report } from "./exit.ts";

/** The program. Sets the exit code and returns when nothing is left to do; the process then ends by itself. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that went away (`ralph run | head -1`) must not end the run: nobody listens, so we say it to nobody.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  try {
    const { createProgram } = await import("./program.ts");
    await createProgram().parseAsync([...argv], { from: "user" });
  } catch (error) {
    process.exitCode = report(error, argv);
  }
}
