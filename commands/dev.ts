/** `npm run dev`: the demo's processes from the sources, with reload. Nothing is built and no agent runs. */

import { runCommand } from './command.ts';
import { dataDir } from './data-dir.ts';
import { packVerifier, verifierFolder } from './pack-verifier.ts';
import { portsFrom } from './ports.ts';
import { generateClient } from './prisma.ts';
import { requireFreePorts, startStack } from './stack.ts';

await runCommand(dev, { afterInterrupt: 0 });

async function dev(): Promise<number> {
  const ports = portsFrom(process.env.PORT);
  await requireFreePorts(ports);
  await generateClient();
  await packVerifier(verifierFolder);
  const stack = await startStack({ ports, dataDir: dataDir(), mode: 'development' });
  console.log(
    `\n${stack.baseUrl} is up. Rules check the work, and no language model reads it (ASSESSOR=rules). Press Ctrl-C to stop everything.\n`,
  );
  console.error(await stack.broken);
  return 1;
}
