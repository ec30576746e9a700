import { describe, expect, it } from 'vitest'
import {
  adPlatforms,
  canonicalAction,
  paidSources,
  platformAliases,
  platformName,
  platformNames,
  reportedBasis,
} from '../../domain/ad-platforms.ts'
import { sourceOfTag } from '../../domain/traffic-sources.ts'

const action = (actionType: string, count: number) => ({ actionType, count, value: null })

describe('ad platforms', () => {
  it.each([
    ['facebook', 'meta'],
    ['meta', 'meta'],
    ['google_ads', 'google'],
    ['bing', 'microsoft'],
    ['somewhere', 'somewhere'],
  ])('calls %s %s', (delivered, name) => {
    expect(platformName(delivered)).toBe(name)
    expect(platformNames(name)).toContain(delivered)
  })

  it('have names, aliases and sources of their own', () => {
    const names = [...Object.keys(adPlatforms), ...platformAliases.aliases]
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(paidSources.sources).size).toBe(paidSources.sources.length)
  })

  it('list only sources that a click can be classified as', () => {
    for (const source of paidSources.sources) expect(sourceOfTag(source)?.name).toBe(source)
  })

  it('say what their count means', () => {
    expect(reportedBasis('facebook').actionType).toBe('omni_purchase')
    expect(reportedBasis('somewhere').actionType).toBe('as_reported')
  })
})

describe('the canonical action', () => {
  it.each([
    [
      'one of three ways to tell the same purchases',
      ['purchase', 'offsite_conversion.fb_pixel_purchase', 'omni_purchase'],
      'omni_purchase',
    ],
    ['whatever order they come in', ['omni_purchase', 'purchase'], 'omni_purchase'],
    [
      'the next best where the best is not reported',
      ['link_click', 'offsite_conversion.fb_pixel_purchase', 'purchase'],
      'purchase',
    ],
    ['nothing among actions that are no purchase', ['link_click', 'lead'], undefined],
    ['nothing among nothing', [], undefined],
  ])('is %s', (_, types, expected) => {
    const picked = canonicalAction(
      'meta',
      types.map((type, at) => action(type, at + 1)),
    )
    expect(picked?.actionType).toBe(expected)
  })

  it('is none on a platform that is not listed', () => {
    expect(canonicalAction('somewhere', [action('purchase', 1)])).toBeUndefined()
  })
})
