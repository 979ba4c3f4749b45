import { z } from 'zod';
import {
  assessedEntries,
  bounds,
  type CheckRequest,
  checkRequestFields,
  evidenceTexts,
  unsupportedWorkKinds,
} from '../work-check/contract.ts';

/**
 * The descriptions of a check request's fields in every published schema: the service contract, OpenAPI and the MCP
 * tools. A text of so many bytes has at most so many characters, which is what JSON Schema can say. And the rules that it
 * cannot say.
 */

const { work_product, evidence, criteria, rubric, work_kind, kind, context, downstream_policy, producer } =
  checkRequestFields;
const { correction_request, max_evidence_age_seconds } = checkRequestFields;

/** Schema readers want to know an array's items even if anything goes. */
const anyItems = { items: {} };

const bytes = (max: number) => `At most ${max} bytes of UTF-8.`;

function say(schema: z.ZodType, description: string, more: Record<string, unknown> = {}): void {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), description, ...more });
}

say(evidence, `1 to ${bounds.evidence_items} items: a text, or one with a named source.`);
const [plain, named] = evidence.element.options;
say(plain, `The text alone; its source is then evidence/INDEX. ${bytes(bounds.evidence_item_bytes)}`, {
  maxLength: bounds.evidence_item_bytes,
});
say(named.shape.source, `Where it comes from. ${bytes(bounds.source_bytes)}`, { maxLength: bounds.source_bytes });
say(named.shape.text, `Its content. ${bytes(bounds.evidence_item_bytes)}`, { maxLength: bounds.evidence_item_bytes });
say(named.shape.observed_at, 'When it was true; evidence_freshness judges it.');
say(criteria, `At most ${bounds.criteria}, each of at most ${bounds.criterion_bytes} bytes. Each gets a finding.`);
say(
  rubric,
  `Entries are assessed like criteria: criteria and rubric hold at most ${bounds.assessed_entries} entries together. ` +
    `At most ${bounds.rubric_bytes} bytes.`,
  anyItems,
);
say(
  work_product,
  `The work to check: text, or JSON as the agent produced it. At most ${bounds.work_product_bytes} bytes.`,
  anyItems,
);
say(work_kind, 'The kind of work.');
say(kind, `A label of yours, echoed in the report. ${bytes(bounds.label_bytes)}`, { maxLength: bounds.label_bytes });
say(context, 'Governed sources for the service to retrieve, if the grant covers them.');
const refs = context.unwrap().shape.refs;
say(refs, `At most ${bounds.context_refs} refs from the account's list of sources.`);
say(refs.unwrap().element, bytes(bounds.context_ref_bytes), { maxLength: bounds.context_ref_bytes });
say(
  correction_request,
  'Requests for the included re-check, such as {"finding": 2}. terms.assessment.recheck says what they change. ' +
    `At most ${bounds.correction_bytes} bytes.`,
);
say(downstream_policy, 'Conditions for using the work.');
say(
  downstream_policy.unwrap().shape.human_approval_required,
  'True: the report says that a person must approve first.',
);
say(max_evidence_age_seconds, 'Turns on evidence_freshness: no evidence may be older.');
say(producer, 'Who made the work. That principal may not accept the report.');
for (const name of ['agent_key', 'wallet', 'name'] as const) {
  say(producer.unwrap().shape[name], bytes(bounds.label_bytes), { maxLength: bounds.label_bytes });
}

/** Refuses what could not be checked, before anybody pays. */
export function checkRules(request: CheckRequest, ctx: z.core.$RefinementCtx): void {
  if (request.request === undefined && assessedEntries(request).length === 0) {
    const message =
      'Give at least one of request, criteria and rubric: without them there is nothing to check against.';
    for (const field of ['request', 'criteria', 'rubric']) {
      ctx.addIssue({ code: 'custom', path: [field], message, params: { code: 'one_of' } });
    }
  }
  const { kind } = request;
  if (kind !== undefined && (unsupportedWorkKinds as readonly string[]).includes(plainly(kind))) {
    const message = `No checks are offered of work of the kind ${plainly(kind)}.`;
    ctx.addIssue({ code: 'custom', path: ['kind'], message, params: { code: 'unsupported_work_kind' } });
  }
  for (const [index, text] of evidenceTexts(request).entries()) {
    if (!isAddress(text)) continue;
    const path = ['evidence', index, ...(typeof request.evidence[index] === 'string' ? [] : ['text'])];
    const message = 'It is only an address. Addresses are not fetched: send the content itself.';
    ctx.addIssue({ code: 'custom', path, message, params: { code: 'url_not_fetched' } });
  }
}

/** A label as the list of kinds spells it. */
function plainly(label: string): string {
  return label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

const address = /^<?(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.)[^\s<>]+>?$/i;

/** Whether a text holds addresses and nothing else. */
function isAddress(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return words.every((word) => address.test(word));
}
