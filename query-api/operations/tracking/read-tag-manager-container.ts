import { z } from 'zod'
import { tagManagerContainer } from '../../../domain/tag-manager.ts'
import { File, one } from '../../../http/operation.ts'
import { installationOf, snippetOf } from '../../tracking/install.ts'
import { operation } from '../../tracking-operation.ts'

const fileName = 'touchline-container.json'

const Container = z
  .object({
    file_name: z.string().meta({ examples: [fileName] }),
    container: z
      .record(z.string(), z.unknown())
      .meta({ description: 'In the tag manager’s export format, version 2: what its import takes, saved as a file.' }),
  })
  .meta({ id: 'TagManagerContainer' })

export const readTagManagerContainer = operation({
  id: 'readTagManagerContainer',
  method: 'GET',
  url: '/tracking/installers/gtm',
  summary: 'Read a tag-manager container that installs the tracker',
  description:
    'Import it with “merge”: it adds one tag that fires on all pages. A tag manager loads after the page’s own scripts, so these may see a link token before it is taken out of the address; the snippet does not have that gap.',
  tags: ['Tracking'],
  scopes: ['analytics:read', 'attribution:write'],
  query: z.object({
    download: z
      .enum(['true', 'false'])
      .default('false')
      .meta({ description: 'The container alone, as a file that can be imported as it is.' }),
  }),
  response: one(Container),
  files: { 'application/octet-stream': 'The container alone, with `download=true`.' },
  errors: ['invalid_state'],
  handler: async ({ query, profile, postgres, tracker, trackerUrl, request, reply }) => {
    const installation = await installationOf(postgres, profile.id, { tracker, trackerUrl })
    const container = tagManagerContainer(snippetOf(tracker, installation), request.receivedAt)
    if (query.download === 'false') return { file_name: fileName, container }
    reply.header('content-disposition', `attachment; filename="${fileName}"`)
    return new File('application/octet-stream', JSON.stringify(container, null, 2))
  },
})
