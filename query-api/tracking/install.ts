import type pg from 'pg'
import { pixelLoader } from '../../domain/pixel.ts'
import { fillLoader, type SnippetSettings, snippetElements } from '../../domain/snippet.ts'
import { collectPath, pinnedTrackerPath, trackerPath } from '../../domain/tracker-paths.ts'
import type { TrackingSettings } from '../../domain/tracking-settings.ts'
import { ApiError } from '../../http/operation.ts'
import { asProfile } from '../../postgres/as-profile.ts'
import { trackedHost } from '../../postgres/stores/custom-domains.ts'
import { listTrackingKeys } from '../../postgres/stores/tracking-keys.ts'
import { readTrackingSettings } from '../../postgres/stores/tracking-settings.ts'
import type { TrackerFiles } from '../tracking-operation.ts'

export interface Origin {
  origin: string
  customDomain: string | null
}

/** Where the profile's pages fetch the script and send their hits. */
export const originOf = (trackerUrl: string, host: string | undefined): Origin => ({
  origin: host ? `https://${host}` : trackerUrl,
  customDomain: host ?? null,
})

export interface Installation extends Origin {
  key: string
  src: string
  pinnedSrc: string
  settings: SnippetSettings
  allowedOrigins: readonly string[]
}

/** Everything that an installer says about the profile; it needs a tracking key. */
export async function installationOf(
  postgres: pg.Pool,
  profileId: string,
  { tracker, trackerUrl }: { tracker: TrackerFiles; trackerUrl: string },
): Promise<Installation> {
  const [keys, settings, host] = await asProfile(postgres, profileId, async (tx) => [
    await listTrackingKeys(tx, profileId),
    await readTrackingSettings(tx, profileId),
    await trackedHost(tx, profileId),
  ])
  const [key] = keys
  if (!key) {
    throw new ApiError('invalid_state', 'The profile has no active tracking key: issue one with POST /tracking/keys.', {
      reason: 'no_tracking_key',
    })
  }
  const { origin, customDomain } = originOf(trackerUrl, host)
  return {
    origin,
    customDomain,
    key: key.key,
    src: origin + trackerPath,
    pinnedSrc: origin + pinnedTrackerPath(tracker.hash),
    settings: snippetSettings(key.key, origin + collectPath, settings),
    allowedOrigins: settings.allowed_origins,
  }
}

const snippetSettings = (key: string, url: string, settings: TrackingSettings): SnippetSettings => ({
  key,
  url,
  consent: settings.consent_mode,
  gpc: settings.honour_gpc,
  dnt: settings.honour_dnt,
  spa: settings.spa_mode,
  domain: settings.cookie_domain,
  days: settings.cookie_days,
})

/** What is pasted at the top of a page's head. */
export function snippetOf(tracker: TrackerFiles, { src, settings }: Installation, pixelId?: string): string {
  const pixel = pixelId ? pixelLoader(pixelId) : ''
  return snippetElements(`${pixel}${fillLoader(tracker.loader, src, settings)}`, src)
}
