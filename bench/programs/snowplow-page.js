// What a page that uses Snowplow's tracker bundles, at the least: one tracker and one view.
import { newTracker, trackPageView } from '@snowplow/browser-tracker'

newTracker('page', location.origin, { appId: 'page' })
trackPageView()
