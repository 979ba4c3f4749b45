import { z } from 'zod';
import type { Network } from '../../configuration/networks.ts';
import type { X402Configuration } from '../../configuration.ts';
import { jsonService } from '../../kernel/json-http.ts';
import { openProbe, type Probe, probeMs } from '../../kernel/probe.ts';

const Supported = z.object({
  kinds: z.array(z.object({ x402Version: z.number(), network: z.string(), scheme: z.string() })),
});
const BlockNumber = z.object({ result: z.string().regex(/^0x[0-9a-fA-F]+$/) });

/** Whether the providers of the stablecoin rail answer. */
export interface Reachability {
  facilitator: Probe;
  /** The networks whose chain answered last time. */
  networks(now: Date): Promise<Network[]>;
  /** Whether the facilitator and a chain answered last time; waits for neither. */
  seemsUp(now: Date): boolean;
}

/** Opens the probes. Calls nothing yet. */
export function openReachability({ facilitatorUrl, networks, rpcUrls }: X402Configuration): Reachability {
  const facilitator = jsonService('facilitator', facilitatorUrl, probeMs);
  const chains = networks.map((network) => {
    const node = jsonService(network, rpcUrls[network] ?? '', probeMs);
    const question = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] };
    const probe = openProbe('chain_unreachable', async () => BlockNumber.parse(await node.call('', question)));
    return { network, probe };
  });
  const facilitatorProbe = openProbe('facilitator_unreachable', async () => {
    const { kinds } = Supported.parse(await facilitator.call('/supported'));
    const takes = (network: Network) =>
      kinds.some((kind) => kind.x402Version === 2 && kind.network === network && kind.scheme === 'exact');
    if (!networks.every(takes)) throw new Error('the facilitator does not take every network');
  });
  return {
    facilitator: facilitatorProbe,
    seemsUp(now) {
      const up = [facilitatorProbe, ...chains.map(({ probe }) => probe)].map((probe) => probe.seemsUp(now));
      return up[0] === true && up.slice(1).includes(true);
    },
    async networks(now) {
      const up = await Promise.all(chains.map(({ probe }) => probe.wasUp(now)));
      return networks.filter((_, index) => up[index]);
    },
  };
}
