/** A part of a Markdown text, as much as our own documents use. */
export type Block =
  | { is: 'heading'; level: number; text: string }
  | { is: 'paragraph'; text: string }
  | { is: 'list'; ordered: boolean; from: number; items: string[] }
  | { is: 'table'; head: string[]; rows: string[][] };

/** The parts of a Markdown text, in order. */
export function blocksOf(markdown: string): Block[] {
  return markdown
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(blockOf);
}

function blockOf(part: string): Block {
  const lines = part.split('\n');
  const [, hashes, title] = /^(#{1,6}) (.+)$/.exec(part) ?? [];
  if (hashes && title && lines.length === 1) return { is: 'heading', level: hashes.length, text: title };
  if (lines.every((line) => line.startsWith('|'))) {
    const [head = [], , ...rows] = lines.map(cellsOf);
    return { is: 'table', head, rows };
  }
  const marker = /^(?:- |(\d+)\. )/;
  const first = marker.exec(part);
  if (first) {
    const items = part.split(/\n(?=- |\d+\. )/).map((item) => item.replace(marker, '').replaceAll('\n', ' '));
    return { is: 'list', ordered: first[1] !== undefined, from: Number(first[1] ?? 1), items };
  }
  return { is: 'paragraph', text: lines.join(' ') };
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, line.endsWith('|') ? -1 : undefined)
    .split('|')
    .map((cell) => cell.trim());

/** A stretch of a line, plain, strong or verbatim. */
export interface Stretch {
  is: 'plain' | 'strong' | 'code';
  text: string;
}

/** The stretches of a line. */
export function stretchesOf(text: string): Stretch[] {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter((part) => part !== '')
    .map((part): Stretch => {
      if (part.length > 2 && part.startsWith('`') && part.endsWith('`')) return { is: 'code', text: part.slice(1, -1) };
      if (part.length > 4 && part.startsWith('**') && part.endsWith('**'))
        return { is: 'strong', text: part.slice(2, -2) };
      return { is: 'plain', text: part };
    });
}
