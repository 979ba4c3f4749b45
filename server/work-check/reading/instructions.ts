import type { Token } from './token.ts';

/** Sentences that speak to whoever reads the work instead of about its subject. */
const PATTERNS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:the|all|any|your|previous|prior|above|earlier|other)\b.{0,20}\b(?:evidence|instructions?|prompts?|criteria|rules?|everything|guidelines?|sources?)\b/i,
  /\b(?:verdict|assessor|checker|grader|evaluator|validator)\b.{0,30}\b(?:must|should|shall|has to|needs? to|return|output|mark|set|is|=|:)\b.{0,30}\b(?:supported|unsupported|revise|escalate|met|missing|correct|approved?|accept(?:ed)?|pass(?:ed)?|reject(?:ed)?|true|false)\b/i,
  /["']?verdict["']?\s*[:=]\s*["']?\w/i,
  /\b(?:mark|rate|grade|score|label|classify|return|output|report|treat|consider)\b.{0,20}\b(?:this|the|all|every|any|it)\b.{0,20}\b(?:claims?|work|answers?|summary|statements?|output)\b.{0,25}\b(?:supported|unsupported|verified|met|correct|valid|approved|accurate|true|false|passed|missing)\b/i,
  /^\W*(?:please )?(?:reject|accept|approve|support|confirm|validate)\b (?:this|the|all|every) (?:claims?|work|answers?|statements?|summar)/i,
  /\b(?:and|then) (?:reject|accept|approve|support|confirm) (?:this|the|all|every) (?:claims?|work|answers?|statements?|summar)/i,
  /^\s*(?:#+\s*|\[|<+\|?)?(?:system|assistant|instruction|admin)s?(?:\s*(?:message|prompt|note|override|update))?\s*(?:\|?>+|\]|:)\s*\S/i,
  /<\/?(?:evidence|work|system|instructions?|claim)>/i,
  /\byou are (?:now )?(?:in \w+ mode|(?:an? )?(?:ai|assistant|language model|assessor|checker|grader|evaluator))\b/i,
  /\b(?:as an ai|dear (?:ai|model|assistant|assessor|grader)|(?:attention|note to),? (?:the )?(?:ai|model|assistant|assessor|checker|grader))\b/i,
  /\b(?:new|updated|hidden|secret|following) (?:system )?instructions?\s*(?::|\bfor (?:the|you)\b)/i,
  /\b(?:end|begin|start|modify|rewrite|translate|enhance|format|structure|encode) your (?:response|reply|answer|output|verdict|assessment|findings)\b/i,
  // Letters speak of "within 14 days of your reply" and "in your answer of 3 May".
  /\b(?:in|to|from|within|of) your (?:output|verdict|assessment|findings)\b/i,
  /\byour (?:response|answer|output|verdict|assessment)\b.{0,20}\b(?:must|should|shall|needs? to)\b/i,
  /^\W*(?:please )?\w+ (?:to )?your (?:response|answer|output|verdict|assessment|findings)\b/i,
  /\b(?:respond|answer) (?:only )?(?:with|in) (?:the (?:word|verdict|following)|only|json|["'])/i,
  /\b(?:print|reveal|repeat|leak|disclose)\b.{0,20}\b(?:system prompt|your instructions|api key|password)\b/i,
];

/** Bounded as the patterns bound them: "treatment" and "reported" are none. */
const CUE_WORDS = String.raw`\b(?:ignore|disregard|forget|override|bypass|assessor|checker|grader?|evaluator|validat(?:e|or)|mark|rate|score|label|classify|return|output|report|treat|consider|reject|accept|approve|support|confirm|your|respond|answer|print|reveal|repeat|leak|disclose)\b|\b(?:system|assistant|instruction|admin|dear|attention)|verdict`;
/** Words without which none of the patterns can match. */
const CUE = new RegExp(String.raw`${CUE_WORDS}|\b(?:you are|as an ai|note to)|<\/?(?:evidence|work|claim)`, 'i');
const PART_OF_CUE = new RegExp(String.raw`${CUE_WORDS}|\b(?:you|ai|note|evidence|work|claim)`, 'i');

/** Whether a word may be what an instruction is known by: few sentences hold any such word. */
export const isPartOfCue = (word: string): boolean => PART_OF_CUE.test(word);

/** Whether a sentence reads as an instruction to the assessor. Such a sentence never counts as support. */
export function isInstruction(sentence: string, tokens: readonly Token[]): boolean {
  for (const { form } of tokens)
    if (form?.partOfCue) return CUE.test(sentence) && PATTERNS.some((pattern) => pattern.test(sentence));
  return false;
}
