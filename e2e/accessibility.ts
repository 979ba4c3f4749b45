import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Minimum size of WCAG 2.2, 2.5.8, which excepts links inside a sentence. */
const TARGET_PIXELS_MIN = 24;

/** A phone on which a reader doubles the text (1.4.4). */
const ENLARGED = { width: 390, height: 844 };

/** Enough to walk every page here twice. A page on which focus never returns fails by its findings. */
const TAB_STOPS_MAX = 400;

/** Runs axe-core on the page as it stands. The script is evaluated from outside, so the page's policy holds. */
async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const results = await page.evaluate(
    (values) =>
      (window as unknown as { axe: { run: (root: Document, options: object) => Promise<AxeResults> } }).axe.run(
        document,
        {
          runOnly: { type: 'tag', values },
          // Words for what holds, and selectors, cost more time than the rules.
          resultTypes: ['violations'],
          selectors: false,
        },
      ),
    RULES,
  );
  return results.violations.map(
    (violation) => `${violation.id}: ${violation.help} (${violation.nodes.map((node) => node.html).join(' ')})`,
  );
}

/** What axe does not check: sideways scrolling, targets too small to hit, headings that skip a level. */
async function layoutFindings(page: Page): Promise<string[]> {
  return page.evaluate((pixelsMin) => {
    const findings: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth)
      findings.push(`scrolls sideways by ${root.scrollWidth - root.clientWidth} px`);
    for (const target of document.querySelectorAll<HTMLElement>('a, button, summary, input:not([type=hidden])')) {
      // A click on a control's label clicks the control.
      const { width, height } = (target.closest('label') ?? target).getBoundingClientRect();
      const isShown = width > 1 && height > 1;
      const isInText = getComputedStyle(target).display === 'inline';
      if (isShown && !isInText && (width < pixelsMin || height < pixelsMin)) {
        findings.push(`target of ${Math.round(width)} by ${Math.round(height)} px: ${target.outerHTML.slice(0, 120)}`);
      }
    }
    let level = 0;
    for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
      const next = Number(heading.tagName.slice(1));
      if (next > level + 1) findings.push(`h${next} follows h${level}: ${heading.textContent}`);
      level = next;
    }
    return findings;
  }, TARGET_PIXELS_MIN);
}

/** With text at 200% on a phone nothing may be wider than the page. Names what reaches furthest. */
async function enlargedFindings(page: Page): Promise<string[]> {
  const sizeBefore = page.viewportSize();
  await page.setViewportSize(ENLARGED);
  const findings = await page.evaluate(() => {
    const root = document.documentElement;
    root.style.fontSize = '200%';
    const over = root.scrollWidth - root.clientWidth;
    const furthest = [...document.body.querySelectorAll('*')]
      .filter((one) => one.childElementCount === 0 && one.getBoundingClientRect().right > root.clientWidth)
      .map((one) => one.outerHTML.slice(0, 120));
    root.style.removeProperty('font-size');
    return over > 0 ? [`text at 200% scrolls sideways by ${over} px: ${furthest.join(' ')}`] : [];
  });
  if (sizeBefore) await page.setViewportSize(sizeBefore);
  return findings;
}

/**
 * Walks the page with the Tab key: everything that takes focus must show it, and nothing sticky may cover it (2.4.7,
 * 2.4.11).
 */
async function keyboardFindings(page: Page): Promise<string[]> {
  const findings: string[] = [];
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
  });
  for (let stop = 0; stop < TAB_STOPS_MAX; stop += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!(focused instanceof HTMLElement) || focused === document.body || focused.dataset.walked) return null;
      focused.dataset.walked = 'yes';
      // An input shows its focus on the surrounding field.
      const style = getComputedStyle(focused.closest('.field') ?? focused);
      // The box of a multi-line link has holes: check its first line only.
      const line = focused.getClientRects()[0] ?? focused.getBoundingClientRect();
      const top = document.elementFromPoint(line.left + line.width / 2, line.top + Math.min(line.height / 2, 20));
      return {
        name: focused.outerHTML.slice(0, 120),
        isMarked: style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2,
        isSeen: top !== null && (focused.contains(top) || top.contains(focused)),
      };
    });
    if (at === null) break;
    if (!at.isMarked) findings.push(`focus does not show: ${at.name}`);
    if (!at.isSeen) findings.push(`focus is covered: ${at.name}`);
  }
  return findings;
}

/**
 * Lists the accessibility faults (WCAG 2.2 AA) that a program can find. Leaves the page scrolled and focused where the
 * walk ended.
 */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  return [
    ...(await axeFindings(page)),
    ...(await layoutFindings(page)),
    ...(await enlargedFindings(page)),
    ...(await keyboardFindings(page)),
  ];
}
