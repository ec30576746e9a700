export const objectives = ['messaging', 'sales', 'leads', 'traffic', 'awareness'] as const
export type Objective = (typeof objectives)[number]

/** What an ad does not say, or says in words that no rule knows. */
export const unknown = 'unknown'

/** Beginnings of words; the first match wins. Platforms have a vocabulary each, and change it: its words are what lasts. */
const objectiveWords: [RegExp, Objective][] = [
  [/(^|_)(messag|conversation|whatsapp|dm(_|$))/, 'messaging'],
  [/(^|_)(lead|form|appointment|signup|registration)/, 'leads'],
  [/(^|_)(sale|purchase|conversion|catalog|shopping|search|performance|revenue|app)/, 'sales'],
  [/(^|_)(traffic|click|visit|landing)/, 'traffic'],
  [/(^|_)(aware|reach|view|brand|engagement|display|like|follow)/, 'awareness'],
]

/** The five objectives that ads are compared by; an ad for engagement that starts conversations is for messaging. */
export function objectiveOf(platformObjective: string, { hasConversations }: { hasConversations: boolean }) {
  const text = labelOf(platformObjective)
  if (text === unknown) return unknown
  if (hasConversations && text.includes('engagement')) return 'messaging'
  return objectiveWords.find(([words]) => words.test(text))?.[1] ?? unknown
}

/** One spelling for labels that people and platforms type: `UGC Video` is `ugc_video`. */
export function labelOf(text: string): string {
  const label = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
  return label || unknown
}

/** A video of its own, or a format that is one. */
export const isVideo = (videoId: string, format: string): boolean =>
  videoId !== '' || /(^|_)(video|reel|reels|talking_head)(_|$)/.test(labelOf(format))
