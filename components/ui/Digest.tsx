import { CopyVerbatim } from './CopyVerbatim.tsx';

const PREFIX_SHOWN = 15;
const SUFFIX_SHOWN = 4;

/** Shortens `sha256:` and 64 hexadecimal digits to `sha256:9f2c41d0…7be3`; short text stays whole. */
export function digestText(digest: string): string {
  if (digest.length <= PREFIX_SHOWN + SUFFIX_SHOWN + 1) return digest;
  return `${digest.slice(0, PREFIX_SHOWN)}…${digest.slice(-SUFFIX_SHOWN)}`;
}

/** A digest: shortened on the page, copied whole. */
export function Digest({ digest }: { digest: string }) {
  return <CopyVerbatim text={digest} shown={digestText(digest)} label="Copy the full digest" />;
}
