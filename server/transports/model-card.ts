import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The model card, from the folder that the process runs in. */
export function modelCard(): Promise<string> {
  return readFile(path.join(process.cwd(), 'docs/model-card.md'), 'utf8');
}
