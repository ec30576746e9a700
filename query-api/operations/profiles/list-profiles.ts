import { z } from 'zod'
import { Cursor, decodeCursor, encodeCursor } from '../../../http/cursor.ts'
import { limit, page } from '../../../http/operation.ts'
import { listProfilesOf, readProfile } from '../../../postgres/stores/profiles.ts'
import { operation } from '../../operation.ts'
import { Profile, toProfile } from './profile.ts'

const Place = z.tuple([z.uuid()])

export const listProfiles = operation({
  id: 'listProfiles',
  method: 'GET',
  url: '/profiles',
  summary: 'List the profiles that the caller reaches',
  description:
    'Those of a person’s workspaces, archived ones too; those that an app has a grant on; the one that an API key is bound to.',
  tags: ['Profiles'],
  grain: 'caller',
  scopes: ['analytics:read', 'profiles:write'],
  query: z.object({ limit: limit({ default: 50, max: 200 }), cursor: Cursor }),
  response: page(Profile),
  handler: async ({ query, credential, profile, postgres }) => {
    if (profile) {
      const own = await readProfile(postgres, profile.id)
      return own ? [toProfile(own)] : []
    }
    const who = credential.userId === null ? { appId: credential.appId ?? '' } : { userId: credential.userId }
    const list = ['profiles', who]
    const [after] = query.cursor === undefined ? [] : decodeCursor(list, Place, query.cursor)
    const found = await listProfilesOf(postgres, who, { after, limit: query.limit + 1 })
    const rows = found.slice(0, query.limit)
    const hasNext = found.length > query.limit
    return {
      data: rows.map(toProfile),
      pagination: { has_next: hasNext, cursor: hasNext ? encodeCursor(list, [rows.at(-1)!.id]) : null },
    }
  },
})
