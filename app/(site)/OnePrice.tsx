import { Price } from '@/components/purchases/Price.tsx';

const cases = [
  ['You accept the report', 'The full price, whatever the verdict.', 'Charge final'],
  ['You dispute it the first time', 'Nothing more. You get one correction re-check.', 'Charge held'],
  ['You dispute the correction too', 'Nothing. The collection is refunded.', 'Charge waived'],
  [
    'No report is delivered',
    'Nothing. Card: refunded in full. x402: wallet credit for later checks, not returned to the wallet.',
    'No charge',
  ],
  ['You do not answer', 'The charge stays pending. Silence is never acceptance.', 'Charge held'],
] as const;

export function OnePrice({ microcents }: { microcents: number | bigint }) {
  return (
    <section id="price" className="border-t border-line">
      <div className="mx-auto grid max-w-page gap-x-16 gap-y-8 px-4 py-16 md:px-6 lg:grid-cols-[20rem_minmax(0,1fr)] lg:py-24">
        <div>
          <h2 className="text-h1">One price</h2>
          <p className="mt-6 text-display-sm tabular-nums lg:text-display">
            <Price microcents={microcents} />
          </p>
          <p className="mt-3 text-body text-ink-2">
            Collected before work starts, charged when you accept. Paying does not give the service access to any
            source.
          </p>
        </div>
        <table className="table self-start text-ui">
          <caption className="sr-only">What you pay in each case</caption>
          <thead>
            <tr>
              <th scope="col" className="pl-0!">
                If
              </th>
              <th scope="col">You pay</th>
              <th scope="col" className="pr-0! text-right! max-md:hidden">
                Receipt says
              </th>
            </tr>
          </thead>
          <tbody>
            {cases.map(([condition, pay, receipt]) => (
              <tr key={condition}>
                <td className="w-[36%] pl-0! font-medium">{condition}</td>
                <td className="text-ink-2 max-md:pr-0!">{pay}</td>
                <td className="pr-0! text-right whitespace-nowrap text-ink-3 max-md:hidden">{receipt}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
