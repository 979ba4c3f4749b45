import { spawnSync } from 'node:child_process';

/** What a program of the machine printed. Throws a sentence where it is not installed, and when it fails. */
export function resultOf(program: string, args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) throw new Error(`This trial needs ${program}, which is not installed here (${error.message}).`);
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return stdout;
}
