import type { NextConfig } from 'next';

const config: NextConfig = {
  serverExternalPackages: ['pg', 'pg-boss', '@prisma/client', '@prisma/adapter-pg'],
  poweredByHeader: false,
  images: { unoptimized: true },
};

export default config;
