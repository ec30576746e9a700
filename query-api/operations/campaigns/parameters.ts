import { z } from 'zod'
import { platformName, platformNames } from '../../../domain/ad-platforms.ts'

/** A platform as reports name it; delivery may come under several names of it. */
export const Platform = z
  .string()
  .regex(/^[a-z0-9_]{1,64}$/, 'must be a platform’s name in lower case')
  .optional()
  .meta({ description: 'Only entities of this ad platform.', examples: ['meta'] })

export const deliveredAs = (platform: string | undefined): string[] =>
  platform === undefined ? [] : platformNames(platformName(platform))

export const RangeMeta = { date_from: z.iso.date(), date_to: z.iso.date() }
