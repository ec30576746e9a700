import { dayMs } from '../../domain/time.ts'
import { collectPath, trackerFolder, trackerPath } from '../../domain/tracker-paths.ts'
import { type Outbound, type OutboundAnswer, OutboundError, type OutboundReason } from '../../infra/outbound.ts'
import type { InstallCheck } from '../../postgres/stores/install-verifications.ts'
import { policiesOfHeader, policyAllows, policyAllowsCode } from './content-policy.ts'
import { type HtmlElement, htmlElements } from './html-elements.ts'

export interface Expected {
  /** The profile's active tracking keys. */
  keys: readonly string[]
  origin: string
  /** When the last hit with one of the keys came in. */
  lastSeenAt: Date | null
}

const pageLimits = { timeoutMs: 10_000, maxBytes: 2 * 1024 * 1024, whenLarger: 'cut' } as const
const unreachable: Record<OutboundReason, string> = {
  invalid_url: 'The address is not one of a public page.',
  name_not_found: 'No name server knows the host.',
  address_not_public: 'The host is not on the public internet.',
  timed_out: 'The page did not answer within ten seconds.',
  too_large: 'The page is too large.',
  tls_failed: 'The page’s certificate is not valid.',
  unreachable: 'The host does not answer.',
}

/** Fetches the page once, as a visitor without cookies, and says what of the installation can be seen in it. */
export async function lookAtPage(
  outbound: Outbound,
  url: string,
  expected: Expected,
  now: number,
): Promise<{ status: 'passed' | 'failed'; checks: InstallCheck[] }> {
  const checks: InstallCheck[] = []
  const say = (key: string, status: InstallCheck['status'], message: string) => checks.push({ key, status, message })
  try {
    const answer = await outbound.send(url, { ...pageLimits, headers: { accept: 'text/html,*/*;q=0.5' } })
    const problem = problemOf(answer)
    if (problem) say('page_reachable', 'fail', problem)
    else {
      say('page_reachable', 'pass', 'The page was fetched.')
      judgePage(say, answer, expected)
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    say('page_reachable', 'fail', unreachable[error.reason])
  }
  const isSeen = expected.lastSeenAt !== null && now - expected.lastSeenAt.getTime() < dayMs
  if (isSeen) say('hits_arriving', 'pass', 'Hits with the tracking key came in within the last day.')
  else say('hits_arriving', 'warn', 'No hit with the tracking key came in within the last day: open the page once.')
  return { status: checks.some(({ status }) => status === 'fail') ? 'failed' : 'passed', checks }
}

function problemOf({ status, headers, body }: OutboundAnswer): string | undefined {
  if (status >= 300 && status < 400) return 'The page redirects: verify the address that it leads to.'
  if (status !== 200) return `The page answers with status ${status}.`
  if (!/html/i.test(String(headers['content-type'] ?? '')) && !/<html|<head|<script/i.test(body.toString('latin1')))
    return 'The address does not show an HTML page.'
  return undefined
}

type Say = (key: string, status: InstallCheck['status'], message: string) => void

function judgePage(say: Say, { body, headers }: OutboundAnswer, { keys, origin }: Expected) {
  const elements = htmlElements(body.toString('utf8'))
  const carriers = elements.filter((element) => keysIn(element).length > 0)
  if (carriers.length === 0 && elements.some(isTagManager)) {
    say('snippet_found', 'warn', 'The snippet is not in the page itself; its tag manager may bring it.')
  } else if (carriers.length === 0) {
    say('snippet_found', 'fail', 'The snippet is not in the page: paste it at the top of its head.')
  } else {
    say('snippet_found', 'pass', 'The snippet is in the page.')
    judgeSnippet(say, elements, carriers, keys)
  }
  const policies = [...policiesOfHeader(headers['content-security-policy']), ...policiesIn(elements)]
  const problem = policyProblem(policies, elements, carriers, origin)
  if (problem) say('policy_allows', 'fail', problem)
  else say('policy_allows', 'pass', 'The page’s content-security policy lets the tracker load and send.')
}

/** The tracking keys in a script's code or, where the page holds no code, in its attributes. */
const keysIn = ({ name, attributes, text }: HtmlElement): string[] =>
  name === 'script'
    ? [text, ...attributes.values()].flatMap((part) => part.match(/tl_pub_[0-9A-Za-z]{10,64}/g) ?? [])
    : []

const isTagManager = ({ name, attributes, text }: HtmlElement): boolean =>
  name === 'script' && [text, attributes.get('src')].some((part) => part?.includes('googletagmanager.com/gtm.js'))

const policiesIn = (elements: HtmlElement[]): string[] =>
  elements
    .filter(({ name }) => name === 'meta')
    .filter(({ attributes }) => attributes.get('http-equiv')?.toLowerCase() === 'content-security-policy')
    .flatMap(({ attributes }) => attributes.get('content') ?? [])

function policyProblem(policies: string[], elements: HtmlElement[], carriers: HtmlElement[], origin: string) {
  const loading = elements.find((element) => isLoadedFrom(element, origin + trackerFolder))
  const isOpen =
    policyAllows(policies, 'script-src', origin + trackerPath, loading && { nonce: nonceOf(loading) }) &&
    policyAllows(policies, 'connect-src', origin + collectPath)
  if (!isOpen)
    return `The content-security policy needs ${origin} in script-src and connect-src; with nonces both elements of the snippet need it.`
  const [carrier] = carriers.filter(isCode)
  if (!carrier || carrier.attributes.has('src')) return undefined
  return policyAllowsCode(policies, { nonce: nonceOf(carrier), text: carrier.text })
    ? undefined
    : 'The content-security policy forbids code in the page: give the snippet’s a nonce or list its hash in script-src, or use the tag, which holds none.'
}

/** A page with an older snippet has no such element. */
const isLoadedFrom = ({ name, attributes }: HtmlElement, address: string): boolean =>
  name === 'script' && (attributes.get('src')?.trim().startsWith(address) ?? false)

const nonceOf = ({ attributes }: HtmlElement): string => attributes.get('nonce') ?? ''

function judgeSnippet(say: Say, elements: HtmlElement[], carriers: HtmlElement[], keys: readonly string[]) {
  const found = carriers.flatMap(keysIn)
  if (found.every((key) => keys.includes(key))) say('key_matches', 'pass', 'It carries the profile’s tracking key.')
  else say('key_matches', 'fail', 'It carries a tracking key that is revoked or another profile’s.')
  if (found.length === 1) say('installed_once', 'pass', 'The page carries it once.')
  else say('installed_once', 'warn', `The page carries it ${found.length} times: one is enough.`)
  const before = elements.slice(0, elements.indexOf(carriers[0]!))
  if (!before.some(({ name }) => name === 'body') && !before.some(isCode))
    say('placed_first', 'pass', 'It stands before every other script.')
  else {
    const message = 'Other scripts run before it and may see a link token: move it to the top of the head.'
    say('placed_first', 'warn', message)
  }
}

const isCode = ({ name, attributes }: HtmlElement): boolean =>
  name === 'script' && !/json/i.test(attributes.get('type') ?? '')
