import { z } from 'zod';

/** The supported chains by their CAIP-2 names. */
export const networks = ['eip155:84532', 'eip155:421614', 'eip155:8453', 'eip155:42161'] as const;
export type Network = (typeof networks)[number];
export const testNetworks: readonly Network[] = ['eip155:84532', 'eip155:421614'];

/** `84532=http://…,421614=http://…` as a map from network to address. */
export const rpcUrls = z.string().transform((text, issue) => {
  const urls: Partial<Record<Network, string>> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [id, ...rest] = part.split('=');
    const network = networks.find((name) => name === `eip155:${id?.trim()}`);
    const url = rest.join('=').trim();
    if (!network || !URL.canParse(url)) {
      issue.addIssue({ code: 'custom', message: `must be chain=address pairs parted by commas, not "${part}"` });
      return z.NEVER;
    }
    urls[network] = url;
  }
  return urls;
});

/**
 * Confirmations that a payment needs by default: about 20 seconds on Base, 10 on Arbitrum. Refunds always wait for
 * finality.
 */
export const safeConfirmations: Record<Network, number> = {
  'eip155:84532': 1,
  'eip155:421614': 1,
  'eip155:8453': 10,
  'eip155:42161': 40,
};
const confirmationsMax = 1_000;

/** `8453=10,42161=40` as a map from every network to its number of blocks. */
export const confirmations = z.string().transform((text, issue) => {
  const numbers = { ...safeConfirmations };
  for (const part of text.split(',').filter(Boolean)) {
    const [, id, digits] = /^\s*(\d+)\s*=\s*(\d{1,4})\s*$/.exec(part) ?? [];
    const network = networks.find((name) => name === `eip155:${id}`);
    const number = Number(digits);
    if (!network || !(number >= 1 && number <= confirmationsMax)) {
      issue.addIssue({ code: 'custom', message: `must be chain=number pairs parted by commas, not "${part}"` });
      return z.NEVER;
    }
    numbers[network] = number;
  }
  return numbers;
});
