import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { SpendChart } from './SpendChart.tsx';

const sums = (collected: number, back: number, count = 1) => ({
  count,
  collected_microcents: collected,
  charged_microcents: 0,
  given_back_microcents: back,
});

it('a chart of months draws each to scale and says in words what it shows, newest first', () => {
  const html = renderToStaticMarkup(
    <SpendChart
      months={[
        { month: '2026-10', sums: sums(0, 0, 0) },
        { month: '2026-11', sums: sums(1_000_000_000, 500_000_000, 2) },
      ]}
    />,
  );
  const heights = [...html.matchAll(/<rect x="[^"]+"[^>]*? height="([\d.]+)"/g)].map(([, height]) => Number(height));
  expect(heights).toEqual([0, 0, 20, 20]);
  const words = html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(words).toMatch(
    /November 2026 10\.00 USD 2 checks of it 5\.00 USD refunded or credited October 2026 0\.00 USD 0 checks/,
  );
  expect(html).not.toContain('style=');
});
