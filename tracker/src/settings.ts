import type { Moment } from './moment.ts'

/** What the snippet says to the script. Names are short because every page carries them. */
export interface Settings {
  /** The profile's tracking key. */
  key: string
  /** Where hits are sent: the collector's whole address. */
  url: string
  /** Whether nothing is stored or sent before `touchline.consent(true)`. */
  consent?: 'required' | 'not_required'
  /** Whether Global Privacy Control and Do Not Track are a refusal. */
  gpc?: boolean
  dnt?: boolean
  /** Which changes of the address are page views. */
  spa?: 'history' | 'hash' | 'off'
  /** The cookie's domain; the widest that the browser takes unless given. */
  domain?: string | null
  /** How long the cookie lives, in days. */
  days?: number
}

export type Command = [name: string, ...args: unknown[]]

/** A command with the moment it was given in. */
export interface Call {
  name: string
  args: unknown[]
  moment: Moment
}

/** `window.touchline`: a list of calls until the script is there, the script's own functions afterwards. */
export interface Api {
  push(command: Command): unknown
  /** When and where each call in the list was made; older loaders do not say. */
  moments?: Moment[]
  /** The script's address; from the loader. */
  src?: string
  /** The link token that the loader has taken out of the address bar, as it stood there. */
  token?: string | undefined
  isLoaded?: boolean
  [name: string]: unknown
}
