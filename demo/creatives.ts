import type { Ad, Purpose } from './ads.ts'

export interface Creative {
  creative_format: string
  creative_thumbnail_url: string
  video_id: string | null
  hook_type: string
  cta_type: string
  primary_angle: string
  offers: string[]
  audience_warmth: string
  geo: string
  placement: string
}

type Look = Pick<Creative, 'creative_format' | 'hook_type' | 'cta_type' | 'primary_angle' | 'offers'>

/** By what the ad's name begins with. */
const looks: [name: string, look: Look][] = [
  ['Spring offer', look('static', 'discount', 'SHOP_NOW', 'price', ['10 % off in spring'])],
  ['Test ride', look('ugc_video', 'testimonial', 'BOOK_NOW', 'try it first', ['Free test ride'])],
  ['City story', look('carousel', 'story', 'LEARN_MORE', 'freedom', [])],
]
const warmth: Record<Purpose, string> = {
  prospecting: 'cold',
  search: 'warm',
  brand: 'hot',
  retargeting: 'hot',
  lead_form: 'cold',
}

/** What the ad shows and to whom, as a platform describes it. */
export function creativeOf(ad: Ad): Creative {
  const [, look] = looks.find(([name]) => ad.adName.startsWith(name))!
  return {
    ...look,
    creative_thumbnail_url: `https://cdn.harbour-bikes.example/${ad.adId}.jpg`,
    video_id: look.creative_format === 'ugc_video' ? `v${ad.adId}` : null,
    audience_warmth: warmth[ad.purpose],
    geo: 'US',
    placement: ad.platform === 'google' ? 'search' : 'feed',
  }
}

function look(format: string, hook: string, cta: string, angle: string, offers: string[]): Look {
  return { creative_format: format, hook_type: hook, cta_type: cta, primary_angle: angle, offers }
}
