import { describe, expect, it } from 'vitest'
import { isVideo, labelOf, objectiveOf, objectives } from '../../../domain/performers/creative.ts'
import { maturityStage, primaryOutcomeKind, truthGrade } from '../../../domain/performers/grades.ts'
import { layers, layerWeights } from '../../../domain/performers/layers.ts'
import { percentileRanks } from '../../../domain/performers/percentile.ts'
import { lastClosedDay, windowDays } from '../../../domain/performers/windows.ts'
import { ad } from './ads.ts'

describe('windows', () => {
  it.each([
    ['2026-11-15T05:00:00Z', 'UTC', '2026-11-14', 'a day is scored from four o’clock on'],
    ['2026-11-15T03:59:00Z', 'UTC', '2026-11-13', 'before that the one before it is the newest'],
    ['2026-11-15T05:00:00Z', 'America/Santiago', '2026-11-13', 'two in the morning there'],
    ['2026-11-14T18:00:00Z', 'Pacific/Auckland', '2026-11-14', 'already the 15th there'],
  ])('at %s in %s the newest closed day is %s: %s', (now, timezone, day) => {
    expect(lastClosedDay(Date.parse(now), timezone)).toBe(day)
  })

  it('end with the newest closed day, both ends inclusive', () => {
    expect(windowDays('7d', '2026-03-03')).toEqual({ from: '2026-02-25', to: '2026-03-03' })
    expect(windowDays('28d', '2026-03-28')).toEqual({ from: '2026-03-01', to: '2026-03-28' })
    expect(windowDays('lifetime', '2026-03-03')).toEqual({ from: '2000-01-01', to: '2026-03-03' })
  })
})

describe('what an ad is', () => {
  it.each([
    ['OUTCOME_SALES', false, 'sales'],
    ['PRODUCT_CATALOG_SALES', false, 'sales'],
    ['CONVERSIONS', false, 'sales'],
    ['SEARCH', false, 'sales'],
    ['PERFORMANCE_MAX', false, 'sales'],
    ['OUTCOME_LEADS', false, 'leads'],
    ['LEAD_GENERATION', true, 'leads'],
    ['MESSAGES', false, 'messaging'],
    ['OUTCOME_ENGAGEMENT', true, 'messaging'],
    ['OUTCOME_ENGAGEMENT', false, 'awareness'],
    ['LINK_CLICKS', false, 'traffic'],
    ['OUTCOME_TRAFFIC', false, 'traffic'],
    ['OUTCOME_AWARENESS', false, 'awareness'],
    ['Video views', false, 'awareness'],
    ['', false, 'unknown'],
    ['Something else', false, 'unknown'],
  ])('objective %j with conversations %j is %s', (objective, hasConversations, expected) => {
    expect(objectiveOf(objective, { hasConversations })).toBe(expected)
  })

  it.each([
    ['UGC Video', 'ugc_video'],
    ['  talking-head ', 'talking_head'],
    ['CAROUSEL', 'carousel'],
    ['Imagen estática', 'imagen_estática'],
    ['|', 'unknown'],
    ['', 'unknown'],
  ])('label %j is spelt %s', (text, expected) => {
    expect(labelOf(text)).toBe(expected)
  })

  it.each([
    ['v1', '', true],
    ['', 'UGC video', true],
    ['', 'talking_head', true],
    ['', 'Reels', true],
    ['', 'static', false],
    ['', '', false],
  ])('with video id %j and format %j is a video: %j', (videoId, format, expected) => {
    expect(isVideo(videoId, format)).toBe(expected)
  })
})

describe('maturity', () => {
  it.each([
    [{ impressions: 999, outcomes: 0, deliveryDays: 9 }, 'cold'],
    [{ impressions: 1_000, outcomes: 0, deliveryDays: 1 }, 'early'],
    [{ impressions: 10, outcomes: 1, deliveryDays: 1 }, 'early'],
    [{ impressions: 10_000, outcomes: 0, deliveryDays: 2 }, 'early'],
    [{ impressions: 10_000, outcomes: 0, deliveryDays: 3 }, 'mature'],
    [{ impressions: 0, outcomes: 10, deliveryDays: 0 }, 'mature'],
    [{ impressions: 90_000, outcomes: 50, deliveryDays: 6 }, 'mature'],
    [{ impressions: 90_000, outcomes: 49, deliveryDays: 7 }, 'mature'],
    [{ impressions: 90_000, outcomes: 50, deliveryDays: 7 }, 'calibrated'],
  ])('of %j is %s', (evidence, stage) => {
    expect(maturityStage(evidence)).toBe(stage)
  })
})

describe('grades', () => {
  it.each([
    [{ outcomes: 0, isLiftValidated: false }, 'predicted'],
    [{ outcomes: 1, isLiftValidated: false }, 'attributed'],
    [{ outcomes: 0, isLiftValidated: true }, 'lift'],
  ])('%j is %s', (evidence, grade) => {
    expect(truthGrade(evidence)).toBe(grade)
  })

  it.each([
    [{ cashOutcomes: 1, pipelineOutcomes: 9, messagingOutcomes: 9, platformConversions: 9 }, 'cash'],
    [{ pipelineOutcomes: 1, messagingOutcomes: 9, platformConversions: 9 }, 'pipeline'],
    [{ messagingOutcomes: 1, platformConversions: 9 }, 'messaging'],
    [{ platformConversions: 1 }, 'meta'],
    [{ platformConversions: 0 }, 'none'],
    [{ platformConversions: null }, 'none'],
  ])('of %j the headline is %s', (parts, kind) => {
    expect(primaryOutcomeKind(ad('1', parts))).toBe(kind)
  })
})

describe('percentile ranks', () => {
  it('count the lower ones and half of the equal ones', () => {
    const rank = percentileRanks([1, 2, 2, 3])
    expect([1, 2, 3].map(rank)).toEqual([12.5, 50, 87.5])
    expect(percentileRanks([7])(7)).toBe(50)
  })
})

it('weighs the layers of every objective to a hundred', () => {
  for (const objective of [...objectives, 'unknown', 'any', 'constructor']) {
    expect(layers.reduce((sum, layer) => sum + layerWeights(objective)[layer], 0)).toBe(100)
  }
})
