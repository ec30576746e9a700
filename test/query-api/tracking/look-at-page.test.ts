import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Outbound } from '../../../infra/outbound.ts'
import { lookAtPage } from '../../../query-api/tracking/look-at-page.ts'

const key = 'tl_pub_0123456789abcdef'
const origin = 'https://t.example.com'
const loader = `<script async src="${origin}/tracker/v1/touchline.js"></script>`
const code = `init("${key}")\nwindow.é = "&amp;"`
const snippet = `<script>${code}</script>${loader}`
const hash = (kind: string) => `'${kind}-${createHash(kind).update(code).digest('base64')}'`
const largest = 2 * 1024 * 1024

/** What is seen of a page: each check with its verdict. */
async function look(html: string, policy?: string) {
  const outbound: Outbound = {
    send: async () => ({
      status: 200,
      headers: { 'content-type': 'text/html', 'content-security-policy': policy },
      body: Buffer.from(html),
      isCut: false,
    }),
    close: async () => {},
  }
  const expected = { keys: [key], origin, lastSeenAt: null }
  const { status, checks } = await lookAtPage(outbound, 'https://shop.example/', expected, 0)
  return {
    status,
    ...Object.fromEntries(checks.map((check) => [check.key, check.status])),
    messages: Object.fromEntries(checks.map((check) => [check.key, check.message])),
  }
}

