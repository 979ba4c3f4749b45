import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { controlClient } from '../control-client.ts';
import { onFreePort } from '../ports.ts';
import { type Sandbox, startSandbox } from '../start.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
let sandbox: Sandbox;
let control: ReturnType<typeof controlClient>;

beforeAll(async () => {
  sandbox = await onFreePort((port) => startSandbox({ port, dataDir }));
  control = controlClient(sandbox.controlUrl);
  return async () => {
    await sandbox.stop();
    rmSync(dataDir, { recursive: true });
  };
});

afterEach(async () => {
  await control.clearMailFaults();
});

function send(to: string, subject: string, timeoutMs = 10_000) {
  return createTransport({ url: sandbox.smtpUrl, socketTimeout: timeoutMs }).sendMail({
    from: 'Work Check <no-reply@work-check.example>',
    to,
    subject,
    text: `https://work-check.example/confirm?token=abc\nHello: ${subject}`,
    html: `<p>${subject}</p>`,
  });
}

async function subjects(to: string): Promise<string[]> {
  return (await control.mail(to)).map(({ subject }) => subject);
}

describe('the mail server', () => {
  it('keeps every letter as its recipient would read it, newest first', async () => {
    await send('ada@example.com', 'First: Grüße ✓');
    await send('Ada@Example.com', 'Second');
    await send('other@example.com', 'Not hers');
    expect(await control.mail('ADA@example.com')).toMatchObject([
      { subject: 'Second' },
      {
        subject: 'First: Grüße ✓',
        text: expect.stringMatching(/^https:\/\/work-check\.example\/confirm\?token=abc\nHello: First: Grüße ✓/),
        html: expect.stringContaining('<p>First: Grüße ✓</p>'),
        from: 'no-reply@work-check.example',
      },
    ]);
  });

  it('shows letters on the page as text, never as markup', async () => {
    await send('page@example.com', '<img src=x onerror=alert(1)>');
    const page = await (await fetch(sandbox.controlUrl)).text();
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page).not.toContain('<img');
    expect(page).toContain('<a href="https://work-check.example/confirm?token=abc"');
  });

  it('refuses a letter with the code it was told to, and takes the next', async () => {
    await control.mailFault({ mode: 'refuse', code: 451 });
    await expect(send('refused@example.com', 'One')).rejects.toMatchObject({ responseCode: 451 });
    await send('refused@example.com', 'Two');
    expect(await subjects('refused@example.com')).toEqual(['Two']);
  });

  it('breaks the connection before it keeps the letter, or after', async () => {
    await control.mailFault({ mode: 'drop' });
    await expect(send('dropped@example.com', 'Lost')).rejects.toThrow();
    await control.mailFault({ mode: 'drop_after_keep' });
    await expect(send('dropped@example.com', 'Kept')).rejects.toThrow();
    expect(await subjects('dropped@example.com')).toEqual(['Kept']);
  });

  it('keeps a letter at once but answers late when it is slow', async () => {
    await control.mailFault({ mode: 'slow', ms: 3_000 });
    await expect(send('slow@example.com', 'Late', 300)).rejects.toThrow();
    expect(await subjects('slow@example.com')).toEqual(['Late']);
  });

  it('has the letters of earlier runs after a restart', async () => {
    await send('kept@example.com', 'Still here');
    await sandbox.stop();
    sandbox = await onFreePort((port) => startSandbox({ port, dataDir }));
    control = controlClient(sandbox.controlUrl);
    expect(await subjects('kept@example.com')).toEqual(['Still here']);
  });
});
