import { z } from 'zod'
import {
  consentModes,
  isHostName,
  isOriginPattern,
  locationDetails,
  plainOrigin,
  spaModes,
} from '../../../domain/tracking-settings.ts'

const lower = z.string().transform((text) => text.trim().toLowerCase())

const shape = {
  consent_mode: z.enum(consentModes).meta({
    description: '`required`: the tracker stores and sends nothing before `touchline.consent(true)`.',
  }),
  honour_gpc: z.boolean().meta({ description: 'Global Privacy Control is a refusal.' }),
  honour_dnt: z.boolean().meta({ description: 'Do Not Track is a refusal.' }),
  spa_mode: z.enum(spaModes).meta({
    description:
      'Which changes of the address are page views: of the path and query, of the fragment as well, or none.',
  }),
  cookie_domain: z
    .string()
    .nullable()
    .meta({ description: 'Null is the widest domain that the browser takes.', examples: ['example.com'] }),
  cookie_days: z.int().min(1).max(400),
  allowed_origins: z
    .array(z.string())
    .max(50)
    .meta({
      description:
        'Whose hits are taken; an empty list is everybody’s. A store’s pixel sends from no origin: list `null` for it.',
      examples: [['https://www.example.com', 'https://*.example.org']],
    }),
  location_detail: z.enum(locationDetails).meta({ description: 'What is kept of where a hit came from.' }),
}

export const TrackingSettings = z.object(shape).meta({ id: 'TrackingSettings' })

/** Every setting on its own; one that does not exist is refused. */
export const TrackingSettingsChange = z
  .strictObject({
    ...shape,
    cookie_domain: lower.refine(isHostName, { error: 'must be a host name' }).nullable(),
    allowed_origins: z
      .array(
        lower
          .refine(isOriginPattern, { error: 'must be an origin, like https://www.example.com' })
          .transform(plainOrigin),
      )
      .max(50),
  })
  .partial()
  .meta({ id: 'TrackingSettingsChange', examples: [{ consent_mode: 'required', honour_gpc: true }] })
