import type { Metadata } from 'next';
import { Key } from '@/components/ui/Key.tsx';
import { modelCard } from '@/server/transports/model-card.ts';
import { readOffer } from '../offer.ts';
import { type Block, blocksOf, stretchesOf } from './blocks.ts';

export const metadata: Metadata = { title: 'Quality' };

/** How right the check is, as it was measured: the model card, which names the command behind each figure. */
export default async function QualityPage() {
  const { assessment } = await readOffer();
  const blocks = blocksOf(await modelCard()).filter((block) => block.is !== 'heading' || block.level > 1);
  return (
    <div className="mx-auto max-w-page px-4 pt-8 pb-16 md:px-6 md:pt-12">
      <h1 className="text-h1">Quality</h1>
      <p className="mt-3 max-w-read text-body text-ink-2">
        What assesses here: {assessment.assessor}. {assessment.accuracy}
      </p>
      <p className="mt-3 mb-8 max-w-read text-ink-2">
        Below is the whole model card. The command beside a figure prints it again from the cases in the repository. For
        programs: <Key>/quality.md</Key>.
      </p>
      <div className="space-y-4">
        {numbered(blocks).map(({ key, item }) => (
          <Part key={key} block={item} label={`Table in part ${key}`} />
        ))}
      </div>
    </div>
  );
}

function Part({ block, label }: { block: Block; label: string }) {
  switch (block.is) {
    case 'heading':
      return <h2 className="pt-6 text-h2">{block.text}</h2>;
    case 'paragraph':
      return (
        <p className="max-w-read">
          <Line text={block.text} />
        </p>
      );
    case 'list': {
      const items = block.items.map((item) => (
        <li key={item}>
          <Line text={item} />
        </li>
      ));
      return block.ordered ? (
        <ol start={block.from} className="max-w-read list-decimal space-y-2 pl-5">
          {items}
        </ol>
      ) : (
        <ul className="max-w-read list-disc space-y-2 pl-5">{items}</ul>
      );
    }
    case 'table':
      return <Figures {...block} label={label} />;
  }
}

/** Long cells in narrow columns would make rows taller than a phone. */
const widthOf = ({ length }: string): string => (length > 60 ? 'min-w-120' : length > 30 ? 'min-w-64' : 'min-w-32');

function Figures({ head, rows, label }: Extract<Block, { is: 'table' }> & { label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="overflow-x-auto border-y border-line">
      <table className="table text-dense tabular-nums">
        <thead>
          <tr>
            {numbered(head).map(({ key, item }) =>
              item === '' ? (
                <td key={key} />
              ) : (
                <th key={key} scope="col">
                  <Line text={item} />
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join('|')}>
              {numbered(row).map(({ key, item }) => (
                <td key={key} className={widthOf(item)}>
                  <Line text={item} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Line({ text }: { text: string }) {
  return numbered(stretchesOf(text)).map(({ key, item: { is, text: part } }) => {
    if (is === 'code') return <Key key={key}>{part}</Key>;
    return is === 'strong' ? <strong key={key}>{part}</strong> : part;
  });
}

/** A document does not change while it is read: its parts are told apart by their places. */
function numbered<T>(items: readonly T[]): { key: string; item: T }[] {
  return items.map((item, at) => ({ key: String(at), item }));
}
