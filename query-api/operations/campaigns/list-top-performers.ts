import { z } from 'zod'
import { labelOf, objectives } from '../../../domain/performers/creative.ts'
import { maturityStages, outcomeKinds, truthGrades } from '../../../domain/performers/grades.ts'
import { layers } from '../../../domain/performers/layers.ts'
import { scoreWindows } from '../../../domain/performers/windows.ts'
import { limit, page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { lastRanking, topPerformers } from '../../../postgres/stores/ad-scores.ts'
import { operation } from '../../operation.ts'

const count = z.number().nullable()
const text = z.string().nullable()

const ReasonCode = z
  .object({
    layer: z.enum(layers),
    polarity: z.enum(['strength', 'weakness']),
    percentile: z.number().meta({ description: 'Of the cohort, 0 to 100.' }),
    sample_confidence: z.enum(['low', 'medium', 'high']),
  })
  .meta({ id: 'TopPerformerReason' })

const TopPerformer = z
  .object({
    ad_external_id: z.string().meta({ description: 'The platform’s id of the ad.' }),
    ad_name: z.string(),
    campaign_name: z.string(),
    ad_set_name: z.string(),
    creative_thumbnail_url: text,
    video_id: text,
    score_window: z.enum(scoreWindows),
    composite_score: count.meta({
      description:
        '0 to 100: percentile ranks within the cohort, blended. Null when nothing of the ad can be compared.',
    }),
    top_performer_likelihood: z.number().meta({
      description: 'Probability, 0 to 1. Under `rules` a monotone function of composite_score. Neither ROAS nor lift.',
    }),
    model_version: z.int().nullable().meta({ description: 'Of the learned ranker; null under `rules`.' }),
    score_source: z.enum(['model', 'rules']),
    maturity_stage: z.enum(maturityStages).meta({ description: 'How much evidence the window holds.' }),
    truth_grade: z.enum(truthGrades).meta({
      description:
        'predicted: proxy signals only. attributed: at least one conversion is credited. lift: an experiment confirms it.',
    }),
    primary_outcome_kind: z.enum(outcomeKinds).meta({
      description: 'Which outcome to headline; `meta` when only the platform reports conversions.',
    }),
    cohort_key: z.string().meta({
      description: 'channel|format|objective|audience warmth|geo|placement; `any` where the cohort was widened.',
      examples: ['meta|ugc_video|sales|cold|any|any'],
    }),
    cohort_objective: z.string(),
    cohort_format: z.string(),
    cohort_audience_warmth: z.string(),
    cohort_n_ads: z.int().meta({ description: 'Ads in the cohort, this one included.' }),
    hook_type: text,
    creative_format: text,
    cta_type: text,
    primary_angle: text,
    offers: z.array(z.string()),
    spend: z.number().meta({ description: 'In the reporting currency, as all money here.' }),
    impressions: z.int(),
    ctr: count.meta({ description: 'Clicks by impressions, percent.' }),
    cpc: count,
    attributed_cash_outcomes: z.int(),
    attributed_revenue: z.number().meta({ description: 'Credited cash, refunds subtracted.' }),
    roas: count,
    cac: count,
    attributed_outcomes_total: z.int().meta({ description: 'Credited conversions of every kind.' }),
    attributed_pipeline_outcomes: z.int(),
    attributed_pipeline_value: z.number().meta({ description: 'Projected, not cash.' }),
    meta_reported_conversions: count.meta({
      description: 'The platform’s own count; null when it reports none. It never sets truth_grade.',
    }),
    meta_reported_conversion_value: count.meta({
      description: 'What the platform claims; null when it reports nothing, or when a part of it has no exchange rate.',
    }),
    cost_per_conversation: count,
    messaging_conversations_started: count,
    first_reply_rate: count,
    avg_engagement_score: count,
    reason_codes: z.array(ReasonCode).meta({ description: 'What moved the score most comes first.' }),
  })
  .meta({ id: 'TopPerformer' })

/** Comma-separated members of a list. */
const some = <const Value extends string>(values: readonly Value[]) =>
  z
    .string()
    .max(200)
    .transform((list) => list.split(',').map((part) => part.trim()))
    .pipe(z.array(z.enum(values, { error: `must be a comma-separated list of ${values.join(', ')}` })))
    .optional()
    .meta({ description: `Comma-separated: ${values.join(', ')}.`, examples: [values.slice(0, 2).join(',')] })

export const listTopPerformers = operation({
  id: 'listTopPerformers',
  method: 'GET',
  url: '/top-performers',
  summary: 'Rank ads by how they do among their like',
  description:
    'Scores are rebuilt once a day, when the profile’s day has closed. An empty `data` usually means that nothing is scored yet: `meta.scored_at` tells. docs/top-performers.md gives the formula.',
  tags: ['Campaigns'],
  scopes: ['campaigns:read'],
  query: z.object({
    window: z
      .enum(scoreWindows)
      .default('28d')
      .meta({ description: 'The days that the score looks at, ending with the last closed one.' }),
    limit: limit({ default: 10, max: 50 }),
    min_spend: z
      .string()
      .regex(/^\d{1,15}(\.\d{1,6})?$/, { error: 'must be an amount such as 250 or 99.5' })
      .transform(Number)
      .optional()
      .meta({ description: 'Least spend in the window, in the reporting currency.', examples: ['250'] }),
    objectives: some(objectives),
    truth_grades: some(truthGrades),
    outcome_kinds: some(outcomeKinds),
    formats: z
      .string()
      .max(500)
      .transform((list) => list.split(',').map((part) => part.trim()))
      .refine((formats) => formats.every(Boolean), { error: 'must be a comma-separated list of creative formats' })
      .optional()
      .meta({
        description: 'Comma-separated creative formats: ugc_video, talking_head, static, carousel and others.',
        examples: ['ugc_video,carousel'],
      }),
    has_video: z
      .preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean())
      .optional()
      .meta({ description: '`true` keeps video creatives only, `false` static ones only.' }),
  }),
  response: page(TopPerformer, {
    meta: {
      scored_at: z.iso
        .datetime()
        .nullable()
        .meta({ description: 'When the window was scored; null when it never was.' }),
      scored_through: z.iso.date().nullable().meta({ description: 'The last day of the window.' }),
    },
  }),
  handler: ({ query, profile, postgres }) =>
    asProfile(postgres, profile.id, async (tx) => {
      const run = await lastRanking(tx, profile.id, query.window)
      const data = await topPerformers(tx, profile.id, {
        window: query.window,
        limit: query.limit,
        minSpend: query.min_spend,
        objectives: query.objectives,
        formats: query.formats?.map(labelOf),
        truthGrades: query.truth_grades,
        outcomeKinds: query.outcome_kinds,
        isVideo: query.has_video,
      })
      return {
        data: data as z.input<typeof TopPerformer>[],
        meta: { scored_at: run?.scoredAt.toISOString() ?? null, scored_through: run?.throughDay ?? null },
      }
    }),
})
