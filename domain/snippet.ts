import type { TrackingSettings } from './tracking-settings.ts'

/** What the script is told by the page that carries it; `tracker/src/settings.ts` reads it. */
export interface SnippetSettings {
  key: string
  url: string
  consent: TrackingSettings['consent_mode']
  gpc: boolean
  dnt: boolean
  spa: TrackingSettings['spa_mode']
  domain: string | null
  days: number
}

/** JSON that can stand inside a script element: it neither ends it nor starts a comment. */
export const inlineJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The loader for one profile: where the script is, and its settings. */
export const fillLoader = (loader: string, src: string, settings: SnippetSettings): string =>
  loader.replace('TOUCHLINE_SRC', () => inlineJson(src)).replace('TOUCHLINE_SETTINGS', () => inlineJson(settings))

export const scriptElement = (code: string): string => `<script>${code}</script>`

/**
 * What is pasted into a page: code that runs where it stands, and the script, which holds nothing up. An element that
 * stands in the page costs a fraction of one that code makes.
 */
export const snippetElements = (code: string, src: string): string =>
  `${scriptElement(code)}<script async src="${escapeAttribute(src)}"></script>`

/** One element without a line of code in the page, for sites whose policy forbids it; it loads before what follows. */
export const scriptTag = (src: string, settings: SnippetSettings): string =>
  `<script src="${escapeAttribute(src)}" data-touchline="${escapeAttribute(JSON.stringify(settings))}"></script>`

const escapeAttribute = (text: string) =>
  text.replace(/[&"<>]/g, (sign) => ({ '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' })[sign]!)

/** The whole script with its settings in one file: for a site that serves it itself. */
export const bundledScript = (script: string, settings: SnippetSettings): string =>
  `window.touchline=window.touchline||[];window.touchline.push(["init",${inlineJson(settings)}]);\n${script}`
