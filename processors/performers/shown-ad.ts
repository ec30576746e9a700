import type { z } from 'zod'
import type { adEvidence } from '../../clickhouse/queries/ad-evidence.ts'
import { fromMinorAsNumber } from '../../domain/money.ts'
import { isVideo, labelOf, objectiveOf, unknown } from '../../domain/performers/creative.ts'
import type { AdEvidence } from '../../domain/performers/evidence.ts'
import type { ScoredAd } from '../../domain/performers/score-ads.ts'
import type { ScoreWindow } from '../../domain/performers/windows.ts'
import { ratio } from '../../domain/ratio.ts'
import type { AdScoreRow } from '../../postgres/stores/ad-scores.ts'

type WarehouseRow = z.output<typeof adEvidence.row>

/** The evidence that ads are scored by, with the warehouse's row beside it. */
export interface Ad extends AdEvidence {
  row: WarehouseRow
}

export function toEvidence(row: WarehouseRow, currency: string): Ad {
  const money = (minor: bigint) => fromMinorAsNumber(minor, currency)
  const conversations = row.conversations ?? (row.messaging_outcomes > 0 ? row.messaging_outcomes : null)
  return {
    row,
    adExternalId: row.external_id,
    channel: row.platform,
    format: labelOf(row.creative_format),
    objective: objectiveOf(row.objective, { hasConversations: (conversations ?? 0) > 0 }),
    audienceWarmth: labelOf(row.audience_warmth),
    geo: labelOf(row.geo),
    placement: labelOf(row.placement),
    deliveryDays: row.delivery_days,
    spend: money(row.spend_minor),
    isSpendWhole: row.unrated_days === 0,
    impressions: row.impressions,
    clicks: row.clicks,
    outcomes: row.outcomes,
    cashOutcomes: row.cash_outcomes,
    cashValue: money(row.cash_minor),
    pipelineOutcomes: row.pipeline_outcomes,
    pipelineValue: money(row.pipeline_minor),
    messagingOutcomes: row.messaging_outcomes,
    platformConversions: row.platform_conversions,
    platformValue: row.platform_value_minor === null ? null : money(row.platform_value_minor),
    conversations,
    firstReplyRate: row.first_reply_rate,
    engagementScore: row.engagement_score,
    // No source of experiments is connected: nothing can claim more than credit.
    isLiftValidated: false,
  }
}

const said = (text: string) => text || null
const labelled = (text: string) => (text === unknown ? null : text)

/** A place of the ranking as it is stored: what it is filtered by, and the fields of SPEC 2.8. */
export function toScoreRow(window: ScoreWindow, scored: ScoredAd<Ad>): AdScoreRow {
  const { ad, cohort } = scored
  const { row } = ad
  const spend = ad.isSpendWhole ? ad.spend : null
  return {
    rank: scored.rank,
    spend: ad.spend,
    objective: ad.objective,
    format: ad.format,
    is_video: isVideo(row.video_id, row.creative_format),
    truth_grade: scored.truthGrade,
    outcome_kind: scored.primaryOutcomeKind,
    ad: {
      ad_external_id: row.external_id,
      ad_name: row.name,
      campaign_name: row.campaign_name,
      ad_set_name: row.ad_set_name,
      creative_thumbnail_url: said(row.creative_thumbnail_url),
      video_id: said(row.video_id),
      score_window: window,
      composite_score: scored.compositeScore,
      top_performer_likelihood: scored.likelihood,
      model_version: scored.modelVersion,
      score_source: scored.scoreSource,
      maturity_stage: scored.maturityStage,
      truth_grade: scored.truthGrade,
      primary_outcome_kind: scored.primaryOutcomeKind,
      cohort_key: cohort.key,
      cohort_objective: cohort.objective,
      cohort_format: cohort.format,
      cohort_audience_warmth: cohort.audienceWarmth,
      cohort_n_ads: cohort.size,
      hook_type: said(row.hook_type),
      creative_format: labelled(ad.format),
      cta_type: said(row.cta_type),
      primary_angle: said(row.primary_angle),
      offers: row.offers,
      spend: ad.spend,
      impressions: ad.impressions,
      ctr: ratio(ad.clicks * 100, ad.impressions),
      cpc: ratio(spend, ad.clicks),
      attributed_cash_outcomes: ad.cashOutcomes,
      attributed_revenue: ad.cashValue,
      roas: ratio(ad.cashValue, spend),
      cac: ratio(spend, ad.cashOutcomes),
      attributed_outcomes_total: ad.outcomes,
      attributed_pipeline_outcomes: ad.pipelineOutcomes,
      attributed_pipeline_value: ad.pipelineValue,
      meta_reported_conversions: ad.platformConversions,
      meta_reported_conversion_value: ad.platformValue,
      cost_per_conversation: ratio(spend, ad.conversations ?? 0),
      messaging_conversations_started: ad.conversations,
      first_reply_rate: ad.firstReplyRate,
      avg_engagement_score: ad.engagementScore,
      reason_codes: scored.reasonCodes.map(({ layer, polarity, percentile, sampleConfidence }) => ({
        layer,
        polarity,
        percentile,
        sample_confidence: sampleConfidence,
      })),
    },
  }
}
