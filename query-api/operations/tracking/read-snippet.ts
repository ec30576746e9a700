import { z } from 'zod'
import { pixelLoader } from '../../../domain/pixel.ts'
import { bundledScript, scriptTag } from '../../../domain/snippet.ts'
import { File, one } from '../../../http/operation.ts'
import { installationOf, snippetOf } from '../../tracking/install.ts'
import { operation } from '../../tracking-operation.ts'

const Snippet = z
  .object({
    snippet: z
      .string()
      .meta({ description: 'HTML for the top of every page’s head: settings, and the script without waiting.' }),
    tag: z.string().meta({
      description:
        'One element without code in the page, for a content-security policy that forbids it. It has to be the first script.',
    }),
    src: z.url().meta({
      description: 'The script, always the newest.',
      examples: ['https://t.example.com/tracker/v1/touchline.js'],
    }),
    pinned: z
      .object({ src: z.url(), integrity: z.string() })
      .meta({ id: 'PinnedScript', description: 'This very script, unchanged for ever, and its integrity value.' }),
    collect_url: z.url(),
    tracking_key: z.string(),
    pixel_id: z.string().nullable(),
  })
  .meta({ id: 'Snippet' })

const script = 'text/javascript'

export const readSnippet = operation({
  id: 'readSnippet',
  method: 'GET',
  url: '/tracking/snippet',
  summary: 'Read what installs the tracker on a site',
  description:
    'With `Accept: text/javascript` the answer is the whole script with its settings in one file, for a site that serves it itself. The settings are those of this moment: fetch it again after a change.',
  tags: ['Tracking'],
  scopes: ['analytics:read', 'attribution:write'],
  query: z.object({
    pixel_id: z
      .string()
      .regex(/^\d{5,20}$/, { error: 'must be the digits of a pixel id' })
      .optional()
      .meta({
        description: 'Bundles the ad platform’s pixel, under the same consent.',
        examples: ['1234567890123456'],
      }),
  }),
  response: one(Snippet),
  files: { [script]: 'The script with its settings, when `Accept` asks for it.' },
  errors: ['invalid_state'],
  handler: async ({ query, profile, postgres, tracker, trackerUrl, request, reply }) => {
    const { pixel_id: pixelId } = query
    const installation = await installationOf(postgres, profile.id, { tracker, trackerUrl })
    reply.header('vary', 'Accept')
    if (wantsScript(request.header('accept'))) {
      const pixel = pixelId ? `${pixelLoader(pixelId)}\n` : ''
      return new File(script, pixel + bundledScript(tracker.script, installation.settings))
    }
    const { src, pinnedSrc, settings, key } = installation
    return {
      snippet: snippetOf(tracker, installation, pixelId),
      tag: scriptTag(src, settings),
      src,
      pinned: { src: pinnedSrc, integrity: tracker.integrity },
      collect_url: settings.url,
      tracking_key: key,
      pixel_id: pixelId ?? null,
    }
  },
})

/** JSON unless a script is asked for by name. */
const wantsScript = (accept = '') =>
  accept.split(',').some((entry) => /^(text|application)\/javascript\s*(;|$)/i.test(entry.trim()))
