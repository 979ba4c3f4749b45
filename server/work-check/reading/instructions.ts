/** Sentences that speak to whoever reads the work instead of about its subject. */
const PATTERNS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:evidence|instruction|prompt|criteria|rule|above|previous|prior|earlier|everything|system|guideline)/i,
  /\b(?:verdict|assessor|assessment|checker|grader|evaluator|reviewer|validator|judge)\b.{0,40}\b(?:must|should|shall|has to|needs? to|will|return|output|mark|set|be|is|=|:)\b/i,
  /\b(?:mark|rate|grade|score|label|classify|accept|approve|reject|return|output|report|treat|consider)\b.{0,30}\b(?:this|the|all|every|any|it|as)\b.{0,30}\b(?:claim|claims|work|answer|verdict|supported|unsupported|verified|met|correct|valid|approved|accurate)\b/i,
  /\b(?:reject|accept|approve|support|confirm)\b (?:this|the|all|every) (?:claims?|work|answers?|statements?|summar)/i,
  /^\s*(?:#+\s*|\[|<+\|?)?(?:system|assistant|developer|user|instruction|admin)s?(?:\s*(?:message|prompt|note|override|update))?\s*(?:\|?>+|\]|:)/i,
  /\byou are (?:now )?(?:an? )?(?:ai|assistant|language model|helpful|assessor|checker|grader|evaluator)\b/i,
  /\b(?:as an ai|dear (?:ai|model|assistant|assessor|grader)|attention (?:ai|model|assistant|assessor|checker))\b/i,
  /\b(?:new|updated|following|hidden|secret|these|my) (?:system )?instructions?\b.{0,30}(?::|\bare\b|\bsay\b|\bfollow\b)/i,
  /\b(?:in|to|from|within|of|at the end of|enhance|modify|end|begin|start|rewrite|translate|format|structure) your (?:response|reply|answer|output|verdict|report|assessment|summary|findings)\b/i,
  /\byour (?:response|reply|answer|output|verdict|assessment)\b.{0,40}\b(?:must|should|shall|needs? to|with|as|by|in|to)\b/i,
  /\b(?:respond|reply|answer) (?:only )?(?:with|in|by|to (?:the|this|every|all))\b/i,
  /\b(?:without|no) (?:further )?(?:checking|verification|question)s?\b.{0,30}\b(?:accept|approve|support|return|needed|required)\b/i,
  /\b(?:print|reveal|repeat|show|leak|disclose)\b.{0,20}\b(?:system prompt|instructions|api key|password|secret)\b/i,
];

/** Whether a sentence reads as an instruction to the assessor. Such a sentence never counts as support. */
export function isInstruction(sentence: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(sentence));
}
