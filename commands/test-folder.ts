import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A new folder outside the project that PostgreSQL may enter: it runs as nobody when root starts it. */
export function testFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'work-check-test-'));
  chmodSync(folder, 0o755);
  return folder;
}
