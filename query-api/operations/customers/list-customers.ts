import { z } from 'zod'
import { fromMinorAsNumber } from '../../../domain/money.ts'
import { parseSearchTerm } from '../../../domain/search-term.ts'
import { deviceOf, devices } from '../../../domain/user-agent.ts'
import { ApiError, DateRange, limit, page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { fullName } from '../../../postgres/stores/customer-profiles.ts'
import { goalKeys } from '../../../postgres/stores/goal-keys.ts'
import { revenueTypes } from '../../../schemas/messages.ts'
import { operation } from '../../operation.ts'
import type { Wanted } from './find-conversions.ts'
import { readList } from './read-list.ts'

const CustomerRow = z
  .object({
    conversion_id: z.uuid(),
    customer_profile_id: z.uuid().meta({ description: 'Customer, or anonymous visitor; the journey takes it.' }),
    name: z.string().nullable().meta({ description: 'Null for anonymous visitors and erased customers.' }),
    email: z.string().nullable(),
    country: z.string().nullable().meta({ description: 'ISO code of the converting session; null when unknown.' }),
    device: z.enum(devices).nullable(),
    channel: z.string().nullable().meta({ description: 'Of the last touch in the window; null without one.' }),
    source: z.string().nullable().meta({ description: 'Traffic source of that touch.' }),
    revenue: z.number().meta({ description: 'Value less refunds in the reporting currency; 0 when it has none.' }),
    revenue_type: z.enum(revenueTypes),
    conversion_time: z.iso.datetime(),
    time_to_complete_seconds: z
      .number()
      .nullable()
      .meta({ description: 'From the first touch in the window to the conversion; null without one.' }),
    touch_count: z.int().meta({ description: 'Touches in the window, direct ones left out.' }),
    touch_channels: z
      .array(z.string())
      .meta({ description: 'Distinct channels of all touches in the window, in order.' }),
    conversion_count: z.int().meta({ description: 'Conversions of the customer in all, of every goal.' }),
    total_revenue: z.number().meta({ description: 'Cash of the customer in all, less refunds.' }),
  })
  .meta({ id: 'CustomerRow' })

const Query = DateRange.safeExtend({
  goal: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'Key of a conversion definition.', examples: ['payment_received'] }),
  search: z.string().max(200).optional().meta({ description: 'A part of the name or e-mail.' }),
  limit: limit({ default: 10, max: 100 }),
  cursor_time: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: 'What stands before the | of the previous cursor; sent together with cursor_id.' }),
  cursor_id: z.uuid().optional().meta({ description: 'What stands behind the | of the previous cursor.' }),
}).superRefine(({ cursor_time, cursor_id }, context) => {
  if ((cursor_time === undefined) === (cursor_id === undefined)) return
  const missing = cursor_time === undefined ? 'cursor_time' : 'cursor_id'
  context.addIssue({ code: 'custom', path: [missing], message: 'is the other half of the cursor: send both or none' })
})

export const listCustomers = operation({
  id: 'listCustomers',
  method: 'GET',
  url: '/customers',
  summary: 'List the customers who reached a goal',
  description:
    'One row a conversion, newest first. While `has_next` is true, split `cursor` at the | and send both halves. ' +
    'Rows that arrive meanwhile neither repeat nor hide others.',
  tags: ['Customers'],
  scopes: ['customers:read'],
  readsPersons: true,
  query: Query,
  response: page(CustomerRow, { meta: { date_from: z.string(), date_to: z.string() } }),
  handler: async ({ query, profile, clickhouse, postgres, persons }) => {
    const { goal, date_from, date_to, limit } = query
    const wanted = { profile: profile.id, goal, from: date_from, to: date_to, limit: limit + 1, behind: placeOf(query) }
    const term = parseSearchTerm(query.search ?? '')
    const [goals, listed] = await Promise.all([
      asProfile(postgres, profile.id, (tx) => goalKeys(tx, profile.id)),
      readList({ postgres, clickhouse }, wanted, term),
    ])
    if (!goals.includes(goal)) {
      throw new ApiError('invalid_parameter', `goal: this profile knows ${goals.join(', ') || 'no goal'}.`, { goals })
    }
    const shown = listed.slice(0, limit)
    const money = (minor: bigint | null) => fromMinorAsNumber(minor ?? 0n, profile.reportingCurrency)
    const data = shown.map(({ customer, person, ...conversion }) => ({
      conversion_id: conversion.conversion_id,
      customer_profile_id: customer.id,
      name: person ? fullName(person) : null,
      email: person?.email ?? null,
      country: conversion.country,
      device: deviceOf(conversion.device),
      channel: conversion.channel,
      source: conversion.source,
      revenue: money(conversion.net_minor),
      revenue_type: conversion.revenue_type as z.infer<typeof CustomerRow>['revenue_type'],
      conversion_time: conversion.occurred_at,
      time_to_complete_seconds: secondsBetween(conversion.first_touch_at, conversion.occurred_at),
      touch_count: conversion.touch_count,
      touch_channels: conversion.touch_channels,
      conversion_count: customer.conversion_count,
      total_revenue: money(customer.cash_minor),
    }))
    persons(new Set(data.map((row) => row.customer_profile_id)).size)
    const last = listed.length > limit ? shown.at(-1) : undefined
    const cursor = last ? `${last.occurred_at}|${last.conversion_id}` : null
    return { data, pagination: { has_next: cursor !== null, cursor }, meta: { date_from, date_to } }
  },
})

const secondsBetween = (from: string | null, to: string) =>
  from === null ? null : (Date.parse(to) - Date.parse(from)) / 1000

function placeOf({ cursor_time, cursor_id }: z.output<typeof Query>): Wanted['behind'] {
  if (cursor_time === undefined || cursor_id === undefined) return null
  return { newest_first: -Date.parse(cursor_time), conversion_id: cursor_id.toLowerCase() }
}
