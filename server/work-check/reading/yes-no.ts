/** How tables say yes and no; a dash for no stands alone. */
const YES = /^(?:yes|y|true|ja|oui|si|sì|x|✓|✔|✅)(?![\p{L}\d])/iu;
const NO = /^(?:(?:no|n|false|none|nein|non|✗|✘|❌)(?![\p{L}\d])|[-–—]$)/iu;

/** Whether a cell says yes, with or without more behind it: "yes (560 x 440 mm)". Undefined when it says neither. */
export function saysYes(cell: string): boolean | undefined {
  const text = cell.trim();
  return YES.test(text) ? true : NO.test(text) ? false : undefined;
}
