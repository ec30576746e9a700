import { expect, test } from 'vitest'
import { parseUserAgent } from '../../domain/user-agent.ts'

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    { device: 'desktop', browser: 'Chrome', os: 'Windows', isBot: false },
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    { device: 'mobile', browser: 'Safari', os: 'iOS', isBot: false },
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.0 Mobile/15E148 Safari/604.1',
    { device: 'tablet', browser: 'Safari', os: 'iOS', isBot: false },
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    { device: 'desktop', browser: 'Firefox', os: 'Linux', isBot: false },
  ],
])('%s', (header, agent) => {
  expect(parseUserAgent(header)).toEqual(agent)
})

test.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'curl/8.5.0',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36',
])('%s is a bot', (header) => {
  expect(parseUserAgent(header).isBot).toBe(true)
})

test.each([undefined, '', '???', 'x'.repeat(100_000)])('an unknown agent is null, never invented', (header) => {
  expect(parseUserAgent(header)).toMatchObject({ device: null, browser: null, os: null })
})
