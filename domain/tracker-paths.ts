/** Where the collector takes hits, under any host that is served. */
export const collectPath = '/collect'

export const trackerFolder = '/tracker/v1/'

/** The script for ever, always the newest. */
export const trackerPath = `${trackerFolder}touchline.js`

/** One script by its content, which never changes. */
export const pinnedTrackerPath = (hash: string): string => `${trackerFolder}${hash}.js`
