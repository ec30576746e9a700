import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { roles, scopesOfMcpToken, scopesOfRole } from '../domain/roles.ts'
import { isPersonal, type Scope, scopeTable } from '../domain/scopes.ts'
import { pathTemplate } from './api-path.ts'
import { docsPage, escapeHtml, pagePolicy, renderMarkdown, table } from './docs-page.ts'
import { ApiError, catalogue, type ErrorCode, errorCodes } from './errors.ts'
import type { Operation } from './operation.ts'

const changelog = join(import.meta.dirname, '..', 'CHANGELOG.md')
const hidden = { schema: { hide: true } }

/** Pages for people: the reference with its own assets, every error, every scope, the change log. */
export async function serveDocs(app: FastifyInstance, operations: readonly Operation<never>[]) {
  const send = (reply: FastifyReply, title: string, body: string) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(docsPage(title, body))

  app.get('/docs/errors', hidden, (_request, reply) => send(reply, 'Error codes', errorsPage()))

  app.get<{ Params: { code: string } }>('/docs/errors/:code', hidden, (request, reply) => {
    const { code } = request.params
    if (!Object.hasOwn(catalogue, code)) throw new ApiError('not_found', 'There is no such error code.')
    return send(reply, code, errorPage(code as ErrorCode))
  })

  app.get('/docs/scopes', hidden, (_request, reply) => send(reply, 'Scopes', scopesPage(operations)))

  app.get('/docs/changelog', hidden, async (_request, reply) => {
    const text = await readFile(changelog, 'utf8').catch(() => 'No release has been made yet.')
    return send(reply, 'Change log', renderMarkdown(text))
  })

  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    theme: { title: 'Touchline API' },
    uiConfig: {
      // Without the bar of the viewer's makers.
      layout: 'BaseLayout',
      filter: true,
      deepLinking: true,
      showExtensions: true,
      defaultModelsExpandDepth: 0,
    },
  })
}

const retry = (code: ErrorCode) => (catalogue[code].isRetryable ? 'later' : 'no')
const link = (code: ErrorCode) => `<a href="/docs/errors/${code}"><code>${code}</code></a>`

function errorsPage(): string {
  const rows = errorCodes.map((code) => [
    link(code),
    String(catalogue[code].status),
    escapeHtml(catalogue[code].meaning),
    retry(code),
  ])
  return `<p>Every refusal has the shape below. Branch on <code>code</code>; <code>message</code> is for people and may change.</p>
<pre><code>${escapeHtml(example('invalid_parameter', 'limit: Too big: expected number to be <=100'))}</code></pre>
${table(['Code', 'Status', 'Meaning', 'Try again'], rows)}`
}

const errorPage = (code: ErrorCode): string => {
  const { status, meaning, fix, isRetryable } = catalogue[code]
  return `<p>${escapeHtml(meaning)}</p><dl><dt>Status</dt><dd>${status}</dd><dt>What to do</dt><dd>${escapeHtml(fix)}</dd>
<dt>Try again?</dt><dd>${isRetryable ? 'Yes, the same request can succeed later.' : 'Not as it is: the same request gets the same answer.'}</dd></dl>
<h2>What it looks like</h2><pre><code>${escapeHtml(example(code, meaning))}</code></pre>`
}

const example = (code: ErrorCode, message: string) =>
  JSON.stringify(
    { error: { code, message, status: catalogue[code].status, request_id: '…', docs_url: `…/docs/errors/${code}` } },
    null,
    2,
  )

const code = (text: string) => `<code>${escapeHtml(text)}</code>`
const mark = (isHeld: boolean) => (isHeld ? 'yes' : '')

function scopesPage(operations: readonly Operation<never>[]): string {
  const byDefault = scopesOfMcpToken(['mcp:read'])
  const scopes = (Object.keys(scopeTable) as Scope[]).map((scope) => [
    code(scope),
    escapeHtml(scopeTable[scope].allows),
    scopeTable[scope].implies.map(code).join(' '),
    mark(!isPersonal(scope)),
    ...roles.map((role) => mark(scopesOfRole(role).has(scope))),
    mark(byDefault.has(scope)),
  ])
  const uses = operations.map(({ method, url, scopes: any, auth, grain, isOwnAccount, isPublic, summary }) => [
    code(`${method} ${pathTemplate(url)}`),
    escapeHtml(summary),
    isPublic ? 'none: open' : isOwnAccount ? 'none: the own account' : any.map(code).join(' or '),
    isPublic ? '' : grain,
    auth.map(code).join(' '),
  ])
  const rolesHead = roles.map((role) => `${role[0]?.toUpperCase()}${role.slice(1)}`)
  return `<p>A credential may do what its scopes allow. An operation that lists several needs one of them; without it the
answer is 403 <a href="/docs/errors/insufficient_scope"><code>insufficient_scope</code></a> with
<code>required_scopes</code>. On a healthcare profile nobody but a person at the console holds the scopes without a mark
under “Healthcare”: <a href="/docs/errors/healthcare_scope_forbidden"><code>healthcare_scope_forbidden</code></a>.</p>
${table(['Scope', 'Allows', 'Comes with', 'Healthcare', ...rolesHead, 'MCP by default'], scopes)}
<h2>What each operation needs</h2>
<p>The scope is held on the profile, on the workspace, or by the caller itself. Credentials: <code>api_key</code>,
<code>app</code> (a token from <code>/oauth/token</code>), <code>session</code> (the console), <code>mcp</code> (a person’s
token). All but API keys name the profile in the path or in <code>X-Profile-Id</code>.</p>
${table(['Operation', 'What it does', 'Scope', 'Held on', 'Credentials'], uses)}`
}