describe('a page', () => {
  // A page of two megabytes, whatever it repeats, is read once: a pattern that starts anew at each place never ends.
  it.each([
    '<!--',
    '<!-- ',
    '<!',
    '<script',
    '<script ',
    '<script src',
    '<script src=',
    '<script src="',
    `<script src='`,
    '<script>',
    '<script ></script ',
    '<meta ',
    '<meta http-equiv=content-security-policy ',
    '<meta http-equiv=content-security-policy content="script-src *">',
    '<body',
    '<style>',
    '</script',
    '<',
    ' ',
    key,
    `<script>${key}</script>`,
  ])('of nothing but %j is judged', async (part) => {
    expect((await look(part.repeat(largest / part.length))).status).toMatch(/passed|failed/)
  })

  it.each([
    ['<script src="/a.js"></script>', 'warn'],
    ['<script type="application/ld+json">{"a":"<script>"}</script>', 'pass'],
    ['<title><script></title><style>/* <script> */</style>', 'pass'],
    ['<!-- <script src="/a.js"></script> -->', 'pass'],
    ['<!--[if lt IE 9]><script src="/old.js"></script><![endif]-->', 'pass'],
    ['<body>', 'warn'],
  ])('with %s before the snippet: %s', async (before, placed) => {
    expect(await look(`<html><head>${before}${snippet}`)).toMatchObject({ snippet_found: 'pass', placed_first: placed })
  })

  it.each([
    [`<script>var start = "<!--"</script>${snippet}<!-- end -->`, 'pass'],
    [`<!--[if !IE]><!-->${snippet}<!--<![endif]-->`, 'pass'],
    [`<!--[if IE]>${snippet}<![endif]-->`, 'fail'],
    [`<!-- ${snippet}`, 'fail'],
    [`<noscript>${snippet}</noscript>`, 'fail'],
    [`<textarea>${snippet}</textarea>`, 'fail'],
    [`<p>${key}</p>`, 'fail'],
  ])('%s carries the snippet: %s', async (html, found) => {
    expect(await look(`<html><head>${html}`)).toMatchObject({ snippet_found: found })
  })

  it.each([
    [`<meta http-equiv="Content-Security-Policy" content="default-src 'self'">`],
    [`<meta content="default-src 'self'" http-equiv="Content-Security-Policy">`],
    ['<META CONTENT="default-src &#39;self&#39;" HTTP-EQUIV=content-security-policy />'],
    ["<meta\n\tdata-note='a > b'\n\thttp-equiv = content-security-policy content = 'default-src &quot;none&quot;'>"],
  ])('is held to the policy in %s', async (meta) => {
    expect(await look(meta + snippet)).toMatchObject({ status: 'failed', policy_allows: 'fail' })
  })

  it.each([
    [`<meta name="description" content="content-security-policy default-src 'none'">`],
    [`<meta http-equiv="Content-Security-Policy-Report-Only" content="default-src 'none'">`],
    [`<!-- <meta http-equiv="Content-Security-Policy" content="default-src 'none'"> -->`],
  ])('has no policy by %s', async (meta) => {
    expect(await look(meta + snippet)).toMatchObject({ status: 'passed', policy_allows: 'pass' })
  })

  it.each([
    ["default-src *, connect-src 'self'", 'fail'],
    [`connect-src *; img-src 'self',default-src 'none'`, 'fail'],
    ["default-src * 'unsafe-inline', connect-src https:", 'pass'],
    [', ,', 'pass'],
  ])('is held to each of the policies of one header, as in %j: %s', async (policies, allowed) => {
    expect(await look(snippet, policies)).toMatchObject({ policy_allows: allowed })
  })

  const signed = snippet.replaceAll('<script', '<script nonce="aB1+/="')
  const external = `<script src="${origin}/tracker/v1/touchline.js" data-touchline="{&quot;key&quot;:&quot;${key}&quot;}"></script>`
  it.each([
    ['code that nothing allows', snippet, `'self' ${origin}`, 'fail'],
    ['code as any other', snippet, `${origin} 'Unsafe-Inline'`, 'pass'],
    ['code as any other, which a nonce takes back', snippet, `${origin} 'unsafe-inline' 'nonce-x'`, 'fail'],
    ['code as any other, which a hash takes back', snippet, `${origin} 'unsafe-inline' 'sha256-eA=='`, 'fail'],
    ['code as any other, which trust takes back', snippet, `${origin} 'unsafe-inline' 'strict-dynamic'`, 'fail'],
    ['code with its nonce', signed, "'nonce-aB1+/='", 'pass'],
    ['code with its nonce, of trusted scripts', signed, "'strict-dynamic' 'NONCE-aB1+/='", 'pass'],
    ['code with a nonce in other letters', signed, `${origin} 'nonce-ab1+/='`, 'fail'],
    ['code with a nonce that the policy does not have', signed, `${origin} 'nonce-other'`, 'fail'],
    ['code without the nonce', snippet, `${origin} 'nonce-aB1+/='`, 'fail'],
    ['code by its hash', snippet, `${origin} ${hash('sha256')}`, 'pass'],
    ['code by a longer hash', snippet, `${origin} ${hash('sha384')}`, 'pass'],
    [
      'code by the longest hash',
      snippet,
      `${origin} ${hash('sha512').replaceAll('+', '-').replaceAll('/', '_')}`,
      'pass',
    ],
    ['code that came with other ends of lines', snippet.replace('\n', '\r\n'), `${origin} ${hash('sha256')}`, 'pass'],
    ['code by the hash of other code', snippet.replace('init', ' init'), `${origin} ${hash('sha256')}`, 'fail'],
    ['code, but not what it loads', snippet, "'unsafe-inline'", 'fail'],
    ['one element without code', external, `'self' ${origin}`, 'pass'],
    ['one element without code, from elsewhere', external, "'self'", 'fail'],
  ])('with %s', async (_, html, sources, allowed) => {
    expect(await look(html, `default-src *; script-src ${sources}`)).toMatchObject({ policy_allows: allowed })
    expect(await look(html, `script-src *; connect-src *; script-src-elem ${sources}`)).toMatchObject({
      policy_allows: allowed,
    })
  })

  it('is told when it is only the code in it that the policy forbids', async () => {
    const { messages } = await look(snippet, `script-src ${origin}`)
    expect(messages.policy_allows).toContain('forbids code in the page')
  })
})
