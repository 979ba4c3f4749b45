# One image for web processes, workers and commands; what it runs is its command. See docs/operating.md.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
# Neither the cache of the build nor the chain of the demo is of use to what runs; .data is where a volume of keys goes.
RUN npm run build && npm prune --omit=dev --no-audit --no-fund \
  && rm -rf .next/cache node_modules/@foundry-rs && mkdir -p .data

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=build --chown=root:root /app ./
# A new volume takes its owner from here.
RUN chown node:node .data
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
CMD ["node", "server/start.ts"]
