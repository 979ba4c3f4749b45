import type { NextConfig } from 'next';
import { commonHeaders, dataHeaders, verifierHeaders } from './server/transports/security-headers.ts';
import { serviceLinks } from './server/transports/service-links.ts';

const headersOf = (values: Record<string, string>) => Object.entries(values).map(([key, value]) => ({ key, value }));

/** Where answers are data, not pages; the plain HTTP server sends the same. Pages get their policy from `proxy.ts`. */
const dataPaths = [
  '/api/:path*',
  '/mcp',
  '/.well-known/:path*',
  '/openapi.json',
  '/llms.txt',
  '/status.json',
  '/status.atom',
];

const config: NextConfig = {
  serverExternalPackages: ['pg', 'pg-boss', '@prisma/client', '@prisma/adapter-pg', 'prom-client'],
  poweredByHeader: false,
  // `npm test` has checked the types before it builds.
  typescript: { ignoreBuildErrors: true },
  // A build from a clone has no cache to gain from, and writing one took an eighth of its time.
  experimental: { turbopackFileSystemCacheForBuild: false },
  images: { unoptimized: true },
  async headers() {
    return [
      { source: '/:path*', headers: headersOf(commonHeaders) },
      { source: '/', headers: headersOf({ Link: serviceLinks }) },
      { source: '/verify/:file', headers: headersOf(verifierHeaders) },
      ...dataPaths.map((source) => ({ source, headers: headersOf(dataHeaders) })),
    ];
  },
};

export default config;
