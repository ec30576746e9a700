import Bowser from 'bowser'
import { isbot } from 'isbot'
import { LRUCache } from 'lru-cache'

export const devices = ['desktop', 'mobile', 'tablet'] as const

/** Null for what is none of them. */
export const deviceOf = (text: string | null | undefined) => devices.find((device) => device === text) ?? null

export interface Agent {
  device: (typeof devices)[number] | null
  browser: string | null
  os: string | null
  isBot: boolean
}

const unknown: Agent = { device: null, browser: null, os: null, isBot: false }
const maxLength = 512

// Parsing costs some ten microseconds, and a few thousand strings make up nearly all traffic.
const recent = new LRUCache<string, Agent>({ max: 5_000 })

/** What a user-agent string says; null where it says nothing. */
export function parseUserAgent(header: string | undefined): Agent {
  if (!header) return unknown
  const text = header.slice(0, maxLength)
  const known = recent.get(text)
  if (known) return known
  const agent = parse(text)
  recent.set(text, agent)
  return agent
}

function parse(text: string): Agent {
  const { browser, os, platform } = Bowser.parse(text)
  return {
    device: deviceOf(platform.type),
    browser: browser.name || null,
    os: os.name || null,
    isBot: isbot(text),
  }
}
