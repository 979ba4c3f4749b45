/** A precondition that does not hold. The message is the one sentence that a person needs; no stack is shown. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/**
 * Runs a command's main function: a `Refusal` becomes its sentence on stderr and exit code 1, anything else is a bug
 * and keeps its stack.
 */
export async function runCommand(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  }
}
