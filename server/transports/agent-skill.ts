import type { Configuration } from '../configuration.ts';
import { digestOf } from '../kernel/digest.ts';
import { toText } from '../kernel/money.ts';
import { operations } from '../operations.ts';
import { price } from '../service/terms.ts';

/** How agents that collect skills learn to buy here: an index of one skill, and the skill (agentskills.io). */

type Base = Pick<Configuration, 'baseUrl'>;

const name = 'check-work';
export const skillIndexPath = '/.well-known/agent-skills/index.json';
export const skillPath = `/.well-known/agent-skills/${name}/SKILL.md`;

const description = () =>
  `Have work that an agent made checked against its evidence before it is used: findings, citations and a verdict for ` +
  `${toText(price)}. Use it when a report, an answer, a summary or extracted data must be right and its sources are at hand.`;

export function skillIndex({ baseUrl }: Base): Record<string, unknown> {
  const text = skill({ baseUrl });
  return {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      { name, type: 'skill-md', description: description(), url: `${baseUrl}${skillPath}`, digest: digestOf(text) },
    ],
  };
}

export function skill({ baseUrl }: Base): string {
  const at = (path: string) => baseUrl + path;
  return [
    '---',
    `name: ${name}`,
    `description: ${JSON.stringify(description())}`,
    '---',
    '',
    '# Have work checked',
    '',
    'Send the work, what was asked for or criteria, and the texts that it rests on. Never send secrets.',
    '',
    'Each way buys the same check:',
    '',
    `- As tools: connect to ${at('/mcp')} over MCP. The prompt \`buy_check\` walks through a purchase.`,
    `- In one call from a wallet: POST the check to ${at(operations.buy_check.path)} and pay the 402 (x402 version 2).`,
    `- Over REST: start at ${at(operations.discovery.path)}; ${at('/docs.md')} explains each step.`,
    '',
    'Rules:',
    '',
    '1. Keep the idempotency key and the signed payment before you send them. Repeat a lost call with the same.',
    '2. Ask the person who pays before you spend, unless their grant covers it.',
    '3. Follow `next_step` and `next_actions` of each answer.',
    '4. Read the findings and the limitations, not the verdict alone. Accept the report, or dispute it with a reason:',
    '   one re-check is included.',
    '5. Keep the receipt: it can be verified without us.',
    '',
  ].join('\n');
}
