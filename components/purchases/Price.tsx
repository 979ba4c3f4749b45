import { currency, toText } from '@/server/kernel/money.ts';

/**
 * An amount as pages write it, without currency: `5.00`, `12,045.00`, `0.0001`, with a real minus sign.
 *
 * @param microcents 1 USD = 100,000,000
 */
export function amountText(microcents: number | bigint): string {
  const [whole = '', fraction = ''] = toText(BigInt(microcents)).replace(` ${currency}`, '').split('.');
  return `${whole.replace('-', '\u2212').replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`;
}

/** Exact money: `5.00 USD` for readers, microcents for machines and on hover. */
export function Price({ microcents }: { microcents: number | bigint }) {
  return (
    <data value={microcents.toString()} title={`${microcents.toLocaleString('en-US')} microcents`}>
      {amountText(microcents)}
      {'\u00a0'}
      {currency}
    </data>
  );
}
