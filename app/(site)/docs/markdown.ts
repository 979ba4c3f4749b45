import { isValidElement, type ReactNode } from 'react';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { Key } from '@/components/ui/Key.tsx';

interface Props {
  children?: ReactNode;
  href?: string;
  name?: string;
  code?: string;
}

/** The text of stateless components as Markdown, so that the guide has one source. */
export function markdownOf(node: ReactNode): string {
  const text = render(node)
    .replaceAll('\u00a0', ' ')
    .replace(/[ \t]+$/gm, '');
  return `${text.replace(/\n{3,}/g, '\n\n').trim()}\n`;
}

function render(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) {
    // On a page, style separates elements that have no text between them.
    const isApart = node.every((child) => typeof child !== 'string');
    return node.map(render).join(isApart ? ' ' : '');
  }
  if (!isValidElement<Props>(node)) return '';
  const { type, props } = node;
  if (type === Key) return `\`${props.children}\``;
  if (type === CodeBlock) return `\n\n${props.name}:\n\n\`\`\`\n${props.code}\n\`\`\`\n\n`;
  if (typeof type === 'function') return render((type as (props: Props) => ReactNode)(props));
  return elementText(String(type), props, render(props.children));
}

function elementText(tag: string, { href }: Props, inner: string): string {
  switch (tag) {
    case 'h2':
      return `\n\n## ${inner}\n\n`;
    case 'h3':
      return `\n\n### ${inner}\n\n`;
    case 'p':
      return `\n\n${inner}\n\n`;
    case 'ul':
    case 'ol':
    case 'dl':
      return `\n\n${inner}\n\n`;
    case 'li':
      return `\n${itemText(inner.trim())}\n`;
    case 'dt':
      return `\n- ${inner}:`;
    case 'strong':
      return `**${inner}**`;
    case 'a':
      return `[${inner}](${href})`;
    default:
      return inner;
  }
}

/** An item of a list. A step has its number, and its heading stands out. */
function itemText(inner: string): string {
  const [, number, rest] = /^(\d+)\s+(### [\s\S]*)$/.exec(inner) ?? [];
  const text = (rest ?? inner).replace(/^### (.*)$/gm, '**$1**').replace(/\n{3,}/g, '\n\n');
  const marker = number === undefined ? '- ' : `${number}. `;
  return marker + text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`);
}
