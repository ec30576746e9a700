import { z } from 'zod'
import { Cursor, decodeCursor, encodeCursor } from '../../../http/cursor.ts'
import { limit, page } from '../../../http/operation.ts'
import { listWorkspacesOf } from '../../../postgres/stores/workspaces.ts'
import { operation } from '../../operation.ts'
import { toWorkspace, Workspace } from './workspace.ts'

const Place = z.tuple([z.uuid()])

export const listWorkspaces = operation({
  id: 'listWorkspaces',
  method: 'GET',
  url: '/workspaces',
  summary: 'List the workspaces of a person, or those that an app made',
  tags: ['Workspaces'],
  auth: ['session', 'mcp', 'app'],
  grain: 'caller',
  scopes: ['analytics:read', 'workspaces:write'],
  query: z.object({ limit: limit({ default: 50, max: 200 }), cursor: Cursor }),
  response: page(Workspace),
  handler: async ({ query, credential, postgres }) => {
    const who = credential.userId === null ? { appId: credential.appId ?? '' } : { userId: credential.userId }
    const list = ['workspaces', who]
    const [after] = query.cursor === undefined ? [] : decodeCursor(list, Place, query.cursor)
    const found = await listWorkspacesOf(postgres, who, { after, limit: query.limit + 1 })
    const rows = found.slice(0, query.limit)
    const hasNext = found.length > query.limit
    return {
      data: rows.map(toWorkspace),
      pagination: { has_next: hasNext, cursor: hasNext ? encodeCursor(list, [rows.at(-1)!.id]) : null },
    }
  },
})
