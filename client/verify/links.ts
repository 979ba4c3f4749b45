/** The links of the chain, in the order that they are checked: each rests on those before it. */
export const links = [
  'bundle',
  'signatures',
  'receipts',
  'offer',
  'grant',
  'input',
  'reports',
  'sources',
  'citations',
  'checks',
  'proofs',
  'verdict',
  'form',
] as const;
export type Link = (typeof links)[number];

/** The link that does not hold, and why. */
export class BrokenLink extends Error {
  readonly link: Link;

  constructor(link: Link, because: string) {
    super(because);
    this.link = link;
  }
}
