import type { Metadata, Viewport } from 'next';
import localFont from 'next/font/local';
import type { ReactNode } from 'react';
import './globals.css';

// The Latin part of Geist (5.3.0 of Fontsource): 53 kB of 142. Other letters are the system's.
const sans = localFont({ src: './fonts/geist-latin.woff2', variable: '--font-geist-sans', weight: '100 900' });
// Fetched where something is verbatim, and nowhere else.
const mono = localFont({
  src: './fonts/geist-mono-latin.woff2',
  variable: '--font-geist-mono',
  weight: '100 900',
  preload: false,
});

// Each page has its own nonce, so none can be prerendered.
export const dynamic = 'force-dynamic';

export const metadata: Metadata = {
  title: { default: 'Work Check: check an agent’s work before you rely on it', template: '%s · Work Check' },
  description:
    'Send the work, the request and the evidence. Get findings with citations, the checks performed, what was not checked, and a verdict for your review.',
};

export const viewport: Viewport = {
  colorScheme: 'light dark',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#14161a' },
  ],
};

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" className={`${sans.variable} ${mono.variable}`}>
      <body>{children}</body>
    </html>
  );
}
